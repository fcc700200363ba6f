"""Performs an operation that has begun, unless another one has begun on the same stack before it could."""

from collections.abc import Callable

from rehearsal.stack import Stack

Operation = Callable[[], None]


def performed(stack: Stack, operation: Operation) -> Operation:
    """Gives the rest of the operation that has just begun on a stack.

    Args:
        stack: The stack.
        operation: What is done; it ends early where the stack says that it is interrupted.
    """
    mine = stack.operation_id

    def run() -> None:
        stack.performed = mine
        if not stack.is_interrupted:
            operation()

    return run
