"""What time it is in the rehearsal: the machine's own, or one that a person or a test sets."""

import datetime as dt
import os

#: Names a time with its zone, such as 2027-03-01T00:00:00Z, at which the embedded AWS stands still.
VARIABLE = "TRNSTACK_REHEARSAL_NOW"


def now() -> dt.datetime:
    """Gives the time in UTC.

    Raises:
        ValueError: The variable holds no time with a zone.
    """
    text = os.environ.get(VARIABLE)
    if not text:
        return dt.datetime.now(dt.UTC)
    moment = dt.datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{VARIABLE} has no time zone: {text}")
    return moment.astimezone(dt.UTC)
