"""Reads which resources the continuation of a way back is to leave out, in a stack and in the stacks nested in it.

CloudFormation takes any names and begins: the way back then fails again, with what is wrong with them as its reason.

Source: CloudFormation API reference, ContinueUpdateRollback, ``ResourcesToSkip``: a resource of a nested stack is
``NestedStackName.ResourceLogicalID``, only resources that failed to be led back may be named, and a nested stack only
where it is deleted or was to be. The reasons, and that they come as events of the stack, are from a log of such
attempts that a team has published; how the sentence of a resource that is not there begins is unconfirmed.
"""

from collections.abc import Collection, Iterator

from rehearsal.stack import STACK_TYPE, Stack
from rehearsal.world import World

NESTED = "Nested stacks could not be skipped"
NOT_FAILED = "Only the resources failed during UpdateRollback are allowed to be skipped"


class SkippingError(Exception):
    """A name is of nothing that may be left out; what it says is the reason of the stack."""


def skipped(world: World, stack: Stack, asked: Collection[str] | None) -> frozenset[str]:
    """Gives the logical ids to leave out in a stack, and keeps those of the stacks nested in it with them.

    Args:
        world: The stacks.
        stack: The stack whose way back goes on.
        asked: The names that the request gives; None for every resource that failed.

    Raises:
        SkippingError: A name is of no resource that failed.
    """
    tree = {child.name: child for child in _nested(world, stack)}
    chosen: dict[str, frozenset[str]] = {owner: frozenset() for owner in ("", *tree)}
    if asked is None:
        chosen = {"": _failed(stack), **{name: _failed(child) for name, child in tree.items()}}
    for name in asked or ():
        owner, _, logical_id = name.rpartition(".")
        if owner and owner not in tree:
            raise SkippingError(f"Stack [{owner}] does not exist")
        _check(world, tree[owner] if owner else stack, logical_id)
        chosen[owner] |= {logical_id}
    for name, child in tree.items():
        child.skipped = chosen[name]
    return chosen[""]


def _check(world: World, owner: Stack, logical_id: str) -> None:
    record = owner.records.get(logical_id)
    if record is None:
        raise SkippingError(f"Resource [{logical_id}] does not belong to stack {owner.name}")
    if record.resource.type == STACK_TYPE:
        child = world.by_id(record.resource.physical_id or "")
        if child is not None and not child.status.startswith("DELETE_"):
            raise SkippingError(NESTED)
    if record.status != "UPDATE_FAILED" or owner.status != "UPDATE_ROLLBACK_FAILED":
        raise SkippingError(NOT_FAILED)


def _failed(stack: Stack) -> frozenset[str]:
    """Gives the resources that could not be led back; a nested stack is led back itself, never left out."""
    return frozenset(
        name
        for name, record in stack.records.items()
        if record.status == "UPDATE_FAILED"
        and record.resource.type != STACK_TYPE
        and stack.status == "UPDATE_ROLLBACK_FAILED"
    )


def _nested(world: World, stack: Stack) -> Iterator[Stack]:
    """Yields the stacks nested in a stack, at every depth."""
    for child in world.stacks(stack.account, stack.region):
        if child.parent_id == stack.id and child.status != "DELETE_COMPLETE":
            yield child
            yield from _nested(world, child)
