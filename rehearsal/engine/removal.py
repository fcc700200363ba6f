"""Removes resources as their policies say: deleted, kept, or kept as a snapshot."""

from collections.abc import Iterable
from functools import partial

from rehearsal.engine.order import dependents_first
from rehearsal.engine.runner import OnFailure, Runner
from rehearsal.engine.step import Job, Steps
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
    """Removes resources side by side, each after its dependents; one that fails keeps those that it depends on.

    Args:
        steps: What performs the operations.
        stack: The stack of the resources.
        fates: Each resource with ``Delete``, ``Retain`` or ``Snapshot``.

    Returns:
        The logical ids of those that could not be removed.
    """
    policies = {id(record): (record, policy) for record, policy in fates if record.exists}
    ordered = dependents_first(record for record, _ in policies.values())
    jobs = {id(record): partial(remove, steps, stack, *policies[id(record)]) for record in ordered}
    runner = Runner(jobs, _dependents(ordered), OnFailure.LEAVE_DEPENDENTS)
    runner.run()
    return [failure.logical_id for failure in runner.failures]


def remove(steps: Steps, stack: Stack, record: Record, policy: str) -> Job:
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

    yield from steps.step(stack, record, "DELETE", act)


def _dependents(records: list[Record]) -> dict[int, list[int]]:
    """Gives what has to go before each record; two records may share a logical id."""
    users: dict[str, list[int]] = {}
    for record in records:
        for name in record.dependencies:
            users.setdefault(name, []).append(id(record))
    return {id(record): users.get(record.logical_id, []) for record in records}
