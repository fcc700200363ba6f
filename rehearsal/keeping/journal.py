"""Writes down the calls that change anything, as they come in, in a folder."""

import hashlib
import io
import re
import secrets
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rehearsal import chance, clock
from rehearsal.keeping.calls import Call, changes, request_of, scope_of
from rehearsal.keeping.kept import Kept
from rehearsal.transport import WsgiApplication

_UPLOAD_ID = re.compile(rb"<UploadId>([^<]+)</UploadId>")


class Journal:
    """Stands before the rehearsal's application, and keeps what changes anything.

    Args:
        application: The application.
        folder: A folder of its own. Bodies are in it by their SHA-256, so that a file that comes twice is kept once,
            also after a reset.
        before: What was repeated before; it is the beginning of this journal too.
        counts: Whether something counts every call now, as faults do; calls that only read are kept then too.
    """

    def __init__(
        self,
        application: WsgiApplication,
        folder: Path,
        *,
        before: Kept | None = None,
        counts: Callable[[], bool] = lambda: False,
    ) -> None:
        self._application = application
        self._counts = counts
        self._bodies = folder / "bodies"
        self._bodies.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._seed = before.seed if before else secrets.token_hex(16)
        self._calls = list(before.calls) if before else []
        self._began = max((call.number for call in self._calls), default=0)
        self._furnished = {scope_of(call.request) for call in self._calls}
        if before:
            for digest in {call.body for call in before.calls if call.body}:
                (self._bodies / digest).write_bytes(before.bodies(digest))

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answers a WSGI request."""
        body = _body(environ)
        scope = scope_of(environ)
        with self._lock:
            # The first call of a service in a region, though it only reads, lets moto furnish it: with a VPC, say.
            known = scope is None or (scope in self._furnished and not self._counts())
            if known and not changes(environ, body):
                number = 0
            else:
                self._furnished.add(scope)
                self._began += 1
                number = self._began
        if not number:
            return self._application(environ, start_response)
        at, request = clock.now().isoformat(), request_of(environ)
        status: list[int] = []

        def answered(line: str, *rest: Any) -> Any:
            status.append(int(line.split(maxsplit=1)[0]))
            return start_response(line, *rest)

        with chance.seeded(seed_of(self._seed, number)):
            chunks = list(self._application(environ, answered))
        upload = upload_id_of(request, chunks)
        self._write(Call(number, at, request, self._stored(body), status[-1], upload))
        return chunks

    @property
    def kept(self) -> Kept:
        """What was kept until now; of calls that are under way, nothing."""
        with self._lock:
            calls = sorted(self._calls, key=lambda call: call.number)
        return Kept(self._seed, calls, lambda digest: (self._bodies / digest).read_bytes())

    def _write(self, call: Call) -> None:
        with self._lock:
            self._calls.append(call)

    def _stored(self, body: bytes) -> str | None:
        if not body:
            return None
        digest = hashlib.sha256(body).hexdigest()
        file = self._bodies / digest
        if not file.exists():
            file.write_bytes(body)
        return digest


def seed_of(seed: str, number: int) -> str:
    """Returns the seed of one call's ids."""
    return f"{seed}/{number}"


def upload_id_of(request: dict[str, str], chunks: Iterable[bytes]) -> str | None:
    """Returns the id of the multipart upload that an answer begins; None of any other answer."""
    if "uploads" not in request.get("QUERY_STRING", "").split("="):
        return None
    found = _UPLOAD_ID.search(b"".join(chunks))
    return found[1].decode() if found else None


def _body(environ: dict[str, Any]) -> bytes:
    """Returns a request's body, and leaves it there for whoever answers the request."""
    source, length = environ["wsgi.input"], environ.get("CONTENT_LENGTH")
    if environ.get("wsgi.input_terminated"):
        body: bytes = source.read()
    else:
        body = source.read(int(length)) if length else b""
    environ["wsgi.input"] = io.BytesIO(body)
    environ["CONTENT_LENGTH"] = str(len(body))
    return body
