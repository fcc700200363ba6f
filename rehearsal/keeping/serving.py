"""Saves a running rehearsal: ``GET /_rehearsal/state`` answers with the file that makes it again."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

from rehearsal.keeping.journal import Journal
from rehearsal.keeping.kept import standing
from rehearsal.keeping.state import State, packed
from rehearsal.world import World

PATH = "/_rehearsal/state"
_CHUNK = 1 << 20
_IN_MEMORY = 1 << 20


def with_state(journal: Journal, world: World, given: Mapping[str, bytes]) -> Callable[..., Iterable[bytes]]:
    """Returns the journal's application, which answers for the state too.

    Args:
        journal: What keeps the calls.
        world: The stacks.
        given: What the server was started with.
    """

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != PATH or environ["REQUEST_METHOD"] != "GET":
            return journal(environ, start_response)
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            packed(State(journal.kept, standing(world), given), file)
            length = file.tell()
            file.seek(0)
            start_response("200 OK", [("Content-Type", "application/zip"), ("Content-Length", str(length))])
            return list(_chunks(file))

    return application


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk
