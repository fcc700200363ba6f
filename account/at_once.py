"""Makes many calls at once, and makes nobody wait for them who has given up."""

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key")


def as_answered(calls: Mapping[Key, Callable[[], Any]], *, threads: int) -> Iterator[tuple[Key, Any]]:
    """Yields each call's key with what it returned, as soon as it did.

    The threads are daemons, for which no process waits at its end, as it would for a pool of Python's own: whoever
    interrupts does not wait for an answer that may never come. What was not called by then is not called any more.

    Args:
        calls: The calls by what they are known by.
        threads: How many are under way at a time, at most.

    Raises:
        BaseException: Whatever a call raised.
    """
    waiting: queue.SimpleQueue[tuple[Key, Callable[[], Any]]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Key, Any, BaseException | None]] = queue.SimpleQueue()
    ended = threading.Event()
    for item in calls.items():
        waiting.put(item)

    def work() -> None:
        while not ended.is_set():
            try:
                key, each = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((key, each(), None))
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits for it
                done.put((key, None, error))

    try:
        for _ in range(min(threads, len(calls))):
            threading.Thread(target=work, daemon=True).start()
        for _ in calls:
            key, value, error = done.get()
            if error is not None:
                raise error
            yield key, value
    finally:
        ended.set()
