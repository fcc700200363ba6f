"""What time it is in the rehearsal: the machine's own, or one that a person or a test sets, and moves on.

The embedded AWS has one clock, as it has one set of services: schedules, images and the events of stacks go by it. An
operation on a stack takes minutes or hours on AWS and none here: whoever performs it runs ahead of the clock, and the
clock follows when it ends. Two operations at once each run ahead by themselves, so that they go side by side.
"""

import datetime as dt
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Names a time with its zone, such as 2027-03-01T00:00:00Z, at which the embedded AWS stands still.
VARIABLE = "TRNSTACK_REHEARSAL_NOW"

MOMENT = dt.timedelta(milliseconds=1)
"""What lies at least between two events, so that they sort by their times as they came."""


class _State:
    """How far the clock was moved, and when something was last recorded."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.moved = dt.timedelta()
        self.recorded = dt.datetime.min.replace(tzinfo=dt.UTC)


class _Ahead:
    """The time of whoever runs ahead of the clock, and the latest that it was."""

    def __init__(self, begun: dt.datetime) -> None:
        self.now = self.latest = begun


_STATE = _State()
_AHEAD: ContextVar[_Ahead | None] = ContextVar("ahead", default=None)


def now() -> dt.datetime:
    """Gives the time in UTC; to whoever runs ahead, his own.

    Raises:
        ValueError: The variable holds no time with a zone.
    """
    ahead_of_it = _AHEAD.get()
    return _begun() + _STATE.moved if ahead_of_it is None else ahead_of_it.now


def advance_to(moment: dt.datetime) -> None:
    """Moves the clock on to a time; one that is past already moves nothing, since the clock never goes back."""
    with _STATE.lock:
        _STATE.moved = max(_STATE.moved, moment - _begun())


@contextmanager
def ahead() -> Iterator[None]:
    """Lets time pass within, by ``pass_to``, for nobody else: the clock follows at the end, to the latest time.

    Within another such block, that one's time goes on from there.
    """
    outer, own = _AHEAD.get(), _Ahead(now())
    token = _AHEAD.set(own)
    try:
        yield
    finally:
        _AHEAD.reset(token)
        if outer is None:
            advance_to(own.latest)
        else:
            _pass(outer, max(own.latest, outer.now))


def pass_to(moment: dt.datetime) -> None:
    """Goes to a time within ``ahead``; back too, for what goes on side by side.

    Raises:
        LookupError: Nobody runs ahead here.
    """
    ahead_of_it = _AHEAD.get()
    if ahead_of_it is None:
        raise LookupError("time passes within ahead() alone")
    _pass(ahead_of_it, moment)


def recorded() -> dt.datetime:
    """Gives the machine's time, for what is recorded now; no two are within one millisecond."""
    with _STATE.lock:
        _STATE.recorded = max(dt.datetime.now(dt.UTC), _STATE.recorded + MOMENT)
        return _STATE.recorded


def reset() -> None:
    """Takes back what moved the clock."""
    with _STATE.lock:
        _STATE.moved = dt.timedelta()


def _pass(whose: _Ahead, moment: dt.datetime) -> None:
    whose.now, whose.latest = moment, max(whose.latest, moment)


def _begun() -> dt.datetime:
    """Gives the time by which nothing was moved yet."""
    text = os.environ.get(VARIABLE)
    if not text:
        return dt.datetime.now(dt.UTC)
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{VARIABLE} has no time zone: {text}")
    return moment.astimezone(dt.UTC)
