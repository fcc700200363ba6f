"""Repeats the calls of a journal, one after the other, in an embedded AWS that has nothing yet."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from rehearsal import chance, clock
from rehearsal.keeping.calls import Call, environ_of, operation
from rehearsal.keeping.journal import seed_of, upload_id_of
from rehearsal.keeping.kept import Kept, StateError
from rehearsal.operations import wait_for_all
from rehearsal.transport import WsgiApplication

#: How long an operation may take that took less than that when it was kept; the longest of ours are below a minute.
_PATIENCE_SECONDS = 120.0
#: How much of an answer is shown.
_SHOWN = 500


def repeat(kept: Kept, application: WsgiApplication, *, patience_seconds: float = _PATIENCE_SECONDS) -> None:
    """Repeats every call at its time, and waits each time until the operations that it began are over.

    Raises:
        StateError: A call is answered otherwise than it was, or an operation does not end.
    """
    uploads: dict[str, str] = {}
    for call in kept.calls:
        clock.advance_to(dt.datetime.fromisoformat(call.at))
        body = kept.bodies(call.body) if call.body else b""
        request = {name: _with_uploads(value, uploads) for name, value in call.request.items()}
        with chance.seeded(seed_of(kept.seed, call.number)):
            status, chunks = _answer(application, environ_of(request, body))
        if status != call.status:
            said = b"".join(chunks).decode("utf-8", "replace").strip()[:_SHOWN]
            raise StateError(
                f"{_named(call, body)} was answered with status {call.status}, and is with {status} now: {said}\n"
                "  hint: the state is of another version of the rehearsal, so make it anew: "
                "trnstack rehearse FILE --save STATE"
            )
        if call.upload_id:
            uploads[call.upload_id] = upload_id_of(request, chunks) or call.upload_id
        if not wait_for_all(patience_seconds):
            raise StateError(f"the operation that {_named(call, body)} began has not ended")


def _named(call: Call, body: bytes) -> str:
    return f"call {call.number} ({operation(call.request, body) or call.request['PATH_INFO']})"


def _with_uploads(value: str, uploads: dict[str, str]) -> str:
    for old, new in uploads.items():
        value = value.replace(old, new)
    return value


def _answer(application: WsgiApplication, environ: dict[str, Any]) -> tuple[int, list[bytes]]:
    status: list[int] = []

    def start_response(line: str, *_: Any) -> Callable[..., Any]:
        status.append(int(line.split(maxsplit=1)[0]))
        return list

    chunks = list(application(environ, start_response))
    return status[-1], chunks
