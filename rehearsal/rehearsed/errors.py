"""What keeps an environment from being rehearsed in process, in sentences for whoever reads a test's output."""

from collections.abc import Sequence

from rehearsal.stack import STACK_TYPE, Event


class RehearsedError(Exception):
    """An environment can't be rehearsed; the message says why, and what mends it."""


class StackFailedError(RehearsedError):
    """A stack did not end as it should.

    Attributes:
        stack: Its name.
        status: The status in which it ended.
        failures: The events of the resources that failed, oldest first; ``code`` is the service's error code.
    """

    def __init__(self, stack: str, status: str, failures: Sequence[Event], reason: str | None) -> None:
        told = [
            f"  {event.subject.logical_id} ({event.subject.type}): {event.status}: {event.reason}" for event in failures
        ]
        told = told or [f"  {reason}"] if reason else told
        super().__init__("\n".join([f"stack {stack} ended as {status}", *told]))
        self.stack = stack
        self.status = status
        self.failures = tuple(failures)


def failures(events: Sequence[Event], operation_id: str) -> list[Event]:
    """Returns what failed of the resources during an operation on their stack."""
    return [
        event
        for event in events
        if event.operation_id == operation_id and event.status.endswith("_FAILED") and event.subject.type != STACK_TYPE
    ]
