"""Authorizations of requests, as a registry's answer asks for them: bearer tokens and basic credentials."""

import base64
import json
import re
import threading
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from ami.registry.addresses import may_lead_to, origin
from ami.registry.errors import RegistryError
from ami.registry.names import Name, ecr_region
from ami.registry.transport import Transport

#: Tokens are sent in a header, so anything else in one would be another header.
_TOKEN = re.compile(r"[\x21-\x7e]+")
_CHALLENGE = re.compile(r"(?:^|,)\s*(Bearer|Basic)\s+", re.IGNORECASE)
_PARAMETER = re.compile(r'([A-Za-z]+)="([^"]*)"|([A-Za-z]+)=([^\s",]+)')
_LONGEST_TOKEN_BYTES = 1024 * 1024
_OK = 200
_DENIALS = frozenset({400, 401, 403})


class Authorizations:
    """The ``Authorization`` headers that registries have granted, by what they are for.

    Credentials are sent to the host that they are for, and to no other that an answer names.

    Source: distribution/distribution, "Token Authentication Specification"; RFC 9110, section 11.6.1; Amazon ECR user
    guide, "Private registry authentication" (basic, with the user ``AWS``).
    """

    def __init__(
        self,
        transport: Transport,
        *,
        address: Callable[[str], str],
        credentials: Callable[[str], tuple[str, str] | None],
    ) -> None:
        self._transport = transport
        self._address = address
        self._credentials = credentials
        self._granted: dict[tuple[str, str, str], str] = {}
        self._lock = threading.Lock()

    def known(self, name: Name, url: str) -> str | None:
        """Returns the header that was granted for a repository at a URL's origin; None where none was."""
        with self._lock:
            return self._granted.get((name.host, origin(url), name.repository))

    def grant(self, name: Name, url: str, challenge: str | None) -> str:
        """Returns a new header as a challenge asks for it, and remembers it.

        Args:
            name: What is asked for.
            url: The URL that answered with the challenge.
            challenge: The answer's ``WWW-Authenticate``.

        Raises:
            RegistryError: The challenge can't be met, or the token service answers with no token.
        """
        header = self._header(name, url, _challenges(challenge or ""))
        with self._lock:
            self._granted[name.host, origin(url), name.repository] = header
        return header

    def _header(self, name: Name, url: str, challenges: dict[str, dict[str, str]]) -> str:
        if "bearer" in challenges:
            return f"Bearer {self._token(name, url, challenges['bearer'])}"
        if "basic" not in challenges:
            raise RegistryError(
                f"{name.text}: {urlsplit(url).netloc} asks for credentials without saying which",
                "check that this is a registry, and no other server or proxy",
            )
        basic = self._basic(name, url)
        if basic is None:
            raise RegistryError(f"{name.text}: {urlsplit(url).netloc} asks for credentials", denied_hint(name.host))
        return basic

    def _basic(self, name: Name, url: str) -> str | None:
        """Returns the header with the credentials for a URL's host, as far as there are any."""
        ours = origin(url) == origin(self._address(name.host))
        found = self._credentials(name.host if ours else urlsplit(url).netloc)
        if found is None:
            return None
        return "Basic " + base64.b64encode(":".join(found).encode()).decode()

    def _token(self, name: Name, url: str, challenge: dict[str, str]) -> str:
        realm = challenge.get("realm", "")
        host = urlsplit(url).netloc
        if not may_lead_to(url, realm):
            raise RegistryError(
                f"{name.text}: {host} has its tokens given by {realm!r}, which is no HTTPS address",
                "check that this is the registry itself; no token is asked for and no credentials are sent there",
            )
        asked = {"service": challenge.get("service"), "scope": challenge.get("scope", _scope(name))}
        query = urlencode({key: value for key, value in asked.items() if value})
        basic = self._basic(name, realm)
        answer = self._transport.ask(
            "GET",
            f"{realm}{'&' if urlsplit(realm).query else '?'}{query}",
            what=name.text,
            headers={"Authorization": basic} if basic else {},
            longest_bytes=_LONGEST_TOKEN_BYTES,
        )
        if answer.status in _DENIALS:
            raise RegistryError(
                f"{name.text}: {urlsplit(realm).netloc} gives no token for it (it answered {answer.status})",
                denied_hint(name.host),
            )
        token = _token_in(answer.body) if answer.status == _OK else None
        if token is None:
            raise RegistryError(
                f"{name.text}: {urlsplit(realm).netloc} answered {answer.status} with something that is no token",
                "run the command again later",
            )
        return token


def denied_hint(host: str) -> str:
    """Returns what to do about a registry that denies something."""
    if ecr_region(host):
        return "use AWS credentials that may pull, such as with the policy AmazonEC2ContainerRegistryPullOnly"
    return "check the name: registries deny what isn't there as they deny what isn't public"


def _scope(name: Name) -> str:
    return f"repository:{name.repository}:pull"


def _challenges(header: str) -> dict[str, dict[str, str]]:
    """Returns the parameters of a header's challenges, by scheme in lower case; of two alike the first."""
    _, *parts = _CHALLENGE.split(header)
    found: dict[str, dict[str, str]] = {}
    for scheme, text in zip(parts[::2], parts[1::2], strict=True):
        parameters = {(key or bare).lower(): quoted or token for key, quoted, bare, token in _PARAMETER.findall(text)}
        found.setdefault(scheme.lower(), parameters)
    return found


def _token_in(body: bytes) -> str | None:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    token = data.get("token") or data.get("access_token")
    return token if isinstance(token, str) and _TOKEN.fullmatch(token) else None
