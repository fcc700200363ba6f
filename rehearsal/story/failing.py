"""A deploy under a fault: it fails as told, in AWS's words, and what it leaves is such that the next one converges."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.faults import Fault, FaultError, check
from rehearsal.story.error import RehearsalError
from rehearsal.story.record import FAILED_AS_TOLD
from rehearsal.story.stage import Stage, say, stacks_of
from rehearsal.survey.records import Survey
from trnstack.plan import Plan

_ALL = ("deploy", "--all", "--require-approval", "never")
#: What CloudFormation says of resources that it gave up since another one had failed.
_CANCELLED = "cancelled"
_NO_LINE = "the CLI said nothing"
#: How a stack stands that failed when it was first made.
_CREATION_FAILED = frozenset({"ROLLBACK_COMPLETE", "ROLLBACK_FAILED"})
#: The columns that are left of 120 beside what stands before them.
_WIDTH = 105
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Failed:
    """A resource that failed.

    Attributes:
        stack: Its stack.
        logical_id: Its name in the template.
        type: Its type.
        status: What became of it, such as ``CREATE_FAILED``.
        reason: Why, in AWS's words.
    """

    stack: str
    logical_id: str
    type: str
    status: str
    reason: str


def deploy_under(stage: Stage, faults: Sequence[Fault], words: Sequence[str] = _ALL) -> None:
    """Deploys while things go wrong, tells what failed, and lifts the faults.

    Args:
        stage: The environment.
        faults: What goes wrong; not ``cli-killed``, which concerns the CLI alone.
        words: The deploy.

    Raises:
        RehearsalError: The deploy did not fail and should have, or failed by something else, or failed and should not.
        FaultError: A fault would meet nothing of what is deployed, or the deploy went through and met none of them.
    """
    faults = tuple(dict.fromkeys(faults))
    _require_met(stage, faults)
    before = stage.survey()
    stage.control.set_faults(faults)
    try:
        done = stage.attempt(*words)
        met = met_of(faults, stage.control.refused())
    finally:
        stage.control.lift_faults()
    said, named = f"cdk {done.command}", _and(met)
    unmet = [fault for fault in faults if fault not in met]
    fails = [fault for fault in met if fault.kind.fails]
    if not done.status:
        if not met:
            raise FaultError(f"{_and(faults)} met nothing: {said} went through, and asked for nothing that it refuses")
        if fails:
            raise RehearsalError(f"{said} should fail under {_and(fails)}, and did not")
        stage.tell(said, done.seconds, f"goes through under {named}{_not_reached(unmet)}", data=stacks_of(done))
        return
    if not fails:
        over = f"get over {named}" if met else f"not fail before it meets {_and(faults)}"
        raise RehearsalError(f"{said} should {over}, and failed\n{done.last_lines}")
    failed = list(failures(stage.client("cloudformation"), stage.plan))
    data = {**stacks_of(done), "failed": [asdict(each) for each in failed]}
    stage.tell(said, done.seconds, f"fails under {named}{_not_reached(unmet)}", outcome=FAILED_AS_TOLD, data=data)
    for line in told(failed, last_line=next(iter(done.lines[-1:]), _NO_LINE)):
        say(f"             {line}")
    _require_code(fails, failed, done.last_lines)
    gone = list(retained_gone(before, stage.survey()))
    if gone:
        raise RehearsalError("the failed deploy has lost what was there before:\n  " + "\n  ".join(gone))
    _unprotect(stage)


def met_of(faults: Sequence[Fault], refused: Mapping[str, int]) -> tuple[Fault, ...]:
    """Returns the faults that something has met.

    Args:
        faults: The faults.
        refused: How many calls each that is in force has refused; an outage that was met and is over is none of them.
    """
    return tuple(fault for fault in faults if refused.get(str(fault)) != 0)


def _and(faults: Sequence[Fault]) -> str:
    return " and ".join(map(str, faults))


def _not_reached(faults: Sequence[Fault]) -> str:
    return f"; not reached: {', '.join(map(str, faults))}" if faults else ""


def _last_operation(cloudformation: Any, stack: str) -> list[Mapping[str, Any]]:
    """Gives the events of a stack's last operation, newest first; they may fill several pages."""
    found: list[Mapping[str, Any]] = []
    page: Mapping[str, Any] = cloudformation.describe_stack_events(StackName=stack)
    while True:
        events = page["StackEvents"]
        found += [event for event in events if event["OperationId"] == (found or events)[0]["OperationId"]]
        if "NextToken" not in page or found[-1] is not events[-1]:
            return found
        page = cloudformation.describe_stack_events(StackName=stack, NextToken=page["NextToken"])


def _require_met(stage: Stage, faults: Sequence[Fault]) -> None:
    """Refuses a fault that would meet nothing of the templates.

    Raises:
        FaultError: It would not; says what there is.
    """
    if not stage.cdk.has_synthesized(stage.file):
        stage.step("synth", "--quiet")
    templates = stage.cdk.templates()
    for fault in faults:
        check(fault, templates)


def failures(cloudformation: Any, plan: Plan) -> Iterator[Failed]:
    """Yields what failed in the last operation of each of the plan's stacks, as CloudFormation's events tell it."""
    for stack in plan.stacks:
        try:
            last = _last_operation(cloudformation, stack.name)
        except ClientError:
            continue
        if not any(
            "ROLLBACK" in event["ResourceStatus"] or event["ResourceStatus"].endswith("_FAILED") for event in last
        ):
            continue
        for event in reversed(last):
            reason = event.get("ResourceStatusReason", "")
            is_stack = event["PhysicalResourceId"] == event["StackId"]
            if event["ResourceStatus"].endswith("_FAILED") and not is_stack and _CANCELLED not in reason:
                yield Failed(
                    stack.name, event["LogicalResourceId"], event["ResourceType"], event["ResourceStatus"], reason
                )


def told(failed: Sequence[Failed], *, last_line: str) -> Iterator[str]:
    """Yields what a person reads of it: the resource, what became of it, and why; or the CLI's own last line."""
    if not failed:
        yield last_line
    for each in failed:
        yield f"{each.stack}: {each.logical_id} ({each.type}) {each.status}"
        yield from textwrap.wrap(
            shortened(each.reason), _WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False
        )


def shortened(reason: str) -> str:
    """Returns a reason without the middle of a very long one, which lists every node; its end has the codes."""
    if len(reason) <= _LONGEST:
        return reason
    return f"{reason[: _LONGEST // 2]} ... {reason[-_LONGEST // 2 :]}"


def retained_gone(before: Survey, after: Survey) -> Iterator[str]:
    """Yields a sentence for each store of data that stood before and does not any more."""
    stores = (
        ("bucket", [{each.name for each in found.buckets} for found in (before, after)]),
        ("file system", [{each.file_system_id for each in found.file_systems} for found in (before, after)]),
        ("key", [{each.key_id for each in found.keys} for found in (before, after)]),
    )
    for what, (old, new) in stores:
        yield from (f"{what} {name} is gone" for name in sorted(old - new))


def _require_code(faults: Sequence[Fault], failed: Sequence[Failed], said: str) -> None:
    """Refuses a failure that is not the one that was to happen."""
    words = " ".join(each.reason for each in failed) or said
    if not any(fault.kind.code in words for fault in faults):
        codes = " or ".join(fault.kind.code for fault in faults)
        raise RehearsalError(f"the deploy failed by something else than {codes}:\n{words}")


def _unprotect(stage: Stage) -> None:
    """Takes back the protections that stop the CLI from making a stack anew which failed when it was first made.

    The CLI deletes such a stack first. It has let the stack be protected before the change set ran, and EKS keeps a
    protected cluster from the rollback.

    Source: aws-cdk 2.1148.1, ``deploy-stack.ts``, ``executeChangeSet`` and ``isCreationFailure``; docs/updates.md.
    """
    stacks = {stack.name: stack for stack in stage.survey().stacks if stack.status in _CREATION_FAILED}
    for name, stack in stacks.items():
        if stack.termination_protection:
            stage.client("cloudformation").update_termination_protection(
                StackName=name, EnableTerminationProtection=False
            )
            command = "aws cloudformation update-termination-protection --no-enable-termination-protection"
            stage.tell(f"{command} --stack-name {name}", 0.0)
    eks, cluster = stage.client("eks"), stage.plan.cluster.name
    if f"{stage.plan.name}-cluster" in stacks and cluster in eks.list_clusters()["clusters"]:
        eks.update_cluster_config(name=cluster, deletionProtection=False)
        stage.tell(f"aws eks update-cluster-config --name {cluster} --no-deletion-protection", 0.0)
