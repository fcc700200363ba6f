"""Runs stack operations beside the API call that began them, and holds the call's answer until they end."""

import contextvars
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rehearsal import clock, pause
from rehearsal.stack import Stack

HOLD_SECONDS = 20.0

_THREAD = "stack "
_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Operations:
    """Runs operations in threads of their own, those of one stack one after the other.

    Attributes:
        hold_seconds: How long an API call waits for its operation. The CDK CLI looks every five seconds, so an answer
            that comes when all is done saves it the waiting; 0 answers at once, as CloudFormation does. It must stay
            below the 60 seconds after which boto3 gives a call up.
    """

    hold_seconds: float = HOLD_SECONDS
    _last: dict[str, threading.Thread] = field(default_factory=dict, repr=False)

    def run(self, stack: Stack, operation: Callable[[], None]) -> None:
        """Runs an operation on a stack; a bug in it is an ordinary traceback, and leaves the stack failed.

        Where it ends one that is under way, as ``DeleteStack`` ends a creation, it begins when that one has ended.
        """
        # The operation belongs to the call that began it, and draws its ids with it.
        context = contextvars.copy_context()
        with stack.lock:
            for ended in [stack_id for stack_id, one in self._last.items() if not one.is_alive()]:
                del self._last[ended]
            before = self._last.get(stack.id)
            thread = threading.Thread(
                target=context.run, args=(_run, stack, operation, before), name=f"{_THREAD}{stack.name}", daemon=True
            )
            self._last[stack.id] = thread
            thread.start()
        deadline = time.monotonic() + self.hold_seconds
        # An operation that is held half way ends when somebody says so, and not while its caller waits; what this one
        # ends is let go.
        while thread.is_alive() and (before or not pause.holding()) and (left := deadline - time.monotonic()) > 0:
            thread.join(min(left, _LOOK_SECONDS))


def wait_for_all(seconds: float) -> bool:
    """Waits until no operation goes on, all having ended or being held, and says whether it is so in some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        running = [thread for thread in threading.enumerate() if thread.name.startswith(_THREAD)]
        if not running or pause.holding():
            return True
        running[0].join(_LOOK_SECONDS)
    return False


def _run(stack: Stack, operation: Callable[[], None], before: threading.Thread | None) -> None:
    if before is not None:
        before.join()
    try:
        with clock.ahead():
            operation()
    finally:
        stack.stop()
