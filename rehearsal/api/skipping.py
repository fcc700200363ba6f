"""Reads which resources the continuation of a way back is to leave out, in a stack and in the stacks nested in it.

Source: CloudFormation API reference, ContinueUpdateRollback, ``ResourcesToSkip``: a resource of a nested stack is
``NestedStackName.ResourceLogicalID``, and only resources that failed to be led back may be named. The words of the
refusal are unconfirmed.
"""

from collections.abc import Collection

from rehearsal.api.errors import ApiError
from rehearsal.stack import STACK_TYPE, Stack
from rehearsal.world import World


def skipped(world: World, stack: Stack, asked: Collection[str] | None) -> frozenset[str]:
    """Gives the logical ids to leave out in a stack, and keeps those of the stacks nested in it with them.

    Args:
        world: The stacks.
        stack: The stack whose way back goes on.
        asked: The names that the request gives; None for every resource that failed.

    Raises:
        ApiError: A name is of no resource that failed.
    """
    tree = {child.name: child for child in _nested(world, stack) if child.status == "UPDATE_ROLLBACK_FAILED"}
    failed = {name: _failed(child) for name, child in tree.items()}
    own = _failed(stack)
    if asked is None:
        chosen = {"": own, **failed}
    else:
        chosen = {owner: frozenset() for owner in ("", *tree)}
        for name in asked:
            owner, _, logical_id = name.rpartition(".")
            if logical_id not in (failed.get(owner, frozenset()) if owner else own):
                raise ApiError(f"The resource [{name}] can't be skipped: it is not in UPDATE_FAILED state")
            chosen[owner] |= {logical_id}
    for name, child in tree.items():
        child.skipped = chosen[name]
    return chosen[""]


def _failed(stack: Stack) -> frozenset[str]:
    """Gives the resources that could not be led back; a nested stack is led back itself, never left out."""
    return frozenset(
        name
        for name, record in stack.records.items()
        if record.status == "UPDATE_FAILED" and record.resource.type != STACK_TYPE
    )


def _nested(world: World, stack: Stack) -> list[Stack]:
    """Gives the stacks nested in a stack, at every depth."""
    children = [one for one in world.stacks(stack.account, stack.region) if one.parent_id == stack.id]
    return [found for child in children for found in (child, *_nested(world, child))]
