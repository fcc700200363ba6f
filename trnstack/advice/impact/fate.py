"""What becomes of a resource that comes, goes or is replaced, and of what it holds."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trnstack.advice.impact.model import Action, Impact, ResourceChange
from trnstack.advice.impact.overlay import overlay

_RETAINED = frozenset({"Retain", "RetainExceptOnCreate"})
_SNAPSHOT = "Snapshot"


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
    kind, policy = str(resource.get("Type", "")), str(resource.get("DeletionPolicy") or "Delete")
    holds = overlay().holds_data.get(kind)
    when = f"when {stack} is destroyed, which no deploy does" if stack_goes else "leaves its stack"
    if policy in _RETAINED:
        reason = f"{when}; it is retained{f' with {holds}' if holds else ''}, belongs to no stack and costs money on"
    elif policy == _SNAPSHOT:
        reason = f"{when}; {holds or 'what it holds'} stay in a snapshot"
    else:
        reason = f"{when}; it is deleted{f' with {holds}' if holds else ''}"
    if not known:
        impact, reason = Impact.UNKNOWN, f"{reason}; nothing is published of {kind}"
    else:
        impact = Impact.LOSES_DATA if holds else Impact.DELETES
    return ResourceChange(
        stack=stack,
        logical_id=logical_id,
        type=kind,
        action=Action.DELETE,
        impact=impact,
        reason=reason,
        retained=policy != "Delete",
        stack_goes=stack_goes,
        feels=gone_feels(kind) if policy not in _RETAINED or holds else (),
    )


def replaced(change: ResourceChange, resource: Mapping[str, Any]) -> ResourceChange:
    """Returns a replacement with what becomes of the old resource.

    Args:
        change: The replacement.
        resource: What the new template says of the resource: its replace policy is the one that counts.
    """
    policy = str(resource.get("UpdateReplacePolicy") or "Delete")
    holds = overlay().holds_data.get(change.type)
    if policy in _RETAINED:
        old = f"the old one is retained{f' with {holds}' if holds else ''}, belongs to no stack and costs money on"
    elif policy == _SNAPSHOT:
        old = f"{holds or 'what the old one holds'} stay in a snapshot"
    else:
        old = f"the old one is deleted{f' with {holds}' if holds else ''}"
    return replace(
        change,
        impact=Impact.LOSES_DATA if holds else change.impact,
        reason=f"a new{', empty' if holds else ''} one takes its place; {old}",
        retained=policy != "Delete",
        feels=tuple(dict.fromkeys((*gone_feels(change.type), *change.feels))),
    )


def gone_feels(kind: str) -> tuple[str, ...]:
    """Returns what running jobs notice when a resource of a type is gone."""
    return tuple(row.feels for row in overlay().gone if row.type == kind)
