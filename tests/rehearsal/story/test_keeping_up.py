"""What a person is told of an embedded AWS that stays up, and how it ends."""

import os
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest

from rehearsal.process import RunningServer
from rehearsal.story.error import RehearsalError
from rehearsal.story.keeping_up import keep_up, ways_in

STAGE = SimpleNamespace(
    plan=SimpleNamespace(region="us-east-1"),
    file=Path("/home/a person/x.yaml"),
    cdk=SimpleNamespace(lock_file=Path("/folder/rehearsal.lock.json")),
)


def test_ways_in():
    """The exports are those under which the CLI of a rehearsal runs, and nothing of a person's own account stays."""
    aws = RunningServer(40123, 4711)
    lines = list(ways_in(STAGE, aws))
    exported = dict(shlex.split(line)[1].split("=", 1) for line in lines if line.strip().startswith("export "))

    assert exported.items() >= aws.environment(region="us-east-1").items()
    assert exported["AWS_CONFIG_FILE"] == os.devnull
    assert "  unset AWS_PROFILE AWS_SESSION_TOKEN AWS_ENDPOINT_URL_S3 AWS_IGNORE_CONFIGURED_ENDPOINT_URLS" in lines
    assert "http://127.0.0.1:40123, process 4711" in lines[0]
    assert lines[-1].endswith(f"on Ctrl-C here, or by: kill {os.getpid()}")
    assert exported["NO_PROXY"] == exported["no_proxy"] == "127.0.0.1"


def test_commands():
    """What is printed works as it is copied, from any folder: the project's own CLI, in the project."""
    lines = list(ways_in(STAGE, RunningServer(40123, 4711)))
    (diff,) = (shlex.split(line.strip(" ()")) for line in lines if " diff " in line)
    (python,) = (shlex.split(line) for line in lines if "import boto3" in line)

    assert (Path(diff[1]) / "cdk.json").is_file()
    assert os.access(diff[3], os.X_OK)
    assert diff[4:] == ["diff", "-c", "environment=/home/a person/x.yaml", "-c", "lock=/folder/rehearsal.lock.json"]
    assert os.access(python[0], os.X_OK)
    compile(python[2], "printed", "exec")


def test_ends_by_itself():
    """An embedded AWS that ends while it should stay up is no end as planned."""
    with pytest.raises(RehearsalError, match="has ended by itself, process 4711"):
        keep_up(STAGE, RunningServer(40123, 4711, lambda: True))
