"""``toolchain/setup.py`` and the ``Makefile``: when the set-up runs again, and with which Python."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The set-up script, looking at a copy of the files that decide it."""
    spec = importlib.util.spec_from_file_location("toolchain_setup", ROOT / "toolchain" / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in module.DECIDED_BY:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "STAMP", tmp_path / ".venv" / ".trnstack-setup")
    return module


@pytest.fixture
def finished(toolchain: ModuleType) -> ModuleType:
    """The set-up script after a set-up that finished."""
    python = toolchain.VENV / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    toolchain.STAMP.write_text(toolchain.fingerprint())
    return toolchain


class TestFingerprint:
    def test_is_stable(self, toolchain):
        """The same files have the same fingerprint."""
        assert toolchain.fingerprint() == toolchain.fingerprint()

    @pytest.mark.parametrize("name", ["requirements.lock", "package-lock.json", ".npmrc", "toolchain/setup.py"])
    def test_changes_with_every_file(self, toolchain, name):
        """A change of any file that decides what is installed is noticed."""
        before = toolchain.fingerprint()
        with (toolchain.ROOT / name).open("a") as stream:
            stream.write("\n")

        assert toolchain.fingerprint() != before

    def test_changes_with_the_interpreter(self, toolchain, monkeypatch):
        """Another Python gets a virtual environment of its own."""
        before = toolchain.fingerprint()
        monkeypatch.setattr(toolchain.sys, "version_info", (3, 12, 99))

        assert toolchain.fingerprint() != before


class TestIsCurrent:
    def test_after_a_set_up(self, finished):
        """What was set up is not set up again."""
        assert finished.is_current()

    def test_not_before(self, toolchain):
        """Without a virtual environment there is something to do."""
        assert not toolchain.is_current()

    def test_not_after_a_change(self, finished):
        """A changed lock file sets up anew."""
        (finished.ROOT / "requirements.lock").write_text("other\n")

        assert not finished.is_current()

    def test_not_after_an_interruption(self, finished):
        """A set-up that did not finish has no stamp, and is done again."""
        finished.STAMP.unlink()

        assert not finished.is_current()

    def test_not_without_the_interpreter(self, finished):
        """A virtual environment whose Python was uninstalled is made again."""
        (finished.VENV / "bin" / "python").unlink()

        assert not finished.is_current()


class TestMain:
    @pytest.mark.parametrize("version", [(3, 10, 14), (3, 14, 0)])
    def test_refuses_other_pythons(self, toolchain, monkeypatch, capsys, version):
        """A Python that the project does not know is refused in one sentence, before anything is made."""
        monkeypatch.setattr(toolchain.sys, "version_info", version)

        assert toolchain.main() == 2
        assert f"is {version[0]}.{version[1]}" in capsys.readouterr().err
        assert not toolchain.VENV.exists()

    def test_refuses_windows(self, toolchain, monkeypatch, capsys):
        """Where the toolchain can't run, the ways that work are named."""
        monkeypatch.setattr(toolchain, "os", type("Windows", (), {"name": "nt"}))

        assert toolchain.main() == 2
        assert "WSL" in capsys.readouterr().err

    def test_does_nothing_when_current(self, finished, monkeypatch, capsys):
        """Every make target starts with the set-up, so that a current one is silent."""
        monkeypatch.setattr(finished, "set_up", lambda: pytest.fail("set up again"))

        assert finished.main() == 0
        assert capsys.readouterr().out == ""

    @pytest.mark.parametrize("code", [1, 130])
    def test_says_how_it_ended(self, toolchain, monkeypatch, capsys, code):
        """A failed step and Ctrl-C end with their own code and a sentence."""
        problem = toolchain.SetupError("no network") if code == 1 else KeyboardInterrupt()

        def fail() -> None:
            raise problem

        monkeypatch.setattr(toolchain, "set_up", fail)

        assert toolchain.main() == code
        assert "set-up stopped" in capsys.readouterr().err


@pytest.mark.cli
class TestMakefile:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        """A folder with the Makefile, and a set-up that only says which Python runs it."""
        shutil.copy(ROOT / "Makefile", tmp_path)
        (tmp_path / "toolchain").mkdir()
        (tmp_path / "toolchain" / "setup.py").write_text("import sys; print('set up by', sys.version_info[:2])\n")
        (tmp_path / "bin").mkdir()
        return tmp_path

    def program(self, project: Path, name: str, script: str) -> None:
        file = project / "bin" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def make(self, project: Path, *targets: str) -> subprocess.CompletedProcess[str]:
        make = shutil.which("make")
        if make is None:
            pytest.skip("there is no make")
        return subprocess.run(
            [make, *targets],
            cwd=project,
            env={"PATH": str(project / "bin")},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_passes_over_shims_that_fail(self, project):
        """The first Python that really starts and fits is taken: a shim may be on the PATH without one behind it."""
        self.program(project, "python3.13", "echo 'no such version' >&2; exit 127")
        self.program(project, "python3.12", "echo; exit 0")
        self.program(project, "python3", f'exec {sys.executable} "$@"')

        done = self.make(project, "setup")

        assert done.returncode == 0
        assert done.stdout.strip() == f"set up by {sys.version_info[:2]}"
        assert done.stderr == ""

    def test_without_a_python(self, project):
        """Where no Python fits, one sentence says what to install."""
        self.program(project, "python3", "exit 1")

        done = self.make(project, "setup")

        assert done.returncode == 2
        assert "trnstack needs Python 3.11, 3.12 or 3.13" in done.stderr

    def test_help_is_the_default(self):
        """Typing make alone lists the targets and sets nothing up."""
        make = shutil.which("make")
        if make is None:
            pytest.skip("there is no make")
        done = subprocess.run([make], cwd=ROOT, capture_output=True, text=True, check=True, env=dict(os.environ))

        assert all(
            f"make {target} " in done.stdout for target in ("setup", "rehearse", "lock", "check", "test", "bench")
        )
