"""Keeps the embedded AWS up at the end of a rehearsal, and tells how to work with it and what ends it."""

import os
import shlex
import threading
from collections.abc import Iterator
from pathlib import Path

from rehearsal.process import RunningServer
from rehearsal.sessions import NO_FILES
from rehearsal.story.cdk import BIN, PROJECT
from rehearsal.story.error import RehearsalError
from rehearsal.story.stage import Stage, say
from rehearsal.transport import ACCOUNT

_LOOK_SECONDS = 0.5
#: Settings of a person's own account, beside which the embedded AWS would not be the one that is asked.
_FOREIGN = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")


def keep_up(stage: Stage, aws: RunningServer) -> None:
    """Prints how to point ``aws``, ``cdk`` and Python at the embedded AWS, and waits until it is to end.

    Raises:
        KeyboardInterrupt: It is to end.
        RehearsalError: It has ended by itself.
    """
    for line in ways_in(stage, aws):
        say(line)
    never = threading.Event()
    while not aws.has_ended():
        never.wait(_LOOK_SECONDS)
    raise RehearsalError(f"the embedded AWS has ended by itself, process {aws.process_id}")


def ways_in(stage: Stage, aws: RunningServer) -> Iterator[str]:
    """Yields the lines that a person reads and copies."""
    yield f"The embedded AWS stays up: {aws.endpoint}, process {aws.process_id}. In another terminal:\n"
    yield f"  unset {' '.join(_FOREIGN)}"
    variables = {**aws.environment(region=stage.plan.region, account=ACCOUNT), **NO_FILES}
    # Programs differ in which spelling they read.
    variables |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    for name, value in variables.items():
        yield f"  export {name}={shlex.quote(value)}"
    yield "\n  aws cloudformation describe-stacks --query 'Stacks[].[StackName,StackStatus]' --output text"
    # The CLI finds the project's application in the folder that it is run in, and only the pinned one fits it.
    files = f"-c environment={_quoted(stage.file)} -c lock={_quoted(stage.cdk.lock_file or Path())}"
    yield f"  (cd {_quoted(PROJECT)} && {_quoted(BIN / 'cdk')} diff {files})"
    python = 'import boto3; print(boto3.client("eks").list_clusters()["clusters"])'
    yield f"  {_quoted(BIN / 'python')} -c {shlex.quote(python)}\n"
    yield "The credentials are made up; the lock is the rehearsal's own, and no real account takes either."
    yield f"It ends, with all that stands in it, on Ctrl-C here, or by: kill {os.getpid()}"


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
