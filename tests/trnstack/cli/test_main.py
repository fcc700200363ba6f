"""The command as a whole: help, wrong usage, interruption, pipes, locales, and what it may import."""

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import NoReturn

import pytest

from trnstack.cli import main

TRNSTACK = (sys.executable, "-c", "import sys; from trnstack.cli import main; sys.exit(main())")
COMMANDS = ("init", "check", "plan", "diff", "lock", "catalog", "job", "rehearse", "teardown", "rules", "schema")


class TestHelp:
    def test_names_every_command_and_the_exit_codes(self, run):
        """The first page tells a newcomer what there is and what an exit code means."""
        answer = run("--help")

        assert answer.code == 0
        assert all(f"  {command} " in answer.stdout for command in COMMANDS)
        assert "Exit codes:" in answer.stdout
        assert "..." not in answer.stdout.partition("Commands:")[2], "a command's summary is cut off"

    @pytest.mark.parametrize("command", COMMANDS)
    def test_of_each_command(self, run, command):
        """Every command explains itself, with its exit codes."""
        answer = run(command, "--help")

        assert answer.code == 0
        assert f"Usage: trnstack {command}" in answer.stdout
        assert "  1  the environment, or what was asked, has findings" in answer.stdout

    def test_version(self, run):
        """--version prints name and version alone."""
        answer = run("--version")

        assert (answer.code, answer.stdout) == (0, "trnstack 0.1.0\n")


class TestWrongUsage:
    def test_unknown_command_names_the_nearest(self, run):
        """A typing error is answered with the command that was meant."""
        answer = run("chekc", "x.yaml")

        assert answer.code == 2
        assert "'check'" in answer.stderr

    @pytest.mark.parametrize("arguments", [(), ("check",), ("plan",), ("plan", "a", "b"), ("check", "--jsno", "x")])
    def test_is_exit_code_2(self, run, arguments):
        """Arguments that are missing, too many or unknown end with 2, help on stderr, and nothing on stdout."""
        answer = run(*arguments)

        assert answer.code == 2
        assert "Usage: trnstack" in answer.stderr
        assert answer.stdout == ""


class TestInterruption:
    def test_is_quiet(self, run, monkeypatch):
        """Ctrl-C ends with 130 and without a traceback or a word."""

        def interrupted(_file, **_) -> NoReturn:
            raise KeyboardInterrupt

        monkeypatch.setattr("trnstack.environment.check_file", interrupted)

        answer = run("check", "x.yaml")

        assert (answer.code, answer.stdout, answer.stderr) == (130, "", "")


class TestBugs:
    def test_stay_ordinary_tracebacks(self, monkeypatch):
        """An error of trnstack's own is not passed off as the person's."""

        def broken(_file, **_) -> NoReturn:
            raise RuntimeError("a bug")

        monkeypatch.setattr("trnstack.environment.check_file", broken)

        with pytest.raises(RuntimeError, match="a bug"):
            main(["check", "x.yaml"])


class TestRehearse:
    @pytest.mark.parametrize("code", [0, 1])
    def test_runs_the_story_and_returns_its_code(self, run, monkeypatch, code):
        """The file reaches the rehearsal as a path, and the rehearsal's answer is the command's."""
        files = []
        story = types.ModuleType("rehearsal.story")
        monkeypatch.setattr(story, "run", lambda file, _: files.append(file) or code, raising=False)
        monkeypatch.setattr(story, "Wanted", lambda **options: options, raising=False)
        monkeypatch.setitem(sys.modules, "rehearsal.story", story)
        monkeypatch.setattr("rehearsal.story", story, raising=False)

        assert run("rehearse", "environments/x.yaml").code == code
        assert files == [Path("environments/x.yaml")]


@pytest.mark.cli
class TestProcess:
    @pytest.mark.parametrize("command", ["check", "plan"])
    def test_quick_answers_import_nothing_slow(self, locked, command):
        """Neither CDK nor AWS, nor the tables, nor anything else that takes long is imported to check or to plan."""
        script = (
            "import sys; from trnstack.cli import main; code = main(sys.argv[1:]); "
            "print(code, *sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, command, "--json", str(locked)], capture_output=True, text=True, check=True
        )
        code, *modules = done.stderr.split()

        assert code == "0"
        json.loads(done.stdout)
        slow = {"aws_cdk", "constructs", "jsii", "boto3", "botocore", "moto", "ruamel", "jinja2", "rich", "numpy"}
        assert not slow & set(modules)
        assert not {"infra", "stacks", "rehearsal"} & set(modules)

    def test_closed_pipe_is_quiet(self, locked):
        """A reader that goes away, as head does, ends the command without a word."""
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            done = subprocess.run([*TRNSTACK, "plan", str(locked)], stdout=pipe, stderr=subprocess.PIPE, check=False)

        assert done.returncode == 141
        assert b"Traceback" not in done.stderr
        assert b"BrokenPipe" not in done.stderr

    @pytest.mark.parametrize("command", ["check", "plan"])
    def test_writes_what_the_locale_cannot(self, tmp_path, command):
        """Under an ASCII locale other characters are replaced, and the command's answer stays the same."""
        ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        ascii_only.pop("PYTHONIOENCODING", None)
        file = tmp_path / "umlaut.yaml"
        file.write_text('name: "prüf—✓"\n', encoding="utf-8")

        done = subprocess.run([*TRNSTACK, command, str(file)], capture_output=True, env=ascii_only, check=False)

        assert done.returncode == 1
        assert b"SPEC008" in done.stdout + done.stderr
        assert b"Traceback" not in done.stderr

    def test_json_is_utf_8_in_every_locale(self, tmp_path):
        """Programs get the same bytes whatever the locale of the person who started them."""
        ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        file = tmp_path / "umlaut.yaml"
        file.write_text('"prüf✓": 1\n', encoding="utf-8")

        done = subprocess.run(
            [*TRNSTACK, "check", "--json", str(file)], capture_output=True, env=ascii_only, check=False
        )

        assert "prüf✓" in [finding["path"] for finding in json.loads(done.stdout.decode("utf-8"))]

    def test_file_names_that_are_no_text(self, tmp_path):
        """A file whose name is not valid UTF-8 is answered like any other."""
        file = os.fsencode(tmp_path) + b"/\xff.yaml"

        done = subprocess.run([*TRNSTACK, "check", file], capture_output=True, check=False)

        assert done.returncode == 1
        assert b"SPEC001 no such file" in done.stdout
        assert b"Traceback" not in done.stderr
