"""The embedded AWS as it is, and plain moto behind the same handlers."""

import pytest

from rehearsal.application import Rehearsal
from rehearsal.handlers import handler_for


@pytest.fixture(scope="session")
def plain():
    """The same engine and handlers over moto alone: no overlays, and nothing is checked before a handler is called.

    Its records are those of ``services``, since moto's belong to the process; each test empties them first.
    """
    return Rehearsal(handler_for=handler_for, overlay_for=lambda _: None)
