"""Runs stack operations beside the API call that began them, and holds the call's answer until they end."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from rehearsal.stack import Stack

HOLD_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Operations:
    """Runs operations in threads of their own.

    Attributes:
        hold_seconds: How long an API call waits for its operation. The CDK CLI looks every five seconds, so an answer
            that comes when all is done saves it the waiting; 0 answers at once, as CloudFormation does. It must stay
            below the 60 seconds after which boto3 gives a call up.
    """

    hold_seconds: float = HOLD_SECONDS

    def run(self, stack: Stack, operation: Callable[[], None]) -> None:
        """Runs an operation on a stack; a bug in it is an ordinary traceback, and leaves the stack failed."""
        thread = threading.Thread(target=_run, args=(stack, operation), name=f"stack {stack.name}", daemon=True)
        thread.start()
        thread.join(self.hold_seconds)


def _run(stack: Stack, operation: Callable[[], None]) -> None:
    try:
        operation()
    finally:
        stack.stop()
