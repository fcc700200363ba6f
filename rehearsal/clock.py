"""What time it is in the rehearsal: the machine's own, or one that a person or a test sets, and moves on.

The embedded AWS has one clock, as it has one set of services: schedules, images and the events of stacks go by it.
"""

import datetime as dt
import os
import threading

#: Names a time with its zone, such as 2027-03-01T00:00:00Z, at which the embedded AWS stands still.
VARIABLE = "TRNSTACK_REHEARSAL_NOW"

_MOMENT = dt.timedelta(milliseconds=1)


class _State:
    """How far the clock was moved, and the last event's time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.moved = dt.timedelta()
        self.last = dt.datetime.min.replace(tzinfo=dt.UTC)


_STATE = _State()


def now() -> dt.datetime:
    """Gives the time in UTC.

    Raises:
        ValueError: The variable holds no time with a zone.
    """
    return _begun() + _STATE.moved


def advance_to(moment: dt.datetime) -> None:
    """Moves the clock on to a time; one that is past already moves nothing, since the clock never goes back."""
    with _STATE.lock:
        _STATE.moved = max(_STATE.moved, moment - _begun())


def stamp() -> dt.datetime:
    """Gives the time of a new event: no two are within one millisecond, so that events sort by their times.

    It is never before the machine's own time, even where the clock was set to an earlier one: the CDK CLI shows no
    event from before it began.
    """
    with _STATE.lock:
        _STATE.last = max(now(), dt.datetime.now(dt.UTC), _STATE.last + _MOMENT)
        return _STATE.last


def reset() -> None:
    """Takes back what moved the clock."""
    with _STATE.lock:
        _STATE.moved = dt.timedelta()


def _begun() -> dt.datetime:
    """Gives the time by which nothing was moved yet."""
    text = os.environ.get(VARIABLE)
    if not text:
        return dt.datetime.now(dt.UTC)
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{VARIABLE} has no time zone: {text}")
    return moment.astimezone(dt.UTC)
