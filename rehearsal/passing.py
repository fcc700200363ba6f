"""Lets time pass in the embedded AWS: the clock moves on, and what falls due on the way happens in its order.

Schedules of EventBridge Scheduler call their targets, again where they were refused, and EC2 ends the instances of a
Capacity Block before it ends. A deploy moves the clock as well, by the time that it would take; what falls due then
happens the next time that somebody lets time pass, with the times at which it was due.
"""

import datetime as dt
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import chain
from typing import Any, Protocol

from rehearsal import clock
from rehearsal.overlays.ec2.reservations import ending
from rehearsal.overlays.scheduler_clock import Fired, due, waiting

PATH = "/_rehearsal/clock"
ClientFactory = Callable[[str, str, str], Any]

#: More than this in one go is a slip: a rate of a minute, and a clock that is moved by years.
MOST = 10_000


class PassingError(ValueError):
    """Time can't pass as it was asked for; the message says why."""


class _Due(Protocol):
    @property
    def moment(self) -> dt.datetime:
        """When it is due."""

    def happen(self, client: ClientFactory) -> Fired | str | None:
        """Does it, and tells what was done; None where there is nothing to tell."""


def pass_to(moment: dt.datetime, client: ClientFactory) -> list[Fired]:
    """Moves the clock on to a time, and does all that falls due until then, at its own time.

    Args:
        moment: The time, with its zone. One that is past moves nothing, and what is due by now happens.
        client: Gives an in-process client for a service, an account and a region.

    Returns:
        What happened, in its order.

    Raises:
        PassingError: The time has no zone, or more than ``MOST`` things fall due until then.
    """
    if moment.tzinfo is None:
        raise PassingError(f"{moment.isoformat()} has no time zone: write 2027-03-01T00:00:00Z")
    until, happened, times = max(moment, clock.now()), list[Fired](), 0
    while True:
        due_by_then = [one for one in _all() if one.moment <= until]
        if not due_by_then:
            break
        times += 1
        if times > MOST:
            raise PassingError(
                f"more than {MOST:,} calls of schedules fall due until {moment.isoformat()}: go in steps"
            )
        first = min(due_by_then, key=lambda one: one.moment)
        at = first.moment
        clock.advance_to(at)
        told = first.happen(client)
        if told is not None:
            happened.append(Fired(at, told) if isinstance(told, str) else told)
    clock.advance_to(until)
    return happened


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is about the clock, and not signed as requests for AWS are."""
    signed = environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4-HMAC-SHA256")
    return not signed and environ.get("PATH_INFO") == PATH


def answer(client: ClientFactory, environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers a WSGI request about the clock.

    ``GET`` gives ``{"now": "2027-03-01T00:00:00+00:00", "happened": []}``; ``PUT`` of ``{"now": TIME}`` lets time pass
    until then, and gives what happened on the way as objects of ``at``, ``what`` and ``refusal``.
    """
    status, told = HTTPStatus.OK, dict[str, Any]()
    try:
        happened = _obey(client, environ)
    except PassingError as error:
        status, told = HTTPStatus.BAD_REQUEST, {"message": str(error)}
    else:
        shown = [{"at": one.moment.isoformat(), "what": one.what, "refusal": one.refusal} for one in happened]
        told = {"now": clock.now().isoformat(), "happened": shown}
    body = json.dumps(told).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]


def _all() -> Iterator[_Due]:
    return chain(due(), waiting(), ending())


def _obey(client: ClientFactory, environ: Mapping[str, Any]) -> list[Fired]:
    method = environ["REQUEST_METHOD"]
    if method == "GET":
        return []
    if method != "PUT":
        raise PassingError(f"{PATH} takes GET and PUT, not {method}")
    try:
        asked = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        moment = dt.datetime.fromisoformat(asked["now"])
    except (ValueError, KeyError, TypeError) as error:
        raise PassingError('the body should be {"now": "2027-03-01T00:00:00Z"}') from error
    return pass_to(moment, client)
