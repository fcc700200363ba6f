"""The guide for teams' own tests does what it says: its test file passes, its job runs what there is."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

GUIDE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
NAME = "llama3-8b-trn1"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """Returns the guide's blocks of a language, in their order."""
    return [text for name, text in _BLOCK.findall(GUIDE) if name == language]


@pytest.mark.cli
def test_files_of_the_guide(tmp_path):
    """The guide's test file and its fixture for a whole module pass as they are printed, in a team's folder."""
    files = {text.splitlines()[0].removeprefix("# "): text for text in blocks("python")}
    files["tests/test_module.py"] = "def test_it(cluster):\n    assert cluster.stacks\n"
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "environments").mkdir()
    for end in ("yaml", "lock.json"):
        shutil.copy(ROOT / "environments" / f"{NAME}.{end}", tmp_path / "environments")
    own = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "rehearsal.pytest_plugin", "tests"]
    done = subprocess.run(words, cwd=tmp_path, env=own, check=False, capture_output=True, text=True)

    assert files.keys() == {"tests/test_cluster.py", "tests/conftest.py", "tests/test_module.py"}
    assert f"\n{files['tests/test_cluster.py'].count('def test_') + 1} passed" in done.stdout, done.stdout


def test_job_of_the_guide():
    """The job's commands are targets of the Makefile, commands of trnstack, and the guide's own test file."""
    (text,) = blocks("yaml")
    job = yaml.safe_load(text)["jobs"]["cluster"]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert commands[0] == "make setup"
    assert "\nsetup:" in makefile
    assert commands[1:] == [
        ".venv/bin/trnstack check environments/*.yaml",
        ".venv/bin/python -m pytest -q tests/test_cluster.py",
    ]
    assert "tests/test_cluster.py" in GUIDE.split("```")[0]


def test_members_in_the_guide():
    """What the guide lists of a rehearsed environment is there."""
    from rehearsal.rehearsed import RehearsedEnvironment

    names = set(re.findall(r"`aws\.(\w+)", GUIDE))
    initial = {"stacks"}  # what an object has, and its class has not

    assert {"client", "survey", "deploy", "fail"} <= names
    assert {name for name in names - initial if not hasattr(RehearsedEnvironment, name)} == set()
