"""Carries boto3 calls to the rehearsal within one process: no socket, no mock of boto3, no patch.

botocore asks its ``before-send`` event for a response before it opens a connection; the handler here answers with what
the rehearsal's WSGI application answers.
"""

import io
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from rehearsal.sessions import session

ACCESS_KEY = "AKIAREHEARSAL0000000"
SECRET_KEY = "rehearsal"  # noqa: S105  (nothing checks it)
#: The account that the embedded AWS acts in where nobody names another: the number that AWS's guides use as an example,
#: which nobody has, so that what was locked and built for a rehearsal fits no real account. It is moto's own.
ACCOUNT = "123456789012"
ACCOUNT_HEADER = "X-Moto-Account-Id"

_ATTEMPTS = 5
_TRY_AGAIN = frozenset({429, 500, 502, 503, 504})
_THROTTLED = re.compile(r"^(Throttl.*|RequestLimitExceeded|SlowDown|TooManyRequestsException)$")

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Transport:
    """Makes boto3 sessions and clients whose calls go to a WSGI application.

    Args:
        application: The application that answers for every service.
    """

    def __init__(self, application: WsgiApplication) -> None:
        self._application = application
        self._clients: dict[tuple[str, str, str], Any] = {}
        self._lock = threading.RLock()

    def client(self, service: str, account: str, region: str) -> Any:
        """Gives a client that acts within an account and a region; the same one whenever it is asked for again.

        It tries calls again as any other does, and waits for none of them.
        """
        key = (service, account, region)
        with self._lock:
            if key not in self._clients:
                made = self.session(region, account=account).client(service)
                name = made.meta.service_model.service_id.hyphenize()
                made.meta.events.register_first(f"needs-retry.{name}", _at_once)
                self._clients[key] = made
            return self._clients[key]

    def session(
        self,
        region: str,
        *,
        account: str | None = None,
        access_key: str = ACCESS_KEY,
        secret_key: str = SECRET_KEY,
        session_token: str | None = None,
    ) -> boto3.Session:
        """Gives a boto3 session whose every call goes to the application.

        Args:
            region: The session's region.
            account: The account in which it acts. Without it the access key decides, as it does on AWS: keys that
                AssumeRole gave act in the role's account, keys that nobody gave in moto's own, 123456789012.
            access_key: The access key id.
            secret_key: The secret key, which nothing checks.
            session_token: The session token of keys that AssumeRole gave.
        """
        made = session(access_key, secret_key, session_token, region)
        self.lead_here(made, account=account)
        return made

    def lead_here(self, made: boto3.Session, *, account: str | None = None) -> None:
        """Lets every call of a session that somebody else has made go to the application.

        Args:
            made: The session.
            account: The account in which it acts, as above.
        """
        headers = {} if account is None else {ACCOUNT_HEADER: account}

        def before_send(request: AWSPreparedRequest, **_: Any) -> AWSResponse:
            return self._answer(request, headers)

        made.events.register("before-send", before_send)

    def _answer(self, request: AWSPreparedRequest, headers: dict[str, str]) -> AWSResponse:
        status: list[str] = []
        answered: dict[str, str] = {}

        def start_response(line: str, pairs: list[tuple[str, str]], *_: Any) -> None:
            status.append(line)
            answered.update(pairs)

        chunks = self._application(_environ(request, headers), start_response)
        return AWSResponse(request.url, int(status[-1].split()[0]), answered, _Body(b"".join(chunks)))


def _at_once(response: Any, attempts: int, **_: Any) -> int | None:
    """Lets a call be tried again without waiting, where botocore would wait before it does; None leaves it to botocore.

    Source: botocore, "Retries", legacy mode, and ``botocore/data/_retry.json``.
    """
    if response is None or attempts >= _ATTEMPTS:
        return None
    http, parsed = response
    again = http.status_code in _TRY_AGAIN or _THROTTLED.search(parsed.get("Error", {}).get("Code", ""))
    return 0 if again else None


class _Body(io.BytesIO):
    """A response's body as botocore reads it."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        """Gives all of the body."""
        yield self.read()


def _environ(request: AWSPreparedRequest, extra: dict[str, str]) -> dict[str, Any]:
    url = urlsplit(request.url)
    body = _bytes(request.body)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "PATH_INFO": unquote(url.path or "/", "latin-1"),
        "RAW_URI": f"{url.path or '/'}{'?' if url.query else ''}{url.query}",
        "QUERY_STRING": url.query,
        "SERVER_NAME": url.hostname,
        "SERVER_PORT": str(url.port or (443 if url.scheme == "https" else 80)),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": url.netloc,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": url.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in [*request.headers.items(), *extra.items()]:
        key = name.upper().replace("-", "_")
        text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        environ[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = text
    environ["CONTENT_LENGTH"] = str(len(body))
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    return environ


def _bytes(body: Any) -> bytes:
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, bytes | bytearray):
        return bytes(body)
    content: bytes = body.read()
    return content
