"""``trnstack check``."""

import json
import re
from pathlib import Path

import pytest

ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))


def _forty_wrong_labels() -> str:
    return "".join(f"      label-{number}: [not, a, text]\n" for number in range(40))


#: Every sort of bad input: what replaces what in the example, the code, and a piece of the hint.
BAD = {
    "tabs": ("  kubernetes_version", "\tkubernetes_version", "SPEC002", "indent with spaces"),
    "duplicate key": ("region: us-east-2", "region: us-east-2\nregion: us-west-2", "SPEC004", "remove one of the two"),
    "unknown key": ("  lustre:", "  lustree:", "SPEC005", "did you mean 'lustre'?"),
    "missing key": ("region: us-east-2\n", "", "SPEC006", "add region: ..."),
    "wrong type": ("node_count: 32", "node_count: '32'", "SPEC007", "write it without quotes: 32"),
    "version as a number": ('"1.35"', "1.30", "SPEC007", 'write it in quotes: "1.30"'),
    "account as a number": (
        "name: llama3-8b\n",
        "name: llama3-8b\naccount: 011122223333\n",
        "SPEC007",
        'write it in quotes: "011122223333"',
    ),
    "unknown instance type": ("trn1.32xlarge\n", "trn1.32xlrge\n", "CAT001", "did you mean 'trn1.32xlarge'?"),
}


class TestGoodFiles:
    def test_no_errors(self, run, locked):
        """A good environment with its lock ends with 0 and a summary that names the file."""
        answer = run("check", locked)

        assert answer.code == 0
        assert answer.stdout == f"{locked}: no findings, 1 ignored\n"
        assert answer.stderr == ""

    @pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
    def test_one_line_for_an_environment_of_ours(self, run, file):
        """The environments that come with the project say that an account has yet to resolve their locks, and no more.

        Some say besides why they ignore a finding.
        """
        first, hint, last = run("check", file).stdout.splitlines()

        assert re.match(rf"{re.escape(str(file))}:\d+:1: IMG006 note: ", first)
        assert hint.startswith(f"  hint: before a deploy, run: trnstack lock {file}; ")
        assert re.fullmatch(rf"{re.escape(str(file))}: 1 note(, \d ignored)?", last)

    def test_notes_and_warnings_are_no_failure(self, run, example):
        """What only tells or asks is shown, and leaves the exit code at 0."""
        file = example(("node_count: 32", "node_count: 32\n    efa: false"))
        run("lock", "--offline", file)

        answer = run("check", file)

        assert answer.code == 0
        assert "EFA002 warning: " in answer.stdout


class TestBadFiles:
    @pytest.mark.parametrize(("old", "new", "code", "hint"), BAD.values(), ids=BAD)
    def test_finding_has_line_and_hint(self, run, example, old, new, code, hint):
        """Each sort of mistake is found in its line with the change to make, and never ends in a traceback."""
        file = example((old, new))

        answer = run("check", file)

        assert answer.code == 1
        assert re.search(rf"^{re.escape(str(file))}:\d+:\d+: .*\b{code} ", answer.stdout, re.MULTILINE)
        assert f"  hint: {hint}" in answer.stdout
        assert answer.stderr == ""

    def test_name_too_long(self, run, example):
        """A name that AWS would refuse in the middle of a deployment is refused here, with what is allowed."""
        answer = run("check", example(("name: llama3-8b\n", f"name: {'a' * 40}\n")))

        assert answer.code == 1
        assert "name: SPEC008" in answer.stdout
        assert "2 to 32 lower-case letters" in answer.stdout

    def test_forty_findings_at_once(self, run, example):
        """Everything is said in one run, in the order of the lines."""
        file = example(("    node_count: 32\n", f"    node_count: 32\n    labels:\n{_forty_wrong_labels()}"))

        answer = run("check", file)
        lines = [int(number) for number in re.findall(r"\.yaml:(\d+):\d+: ", answer.stdout)]

        assert answer.code == 1
        assert len(lines) == 40
        assert lines == sorted(lines)
        assert answer.stdout.splitlines()[-1] == f"{file}: 40 errors"

    def test_missing_lock(self, run, example):
        """An environment without a lock is not ready, and the hint is the command that makes one."""
        file = example()

        answer = run("check", file)

        assert answer.code == 1
        both = f"trnstack lock {file}, or without an account: trnstack lock --offline {file}"
        assert f"hint: run: {both}" in answer.stdout


class TestFilesThatAreNone:
    @pytest.mark.parametrize("name", ["missing.yaml", "*.yaml"])
    def test_missing(self, run, tmp_path, name):
        """A file that does not exist, or a pattern that matched nothing, is a finding with a hint."""
        answer = run("check", tmp_path / name)

        assert answer.code == 1
        assert f"{tmp_path / name}: SPEC001 no such file\n  hint: " in answer.stdout

    def test_folder(self, run, example):
        """A folder is answered with the files in it."""
        file = example()

        answer = run("check", file.parent)

        assert answer.code == 1
        assert f"SPEC001 this is a folder\n  hint: name one of its files: {file}" in answer.stdout

    @pytest.mark.parametrize("text", ["", "# a comment alone\n", "---\n"])
    def test_empty(self, run, tmp_path, text):
        """An empty file is a finding that says what to start from."""
        (tmp_path / "empty.yaml").write_text(text)

        answer = run("check", tmp_path / "empty.yaml")

        assert answer.code == 1
        assert "SPEC003" in answer.stdout
        assert "hint: " in answer.stdout


class TestSeveralFiles:
    def test_all_findings_of_all_files(self, run, locked, tmp_path):
        """One bad file does not keep the others from being checked, and the summary counts the files."""
        answer = run("check", tmp_path / "first.yaml", locked, tmp_path / "last.yaml")

        assert answer.code == 1
        assert [line.count("SPEC001") for line in answer.stdout.splitlines()].count(1) == 2
        assert re.fullmatch(r"3 files: 2 errors, 1 ignored", answer.stdout.splitlines()[-1])


class TestJson:
    def test_holds_the_list_and_nothing_else(self, run, example):
        """Programs get every finding with its place, and the exit code is the same."""
        file = example(("region: us-east-2", "region: us-east-2\nregion: us-west-2"))

        answer = run("check", "--json", file)
        (finding,) = json.loads(answer.stdout)

        assert answer.code == 1
        assert answer.stderr == ""
        assert list(finding) == ["file", "line", "column", "path", "code", "severity", "message", "hint"]
        assert (finding["file"], finding["path"], finding["code"]) == (str(file), "region", "SPEC004")
        assert Path(finding["file"]).read_text().splitlines()[finding["line"] - 1] == "region: us-west-2"

    def test_without_errors(self, run, locked):
        """A good environment's list holds no error, and is a list still."""
        answer = run("check", "--json", locked)

        assert answer.code == 0
        assert all(finding["severity"] != "error" for finding in json.loads(answer.stdout))


class TestAt:
    def test_rules_of_dates(self, run, locked):
        """With a time, what has run out by then is told; without one, nothing asks what day it is."""
        late = run("check", "--at", "2027-04-01T00:00:00Z", locked)

        assert late.code == 0
        assert "EKS050 warning: standard support of 1.35 ended on 2027-03-27" in late.stdout
        assert run("check", "--at", "2026-12-01T01:00:00+01:00", locked).stdout == f"{locked}: no findings, 1 ignored\n"

    @pytest.mark.parametrize("time", ["tomorrow", "2027-04-01T00:00:00", "2027-04-01", ""])
    def test_time_without_a_zone(self, run, locked, time):
        """A time that could be any, or none, is wrong usage, answered with one that is right."""
        answer = run("check", "--at", time, locked)

        assert answer.code == 2
        assert "2027-03-01T00:00:00Z" in " ".join(answer.stderr.split())


class TestIgnored:
    def test_counted_and_not_shown(self, run, example, lock_of):
        """People see how many findings a comment silences; programs get them all."""
        file = example(("node_count: 32", "node_count: 32\n    efa: false  # trnstack: ignore[EFA002] a test of TCP"))
        lock_of(file)

        assert run("check", file).stdout == f"{file}: no findings, 2 ignored\n"
        found = {each["code"]: each["suppressed"] for each in json.loads(run("check", "--json", file).stdout)}
        assert found.keys() == {"EFA002", "STO006"}
        assert found["EFA002"] == "a test of TCP"

    def test_mistaken_ignore_stops(self, run, example):
        """An ignore without a reason is an error like any other."""
        answer = run("check", example(("node_count: 32", "node_count: 32\n    efa: false  # trnstack: ignore[EFA002]")))

        assert answer.code == 1
        assert "SPEC030 this ignore has no reason" in answer.stdout


class TestSarif:
    def test_holds_the_log_and_nothing_else(self, run, example, locked):
        """Code-review tools get one log of all files, and the exit code is the same."""
        file = example(("trn1.32xlarge", "trn1.32xlrge"), name="bad.yaml")

        answer = run("check", "--sarif", locked, file)
        results = json.loads(answer.stdout)["runs"][0]["results"]
        (result,) = (each for each in results if each["level"] == "error")

        assert answer.code == 1
        assert answer.stderr == ""
        assert result["ruleId"] == "CAT001"
        assert run("check", "--sarif", locked).code == 0

    def test_one_form_at_a_time(self, run, locked):
        """Two forms at once are wrong usage."""
        assert run("check", "--sarif", "--json", locked).code == 2
