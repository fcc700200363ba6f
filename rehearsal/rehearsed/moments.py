"""The moments to which a test lets time pass, as people write them."""

import datetime as dt

from rehearsal.passing import PassingError


def moment_of(asked: dt.datetime | str) -> dt.datetime:
    """Returns a moment with its zone.

    Args:
        asked: It, or its text by ISO 8601, such as ``2027-03-01T00:00:00Z``.

    Raises:
        PassingError: It is no moment, or has no zone.
    """
    moment: object = asked
    if isinstance(asked, str):
        try:
            moment = dt.datetime.fromisoformat(asked)
        except ValueError:
            moment = None
    if not isinstance(moment, dt.datetime):
        raise PassingError(f"{asked!r} is no moment: give a datetime with its zone, or a text as 2027-03-01T00:00:00Z")
    if moment.tzinfo is None:
        raise PassingError(f"{asked!s} has no time zone: write it as 2027-03-01T00:00:00Z, or with tzinfo=dt.UTC")
    return moment
