"""Makes an embedded AWS what it was when its server started: ``POST /_rehearsal/reset``.

moto's own ``POST /moto-api/reset`` does the same, since what it does of itself would leave the stacks.
"""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from ami.lock import LockError
from rehearsal import pause
from rehearsal.application import Rehearsal
from rehearsal.keeping import StateError
from rehearsal.operations import wait_for_all
from rehearsal.transport import WsgiApplication

PATH, OF_MOTO = "/_rehearsal/reset", "/moto-api/reset"
_WAIT_SECONDS = 20.0


class Resettable:
    """Answers for an embedded AWS, and makes it anew whenever it is told to.

    Args:
        rehearsal: The embedded AWS.
        begin: Furnishes it as it was first, and gives the application that answers for it.

    Raises:
        ami.lock.LockError, StateError, OSError: What ``begin`` raises.
    """

    def __init__(self, rehearsal: Rehearsal, begin: Callable[[], WsgiApplication]) -> None:
        self._rehearsal, self._begin = rehearsal, begin
        self._one_at_a_time = threading.Lock()
        self._application = begin()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answers a WSGI request."""
        if not is_asked(environ):
            return self._application(environ, start_response)
        status, told = self._answer(environ["REQUEST_METHOD"])
        body = json.dumps(told).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response(f"{status.value} {status.phrase}", headers)
        return [body]

    def _answer(self, method: str) -> tuple[HTTPStatus, dict[str, str]]:
        if method != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED, {"message": f"{PATH} takes POST, not {method}"}
        with self._one_at_a_time:
            pause.go_on()
            if not wait_for_all(_WAIT_SECONDS):
                words = "a stack's operation is going on: reset when it has ended"
                return HTTPStatus.CONFLICT, {"message": words}
            self._rehearsal.reset()
            try:
                self._application = self._begin()
            except (LockError, StateError, OSError) as error:
                words = f"the AWS is empty, as what it began with can't be had again: {error}"
                return HTTPStatus.CONFLICT, {"message": words}
        return HTTPStatus.OK, {"status": "ok"}


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is a reset's, and not signed as requests for AWS are."""
    signed = environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4-HMAC-SHA256")
    return not signed and environ.get("PATH_INFO") in {PATH, OF_MOTO}
