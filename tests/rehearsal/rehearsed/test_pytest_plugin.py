"""The fixture as a team's run of pytest has it, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TESTS = """
def test_an_environment(rehearsed_environment):
    aws = rehearsed_environment("environments/dev-trn1.yaml")
    assert aws.client("eks").list_clusters()["clusters"] == ["dev"]


def test_a_file_with_errors(rehearsed_environment):
    rehearsed_environment({wrong!r})


def test_two_at_once(rehearsed_environment):
    rehearsed_environment("environments/dev-trn1.yaml")
    rehearsed_environment("environments/jax-trn1.yaml")


def test_the_next_is_empty(rehearsed_environment):
    aws = rehearsed_environment("environments/dev-trn1.yaml", deploy=False)
    assert list(aws.stacks) == []
"""

pytestmark = pytest.mark.cli


def test_a_teams_run(tmp_path):
    """A file is named from the project's root; one with errors, and a second one at once, fail with what to do."""
    wrong = tmp_path / "wrong.yaml"
    dev = (ROOT / "environments" / "dev-trn1.yaml").read_text(encoding="utf-8")
    wrong.write_text(dev.replace("region:", "regoin:"), encoding="utf-8")
    file = tmp_path / "test_team.py"
    file.write_text(TESTS.format(wrong=str(wrong)), encoding="utf-8")
    words = ["-m", "pytest", "-q", "-p", "rehearsal.pytest_plugin", "-p", "no:cacheprovider", "--rootdir", ROOT, file]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, check=False, capture_output=True, text=True)

    assert "2 failed, 2 passed" in done.stdout, done.stdout
    assert "wrong.yaml" in done.stdout
    assert "hint: did you mean 'region'?" in done.stdout
    assert "dev-trn1.yaml stands already, and a process rehearses one environment at a time" in done.stdout
    assert "Traceback" not in done.stdout
    assert "InvalidEnvironmentError" not in done.stdout


def test_a_run_without_it_loads_nothing():
    """The plug-in alone brings neither moto, boto3 nor the CDK into a run of pytest."""
    code = "import json, sys, rehearsal.pytest_plugin; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    names = {name.partition(".")[0] for name in json.loads(done.stdout)}

    assert not names & {"moto", "boto3", "botocore", "aws_cdk", "jsii", "trnstack", "yaml", "flask"}
