"""Ends updates and stacks: removes what is no longer wanted, as its policies say."""

from collections.abc import Collection

from rehearsal.engine import removal
from rehearsal.engine.outputs import in_use
from rehearsal.engine.rollback import CLEANUP_FAILED
from rehearsal.engine.step import Steps
from rehearsal.stack import Stack
from rehearsal.states import STEADY
from rehearsal.world import World

DELETE_FAILED = "The following resource(s) failed to delete: [{}]. "


def finish_update(steps: Steps, stack: Stack, present: Collection[str]) -> None:
    """Removes what an update has replaced or left out, and gives the stack its last status.

    Args:
        steps: What performs the operations.
        stack: The stack, whose resources are all as its template asks for.
        present: The logical ids of the resources that its template asks for.
    """
    removed = [record for name, record in stack.records.items() if name not in present]
    fates = [(record, removal.leaving(record)) for record in removed]
    fates += [(record, removal.replaced(record)) for record in stack.superseded]
    failed = removal.remove_all(steps, stack, fates)
    for record in removed:
        del stack.records[record.logical_id]
    stack.superseded.clear()
    stack.settle()
    stack.move("UPDATE_COMPLETE", CLEANUP_FAILED if failed else None)


def delete(world: World, steps: Steps, stack: Stack, before: str, retained: Collection[str], *, force: bool) -> None:
    """Removes the resources of a stack in ``DELETE_IN_PROGRESS``, those that it has lost track of included.

    Args:
        world: The stacks, of which others may use what this one exports.
        steps: What performs the operations.
        stack: The stack.
        before: Its status before, which it gets again where others need it.
        retained: The logical ids of resources that are left in the account.
        force: Whether resources that can't be removed are left in the account as well.
    """
    blocked = _export_in_use(world, stack)
    if blocked is not None:
        stack.move(before if before in STEADY else "DELETE_FAILED", blocked)
        return
    fates = [
        (record, removal.RETAIN if record.logical_id in retained else removal.leaving(record))
        for record in [*stack.records.values(), *stack.superseded]
    ]
    failed = removal.remove_all(steps, stack, fates)
    if failed and not force:
        stack.move("DELETE_FAILED", DELETE_FAILED.format(", ".join(failed)))
        return
    for child in [world.by_id(child_id) for child_id in stack.reviewed.values()]:
        if child is not None:
            discard(world, child)
    stack.outputs, stack.imports = (), frozenset()
    stack.move("DELETE_COMPLETE")


def discard(world: World, stack: Stack) -> None:
    """Deletes a stack that waits in review and has nothing, with the stacks that wait in it."""
    stack.begin("DELETE_IN_PROGRESS")
    for child in [world.by_id(child_id) for child_id in stack.reviewed.values()]:
        if child is not None:
            discard(world, child)
    stack.move("DELETE_COMPLETE")


def _export_in_use(world: World, stack: Stack) -> str | None:
    for output in stack.outputs:
        users = world.importers(output.export, stack.account, stack.region) if output.export else []
        if output.export and users:
            return in_use("Delete", output.export, users)
    return None
