"""What becomes of a resource that comes, goes or is replaced, and of what it holds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trnstack.advice.impact.model import Action, Impact, ResourceChange
from trnstack.advice.impact.overlay import overlay

RETAINED = frozenset({"Retain", "RetainExceptOnCreate"})
_SNAPSHOT = "Snapshot"
#: What becomes of a resource without a policy.
DELETED = "Delete"
_LOG_GROUP = "AWS::Logs::LogGroup"
_CLUSTER = "AWS::EKS::Cluster"
#: CloudFormation ends the update all the same, and has forgotten the cluster then.
_PROTECTED = (
    "EKS deletes no cluster while its deletion protection is on (EKS user guide, Delete a cluster): {} stays, costs "
    "money on, and belongs to no stack then"
)
#: What jobs run on, of which they notice when a whole stack is destroyed; the rest goes with it.
_UNDER_JOBS = frozenset({"AWS::EKS::Cluster", "AWS::EKS::Nodegroup", "AWS::FSx::FileSystem"})


def policy(resource: Mapping[str, Any], name: str) -> str:
    """Returns a deletion or replace policy; one that is made by a function keeps nothing for sure."""
    given = resource.get(name)
    return given if isinstance(given, str) and given in {*RETAINED, _SNAPSHOT} else DELETED


def added(stack: str, logical_id: str, kind: str, *, known: bool) -> ResourceChange:
    """Returns what the coming of a resource does: nothing to what stands, if its type is known."""
    return ResourceChange(
        stack=stack,
        logical_id=logical_id,
        type=kind,
        action=Action.ADD,
        impact=Impact.NONE if known else Impact.UNKNOWN,
        reason="is new" if known else f"is new; nothing is published of {kind}",
    )


def deleted(
    stack: str, logical_id: str, resource: Mapping[str, Any], *, known: bool, stack_goes: bool
) -> ResourceChange:
    """Returns what the going of a resource does.

    Args:
        stack: Its stack.
        logical_id: Its name in the template.
        resource: What the old template says of it: its deletion policy is the one that counts.
        known: Whether its type is.
        stack_goes: Whether the whole stack is not there any more.
    """
    kind, kept_as = str(resource.get("Type", "")), policy(resource, "DeletionPolicy")
    holds = overlay().holds_data.get(kind)
    when = f"when {stack} is destroyed, which no deploy does" if stack_goes else "leaves its stack"
    stays = not stack_goes and protected(kind, resource.get("Properties"))
    if stays:
        reason = f"{when}; {_PROTECTED.format('it')}"
    elif kept_as in RETAINED:
        reason = f"{when}; {_retained('it', holds)}"
    elif kept_as == _SNAPSHOT:
        reason = f"{when}; {holds or 'what it holds'} stay in a snapshot"
    else:
        reason = f"{when}; it is deleted{f' with {holds}' if holds else ''}{_logs_alone(kind)}"
    if not known:
        impact, reason = Impact.UNKNOWN, f"{reason}; nothing is published of {kind}"
    elif holds:
        impact = Impact.LOSES_DATA
    else:
        impact = Impact.IN_PLACE if stays or kept_as in RETAINED else Impact.DELETES
    felt = gone_feels(kind, deleted=True) if holds or not (stays or kept_as in RETAINED) else ()
    if stack_goes:
        felt = tuple(f"when {stack} is destroyed: {text}" for text in felt) if kind in _UNDER_JOBS else ()
    return ResourceChange(
        stack=stack,
        logical_id=logical_id,
        type=kind,
        action=Action.DELETE,
        impact=impact,
        reason=reason,
        retained=stays or kept_as != DELETED,
        stack_goes=stack_goes,
        feels=felt,
    )


def left(stack: str, name: str, kind: str) -> ResourceChange:
    """Returns what it does that something which no stack made is named no more.

    Args:
        stack: The stack that named it.
        name: Its id or name in AWS.
        kind: Its resource type.
    """
    holds = overlay().holds_data[kind]
    return ResourceChange(
        stack=stack,
        logical_id=name,
        type=kind,
        action=Action.LEAVE,
        impact=Impact.LOSES_DATA,
        reason=f"no stack made it, and none names it any more: it stays with {holds}, of which jobs lose sight",
        retained=True,
        feels=(f"jobs that use it go on; those that start from then on see nothing of {holds}",),
    )


def given_up(change: ResourceChange) -> ResourceChange:
    """Returns the deletion of what the new side goes on using, or needs for that: nothing of it changes."""
    reason = "leaves its stack, which retains it; it stays in use as it is, and no stack changes or deletes it any more"
    return replace(change, impact=Impact.IN_PLACE, reason=reason, feels=())


def replaced(change: ResourceChange, resource: Mapping[str, Any], old_values: Any) -> ResourceChange:
    """Returns a replacement with what becomes of the old resource.

    Args:
        change: The replacement.
        resource: What the new template says of the resource: its replace policy is the one that counts.
        old_values: The properties of the old resource, worked out: with its protection it stands or goes.
    """
    kept_as = policy(resource, "UpdateReplacePolicy")
    holds = overlay().holds_data.get(change.type)
    stays = protected(change.type, old_values)
    if stays:
        old = _PROTECTED.format("the old one")
    elif kept_as in RETAINED:
        old = _retained("the old one", holds)
    elif kept_as == _SNAPSHOT:
        old = f"{holds or 'what the old one holds'} stay in a snapshot"
    else:
        old = f"the old one is deleted{f' with {holds}' if holds else ''}{_logs_alone(change.type)}"
    return replace(
        change,
        impact=Impact.LOSES_DATA if holds else change.impact,
        reason=f"a new{', empty' if holds else ''} one takes its place; {old}",
        retained=stays or kept_as != DELETED,
        feels=gone_feels(change.type),
    )


def protected(kind: str, properties: Any) -> bool:
    """Says whether EKS refuses to delete a cluster.

    Source: EKS API reference, DeleteCluster and Cluster, deletionProtection.
    """
    given = properties.get("DeletionProtection") if isinstance(properties, Mapping) else None
    return kind == _CLUSTER and str(given).lower() == "true"


def gone_feels(kind: str, *, deleted: bool = False) -> tuple[str, ...]:
    """Returns what running jobs notice when a resource of a type is replaced, or deleted with nothing in its place."""
    return tuple((deleted and row.deleted) or row.feels for row in overlay().gone if row.type == kind)


def _logs_alone(kind: str) -> str:
    """Returns, of logs, that nothing else goes with them: a setting of what writes them may be all that changed."""
    return ", and nothing but logs is lost" if kind == _LOG_GROUP else ""


def _retained(what: str, holds: str | None) -> str:
    """Returns what becomes of what is retained. A policy or a role costs nothing."""
    return f"{what} is retained{f' with {holds}, costs money on,' if holds else ','} and belongs to no stack then"
