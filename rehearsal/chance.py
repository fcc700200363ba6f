"""What is left to chance in the rehearsal: ids. A journal of calls repeats them, so that a saved AWS is the same again.

Whoever keeps a journal gives each call a seed of its own. The ids that CloudFormation makes for that call, and those
that moto makes in the calls which CloudFormation makes for it, then follow from the seed and from their order alone,
whatever else goes on beside. Without a seed every id is a new one.
"""

import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from moto.moto_api._internal import mock_random


class _Seeded:
    """What one seeded call draws from."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.ids = random.Random(seed)  # noqa: S311 - ids that are to come again, and no secrets
        self.calls = 0


#: A thread that works for a call has the call's; see ``Operations``.
_SEEDED: ContextVar[_Seeded | None] = ContextVar("seeded", default=None)


@contextmanager
def seeded(seed: str) -> Iterator[None]:
    """Lets every id within follow from a seed, those of threads that copy this context too."""
    token = _SEEDED.set(_Seeded(seed))
    try:
        yield
    finally:
        _SEEDED.reset(token)


def new_uuid() -> uuid.UUID:
    """Gives a new UUID, which within a seeded call is the same whenever the call is repeated."""
    drawn = _SEEDED.get()
    return uuid.uuid4() if drawn is None else uuid.UUID(int=drawn.ids.getrandbits(128), version=4)


def before_call() -> None:
    """Lets moto's ids of the service call that comes follow from the seed; who calls one at a time calls this first."""
    drawn = _SEEDED.get()
    if drawn is not None:
        drawn.calls += 1
        mock_random.seed(f"{drawn.seed}/{drawn.calls}")
