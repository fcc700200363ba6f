"""Removes resources as their policies say: deleted, kept, or kept as a snapshot."""

from collections.abc import Iterable

from rehearsal.engine.order import dependents_first
from rehearsal.engine.step import StepError, Steps
from rehearsal.stack import Record, Stack

DELETE, RETAIN, SNAPSHOT = "Delete", "Retain", "Snapshot"
RETAIN_EXCEPT_ON_CREATE = "RetainExceptOnCreate"


def leaving(record: Record) -> str:
    """Gives what becomes of a resource that leaves its stack or goes with it."""
    policy = record.spec.deletion_policy or DELETE
    return RETAIN if policy == RETAIN_EXCEPT_ON_CREATE else policy


def undone(record: Record, *, retain_except_on_create: bool) -> str:
    """Gives what becomes of a resource whose creation is rolled back."""
    policy = record.spec.deletion_policy or DELETE
    if policy == RETAIN_EXCEPT_ON_CREATE or (policy == RETAIN and retain_except_on_create):
        return DELETE
    return policy


def replaced(record: Record) -> str:
    """Gives what becomes of the old one of a resource that was replaced."""
    return record.spec.update_replace_policy or DELETE


def remove_all(steps: Steps, stack: Stack, fates: Iterable[tuple[Record, str]]) -> list[str]:
    """Removes resources, dependents first; one that fails keeps those that it depends on.

    Args:
        steps: What performs the operations.
        stack: The stack of the resources.
        fates: Each resource with ``Delete``, ``Retain`` or ``Snapshot``.

    Returns:
        The logical ids of those that could not be removed.
    """
    policies = {id(record): (record, policy) for record, policy in fates if record.exists}
    failed: list[str] = []
    needed: set[str] = set()
    for record in dependents_first(record for record, _ in policies.values()):
        if record.logical_id in needed:
            needed |= record.dependencies
            continue
        try:
            remove(steps, stack, record, policies[id(record)][1])
        except StepError:
            failed.append(record.logical_id)
            needed |= record.dependencies
    return failed


def remove(steps: Steps, stack: Stack, record: Record, policy: str) -> None:
    """Removes one resource as its policy says.

    Raises:
        StepError: It can't be removed.
    """
    if policy == RETAIN:
        stack.mark(record, "DELETE_SKIPPED")
        return

    def act() -> None:
        if policy == SNAPSHOT:
            steps.snapshot(stack, record.resource)
        steps.delete(stack, record.resource)

    steps.step(stack, record, "DELETE", act)
