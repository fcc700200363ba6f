"""HTTP as registries need it: time-outs, retries and waits that end, bodies that end, the environment's proxy."""

import datetime as dt
import email.utils
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import HTTPError, LocationValueError, NewConnectionError, SSLError
from urllib3.exceptions import TimeoutError as HTTPTimeoutError

from ami.registry.addresses import pool, proxy_of
from ami.registry.errors import RegistryError

#: The wait before the first further attempt; each later one is twice as long.
FIRST_WAIT_SECONDS = 0.5
#: A server that asks for a longer wait is not waited for.
LONGEST_WAIT_SECONDS = 60.0
#: No registry has to serve a longer manifest (OCI distribution specification, "Pushing Manifests": 4 MiB).
LONGEST_MANIFEST_BYTES = 4 * 1024 * 1024
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
_CHUNK_BYTES = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a server answered.

    Attributes:
        url: The URL that was asked.
        status: The HTTP status.
        headers: The headers, by name in any case.
        body: The body, as a whole.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_passing(self) -> bool:
        """Whether the same request may be answered otherwise in a while."""
        return self.status == _TOO_MANY_REQUESTS or self.status >= _SERVER_ERROR


class Transport:
    """Sends requests, from any number of threads.

    Args:
        retries: How often a request is sent again that met no server, a throttling one or a failing one.
        timeout_seconds: How long connecting, each wait for the server, and a body as a whole may take.
        wait: Waits a number of seconds.
    """

    def __init__(self, *, retries: int, timeout_seconds: float, wait: Callable[[float], None]) -> None:
        self._retries = retries
        self._timeout_seconds = timeout_seconds
        self._wait = wait
        self._pools: dict[str | None, urllib3.PoolManager] = {}
        self._lock = threading.Lock()

    def ask(
        self,
        method: str,
        url: str,
        *,
        what: str,
        headers: Mapping[str, str] | None = None,
        longest_bytes: int = LONGEST_MANIFEST_BYTES,
    ) -> Answer:
        """Returns the answer to a request; a redirect is an answer, not followed.

        Args:
            method: ``HEAD`` or ``GET``.
            url: What is asked.
            what: What it is asked for, for messages.
            headers: Headers beside those that every request has.
            longest_bytes: The longest body that is read.

        Raises:
            RegistryError: The server can't be reached, keeps failing or throttling, or its body is too long.
        """
        attempt = 0
        while True:
            outcome = self._outcome(method, url, what, headers or {}, longest_bytes)
            if isinstance(outcome, Answer) and not outcome.is_passing:
                return outcome
            if attempt == self._retries or isinstance(outcome, SSLError | LocationValueError):
                raise self._given_up(outcome, what, url)
            self._wait(_seconds_to_wait(outcome, attempt, what))
            attempt += 1

    def _outcome(
        self, method: str, url: str, what: str, headers: Mapping[str, str], longest_bytes: int
    ) -> Answer | HTTPError:
        try:
            response = self._pool(url).request(
                method,
                url,
                # A digest is of the bytes as they are kept, so none may be packed on the way.
                headers={"User-Agent": "trnstack", "Accept-Encoding": "identity", **headers},
                retries=False,
                redirect=False,
                timeout=urllib3.Timeout(connect=self._timeout_seconds, read=self._timeout_seconds),
                preload_content=False,
            )
            with response:
                return Answer(
                    url=url,
                    status=response.status,
                    headers=response.headers,
                    body=self._body(response, url, what, longest_bytes),
                )
        except HTTPError as error:
            return error

    def _pool(self, url: str) -> urllib3.PoolManager:
        proxy = proxy_of(url)
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = pool(proxy)
            return self._pools[proxy]

    def _body(self, response: urllib3.BaseHTTPResponse, url: str, what: str, longest_bytes: int) -> bytes:
        body = bytearray()
        for part in self._parts(response):
            body += part
            if len(body) > longest_bytes:
                raise RegistryError(
                    f"{what}: {urlsplit(url).netloc} answered with more than {longest_bytes // 1024} KiB",
                    "check that this is a registry, and no other server or proxy",
                )
        return bytes(body)

    def _parts(self, response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
        """Yields a body as it comes in; one that comes in drops would never end by the sockets' time-out alone."""
        deadline = time.monotonic() + self._timeout_seconds
        while part := response.read1(_CHUNK_BYTES):
            yield part
            if time.monotonic() > deadline:
                raise HTTPTimeoutError

    def _given_up(self, outcome: Answer | HTTPError, what: str, url: str) -> RegistryError:
        host, attempts = urlsplit(url).netloc, self._retries + 1
        times = "one attempt" if attempts == 1 else f"each of {attempts} attempts"
        if isinstance(outcome, Answer):
            if outcome.status == _TOO_MANY_REQUESTS:
                return RegistryError(
                    f"{what}: {host} throttles, it answered 429 to {times}", "run the command again in a few minutes"
                )
            return RegistryError(f"{what}: {host} answered {outcome.status} to {times}", "run the command again later")
        return RegistryError(
            f"{what}: {host} can't be reached: {self._reason(outcome)}",
            "check the network, and the proxy in HTTPS_PROXY and NO_PROXY, then run the command again",
        )

    def _reason(self, error: HTTPError) -> str:
        # urllib3 counts a refused connection among its time-outs.
        if isinstance(error, HTTPTimeoutError) and not isinstance(error, NewConnectionError):
            return f"no answer within {self._timeout_seconds:g} seconds"
        return str(error).rpartition(": ")[2]


def _seconds_to_wait(outcome: Answer | HTTPError, attempt: int, what: str) -> float:
    """Returns how long to wait before the next attempt: as the server asks, at least as the attempts' number says.

    Raises:
        RegistryError: The server asks for more than we are ready to wait.
    """
    seconds: float = FIRST_WAIT_SECONDS * 2**attempt
    asked = _asked_seconds(outcome.headers.get("Retry-After", "")) if isinstance(outcome, Answer) else 0.0
    if isinstance(outcome, Answer) and asked > LONGEST_WAIT_SECONDS:
        raise RegistryError(
            f"{what}: {urlsplit(outcome.url).netloc} answered {outcome.status} and asks to wait {asked:.0f} seconds",
            "run the command again after that",
        )
    return min(max(seconds, asked), LONGEST_WAIT_SECONDS)


def _asked_seconds(retry_after: str) -> float:
    """Returns the seconds of a ``Retry-After`` header, a number or a date; 0 where it is neither."""
    if retry_after.isascii() and retry_after.isdecimal():
        return float(retry_after)
    try:
        moment = email.utils.parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return max((aware - dt.datetime.now(dt.UTC)).total_seconds(), 0.0)
