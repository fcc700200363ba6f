"""Requests to registries and repositories: authorized where they ask for it, and followed where they redirect."""

from collections.abc import Callable
from urllib.parse import urljoin, urlsplit, urlunsplit

from ami.registry.addresses import may_lead_to
from ami.registry.authorization import Authorizations, denied_hint
from ami.registry.errors import RegistryError
from ami.registry.names import HttpChart, Name
from ami.registry.transport import LONGEST_MANIFEST_BYTES, Answer, Transport

_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
OK, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, NO_SUCH_METHOD = 200, 401, 403, 404, 405


class Requests:
    """Asks, from any number of threads.

    Args:
        transport: Sends requests.
        authorizations: What registries have granted.
        address: The base address by registry host, without a slash at its end.
    """

    def __init__(self, transport: Transport, authorizations: Authorizations, *, address: Callable[[str], str]) -> None:
        self._transport = transport
        self._authorizations = authorizations
        self._address = address

    def of_registry(
        self,
        method: str,
        path: str,
        name: Name,
        *,
        accept: str,
        longest_bytes: int = LONGEST_MANIFEST_BYTES,
    ) -> Answer:
        """Returns the answer that an address of a registry's API leads to; a 405 to ``HEAD`` is one.

        Args:
            method: ``HEAD`` or ``GET``.
            path: The path below the repository, such as ``manifests/v1.0.0``.
            name: What is asked for.
            accept: The media types that are understood.
            longest_bytes: The longest body that is read.

        Raises:
            RegistryError: The registry denies it, does not have it, can't be reached, or answers something else.
        """
        url = f"{self._address(name.host)}/v2/{name.repository}/{path}"

        def ask(address: str) -> Answer:
            return self._authorized(method, address, name, accept, longest_bytes)

        answer = self._followed(url, name.text, ask)
        if answer.status == OK or (method == "HEAD" and answer.status == NO_SUCH_METHOD):
            return answer
        if answer.status == NOT_FOUND:
            raise RegistryError(
                f"{name.host} has no {name.text}: its tag was removed, or never was there",
                "`trnstack lock --outdated FILE` tells what is newer",
            )
        if answer.status in {UNAUTHORIZED, FORBIDDEN}:
            raise RegistryError(f"{name.host} denies {name.text}", denied_hint(name.host))
        raise unexpected(answer, name.text)

    def addressed(self, url: str) -> str:
        """Returns where an HTTPS address is asked, which is elsewhere in a rehearsal."""
        parts = urlsplit(url)
        if parts.scheme != "https":
            return url
        return self._address(parts.netloc) + urlunsplit(("", "", parts.path, parts.query, ""))

    def of_repository(self, url: str, chart: HttpChart, *, longest_bytes: int) -> Answer:
        """Returns the answer that an address of an HTTP repository leads to, whatever its status.

        Raises:
            RegistryError: It can't be reached, or answers with too much.
        """

        def ask(address: str) -> Answer:
            return self._transport.ask("GET", address, what=chart.text, longest_bytes=longest_bytes)

        return self._followed(url, chart.text, ask)

    def _authorized(self, method: str, url: str, name: Name, accept: str, longest_bytes: int) -> Answer:
        """Asks with the authorization that is known, and once more with a new one if that one won't do."""

        def ask(authorization: str | None) -> Answer:
            headers = {"Accept": accept, **({"Authorization": authorization} if authorization else {})}
            return self._transport.ask(method, url, what=name.text, headers=headers, longest_bytes=longest_bytes)

        answer = ask(self._authorizations.known(name, url))
        if answer.status != UNAUTHORIZED:
            return answer
        return ask(self._authorizations.grant(name, url, answer.headers.get("WWW-Authenticate")))

    def _followed(self, url: str, what: str, ask: Callable[[str], Answer]) -> Answer:
        """Returns the first answer that is no redirect.

        Redirects are usual: registry.k8s.io answers every request for a manifest with the address of one of its
        mirrors, and registries answer those for blobs with an address of a store. Each origin is asked with its own
        authorization only.

        Source: kubernetes/registry.k8s.io, cmd/archeio/docs/request-handling.md.
        """
        for _ in range(_MOST_REDIRECTS + 1):
            answer = ask(url)
            if answer.status not in _REDIRECTS:
                return answer
            url = _redirected(url, answer.headers.get("Location", ""), what)
        raise RegistryError(
            f"{what}: {urlsplit(url).netloc} redirects more than {_MOST_REDIRECTS} times", "run the command again later"
        )


def unexpected(answer: Answer, what: str) -> RegistryError:
    """Returns the error for an answer that no registry gives."""
    return RegistryError(
        f"{what}: {urlsplit(answer.url).netloc} answered {answer.status}",
        "check that this is a registry, and no other server or proxy",
    )


def _redirected(url: str, location: str, what: str) -> str:
    try:
        target = urljoin(url, location)
    except ValueError:
        target = location
    if not may_lead_to(url, target):
        raise RegistryError(
            f"{what}: {urlsplit(url).netloc} redirects to {target!r}, which is no HTTPS address",
            "check that this is the registry itself, and no proxy in its place",
        )
    return target
