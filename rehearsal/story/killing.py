"""A CLI that is killed half way: CloudFormation goes on without it, and the next deploy finds its work done.

What the CLI does with a stack that another one has left is what a person has to know then. It does not wait for an
operation that is in progress. Where the stack's template is what it would deploy it says ``(no changes)`` and ends
well, though nothing of it may stand yet; where it is another, CloudFormation refuses the change set meanwhile.
It goes on with ``REVIEW_IN_PROGRESS``, which a CLI leaves that died before its change set ran; it deletes a stack in
``ROLLBACK_COMPLETE`` or ``ROLLBACK_FAILED`` and makes it anew; one in ``UPDATE_ROLLBACK_FAILED`` it leaves to
``cdk rollback``.

Source: aws-cdk 2.1148.1, ``@aws-cdk/toolkit-lib``: ``deploy-stack.ts`` (``deployStack``, ``canSkipDeploy``,
``FullCloudFormationDeployment``), ``stack-status.ts`` (``isCreationFailure``, ``rollbackChoice``).
"""

import time
from typing import Any

from rehearsal.story.error import RehearsalError
from rehearsal.story.record import DONE, FAILED_AS_TOLD, REFUSED
from rehearsal.story.runs import CdkRun
from rehearsal.story.stage import Stage

_LOOK_SECONDS = 0.1
_PATIENCE_SECONDS = 60.0
_KILLED = -9
_NO_CHANGES, _BUSY = "(no changes)", "_IN_PROGRESS"


def kill_half_way(stage: Stage, stack: str) -> None:
    """Kills the CLI while it deploys a stack, shows what a second CLI meets meanwhile, and waits for CloudFormation.

    Raises:
        RehearsalError: The operation was never half way, died with the CLI, or did not end well.
    """
    words = ("deploy", stack, "--exclusively", "--require-approval", "never")
    stage.control.hold(stack)
    try:
        _killed(stage, stack, stage.attempt(*words, killed_when=stage.control.is_holding))
        _meanwhile(stage, stack, stage.attempt(*words))
    finally:
        stage.control.go_on()
    started = time.monotonic()
    status = _settled(stage.client("cloudformation"), stack)
    if not status.endswith("_COMPLETE") or "ROLLBACK" in status:
        raise RehearsalError(f"the operation went on without the CLI, and left {stack} in {status}")
    stage.tell(f"CloudFormation goes on without the CLI: {stack} is {status}", time.monotonic() - started)


def _killed(stage: Stage, stack: str, done: CdkRun) -> None:
    if done.status != _KILLED:
        raise RehearsalError(f"the CLI ended by itself before {stack} was half way\n{done.last_lines}")
    status = _status(stage.client("cloudformation"), stack)
    if not status.endswith("_IN_PROGRESS"):
        raise RehearsalError(f"stack {stack} should be half way when the CLI is killed, and is {status}")
    said = f"killed half way, {stack} is {status}"
    stage.tell(f"cdk {done.command}", done.seconds, said, outcome=FAILED_AS_TOLD)


def _meanwhile(stage: Stage, stack: str, done: CdkRun) -> None:
    """Tells what a second CLI does while CloudFormation is still at it."""
    output = "\n".join(done.lines)
    if done.status == 0 and _NO_CHANGES in output:
        said, outcome = f"says {_NO_CHANGES} and ends well, though the stack is still in progress", DONE
    elif done.status and _BUSY in output:
        said, outcome = "refused, since the stack is in progress", REFUSED
    else:
        raise RehearsalError(f"a second deploy does something else with {stack} half way\n{done.last_lines}")
    stage.tell(f"cdk {done.command}", done.seconds, said, outcome=outcome)


def _settled(cloudformation: Any, stack: str) -> str:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        status = _status(cloudformation, stack)
        if not status.endswith("_IN_PROGRESS"):
            return status
        time.sleep(_LOOK_SECONDS)
    raise RehearsalError(f"stack {stack} is still in progress after {_PATIENCE_SECONDS:.0f} s")


def _status(cloudformation: Any, stack: str) -> str:
    found: str = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
    return found
