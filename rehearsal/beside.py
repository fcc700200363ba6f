"""What of the embedded AWS answers beside the services, below ``/_rehearsal/``, and the end of what nothing answers."""

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from rehearsal import passing, pause
from rehearsal.faults import control
from rehearsal.keeping import serving

PREFIX = "/_rehearsal"
#: A server answers here itself, where the request is not signed (``rehearsal.resetting``).
_RESET = f"{PREFIX}/reset"
_PATHS = (control.PATH, passing.PATH, pause.PATH, serving.PATH, _RESET)


def is_asked(environ: Mapping[str, Any]) -> bool:
    """Says whether a request is about the embedded AWS itself: no bucket's name begins with an underscore.

    Source: S3 user guide, "General purpose bucket naming rules": "must begin and end with a letter or number".
    """
    path = environ.get("PATH_INFO", "")
    return bool(path == PREFIX or path.startswith(f"{PREFIX}/"))


def answer(environ: Mapping[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Refuses a path below ``/_rehearsal`` at which nothing else answers."""
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    status, words = HTTPStatus.NOT_FOUND, f"there is nothing at {path}; there are {', '.join(_PATHS)}"
    if path == serving.PATH:
        words = "the state is not kept: start with --save or --load, or the server with --journal"
        if method != "GET":
            status, words = HTTPStatus.METHOD_NOT_ALLOWED, f"{path} takes GET, not {method}"
    elif path == _RESET and not environ.get("HTTP_AUTHORIZATION", "").startswith("AWS4-HMAC-SHA256"):
        words = "this AWS is reset by the process that it is in: rehearsal.reset()"
    elif path in _PATHS:
        status, words = HTTPStatus.BAD_REQUEST, f"{path} takes requests without a signature of AWS's"
    body = json.dumps({"message": words}).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]
