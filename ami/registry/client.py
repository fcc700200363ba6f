"""The registry client: digests of images and charts."""

import hashlib
import re
import time
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

from ami.registry.addresses import may_lead_to
from ami.registry.authorization import Authorizations, denied_hint
from ami.registry.chart_index import indexed_digest
from ami.registry.errors import RegistryError
from ami.registry.names import HttpChart, Name, chart_name, image_name
from ami.registry.transport import Answer, Transport

#: What a tag may mean. An index comes first, so that one digest is of all architectures.
#:
#: Source: OCI image specification, "Media Types"; distribution/distribution, "Image Manifest V 2, Schema 2".
MANIFEST_TYPES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LONGEST_INDEX_BYTES = 64 * 1024 * 1024
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_OK, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _NO_SUCH_METHOD = 200, 401, 403, 404, 405


def https_address(host: str) -> str:
    """Returns a host's address on the internet."""
    return f"https://{host}"


def no_credentials(host: str) -> tuple[str, str] | None:  # noqa: ARG001 - the shape of those that look one up
    """Returns None: whatever is asked, is asked anonymously."""
    return None


class Registry:
    """Asks registries for digests, from any number of threads.

    Args:
        address: The base address by registry host, without a slash at its end.
        credentials: User and password by host, such as ``AWS`` and the password of ECR's GetAuthorizationToken; None
            for a host that is asked anonymously. A token service on a host of its own is a host of its own here.
        retries: How often a request is sent again that met no server, a throttling one or a failing one.
        timeout_seconds: How long connecting, each wait for the server, and a body as a whole may take.
        wait: Waits a number of seconds between two attempts.

    Source: OCI distribution specification, "Pulling manifests".
    """

    def __init__(
        self,
        *,
        address: Callable[[str], str] = https_address,
        credentials: Callable[[str], tuple[str, str] | None] = no_credentials,
        retries: int = 4,
        timeout_seconds: float = 20.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = address
        self._transport = Transport(retries=retries, timeout_seconds=timeout_seconds, wait=wait)
        self._authorizations = Authorizations(self._transport, address=address, credentials=credentials)

    def digest(self, image: str) -> str:
        """Returns the digest, ``sha256:...``, of what an image's tag means now.

        Args:
            image: Its name with a tag, such as ``public.ecr.aws/neuron/neuron-scheduler:2.32.0.0``; a name without a
                registry's host is on Docker Hub.

        Raises:
            RegistryError: The name isn't one, the registry has no such image, denies it, can't be reached, keeps
                throttling or failing, or answers with something that is no digest.
        """
        return self._manifest_digest(image_name(image))

    def chart_digest(self, location: str, version: str) -> str:
        """Returns the digest, ``sha256:...``, of a Helm chart's version.

        In an OCI registry it is that of the chart's manifest, which ``helm pull`` prints; in an HTTP repository that
        of the chart's archive, as ``index.yaml`` gives it.

        Args:
            location: ``oci://HOST/PATH/NAME``, or ``https://HOST/PATH/NAME``, an HTTP repository and the chart's name.
            version: The chart's version, as its repository writes it.

        Raises:
            RegistryError: As ``digest``; or the repository's index isn't one, or lacks the version.
        """
        chart = chart_name(location, version)
        if isinstance(chart, Name):
            return self._manifest_digest(chart)
        return indexed_digest(self._index(chart), chart, version)

    def _manifest_digest(self, name: Name) -> str:
        url = f"{self._address(name.host)}/v2/{name.repository}/manifests/{name.tag}"
        answer = self._manifest("HEAD", url, name)
        stated = answer.headers.get("Docker-Content-Digest")
        if answer.status == _OK and stated:
            return _checked(stated, name)
        answer = self._manifest("GET", url, name)
        return _hashed(answer, name)

    def _manifest(self, method: str, url: str, name: Name) -> Answer:
        """Returns the answer that a manifest's address leads to; a 405 to ``HEAD`` is one."""
        answer = self._followed(url, name.text, lambda address: self._authorized(method, address, name))
        if answer.status == _OK or (method == "HEAD" and answer.status == _NO_SUCH_METHOD):
            return answer
        if answer.status == _NOT_FOUND:
            raise RegistryError(
                f"{name.host} has no {name.text}: its tag was removed, or never was there",
                "`trnstack lock --outdated FILE` tells what is newer",
            )
        if answer.status in {_UNAUTHORIZED, _FORBIDDEN}:
            raise RegistryError(f"{name.host} denies {name.text}", denied_hint(name.host))
        raise _unexpected(answer, name.text)

    def _authorized(self, method: str, url: str, name: Name) -> Answer:
        """Asks with the authorization that is known, and once more with a new one if that one won't do."""
        known = self._authorizations.known(name, url)
        answer = self._ask_for_manifest(method, url, name, known)
        if answer.status != _UNAUTHORIZED:
            return answer
        granted = self._authorizations.grant(name, url, answer.headers.get("WWW-Authenticate"))
        return self._ask_for_manifest(method, url, name, granted)

    def _ask_for_manifest(self, method: str, url: str, name: Name, authorization: str | None) -> Answer:
        headers = {"Accept": ", ".join(MANIFEST_TYPES)}
        if authorization:
            headers["Authorization"] = authorization
        return self._transport.ask(method, url, what=name.text, headers=headers)

    def _index(self, chart: HttpChart) -> bytes:
        url = f"{self._address(chart.host)}{chart.path}/index.yaml"
        answer = self._followed(
            url,
            chart.text,
            lambda address: self._transport.ask("GET", address, what=chart.text, longest_bytes=_LONGEST_INDEX_BYTES),
        )
        if answer.status == _NOT_FOUND:
            raise RegistryError(
                f"{chart.host} has no chart repository at {chart.path or '/'}: there is no index.yaml",
                "check the chart's location",
            )
        if answer.status != _OK:
            raise _unexpected(answer, chart.text)
        return answer.body

    def _followed(self, url: str, what: str, ask: Callable[[str], Answer]) -> Answer:
        """Returns the first answer that is no redirect.

        Redirects are usual: registry.k8s.io answers every request for a manifest with the address of one of its
        mirrors. Each origin is asked with its own authorization only.

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


def _checked(digest: str, name: Name) -> str:
    if not _DIGEST.fullmatch(digest):
        raise RegistryError(
            f"{name.text}: {name.host} gives {digest[:100]!r} as its digest, which is no SHA-256 digest",
            "check that this is a registry, and no other server or proxy",
        )
    return digest


def _hashed(answer: Answer, name: Name) -> str:
    """Returns the digest of a manifest's own bytes."""
    media_type = answer.headers.get("Content-Type", "").partition(";")[0].strip()
    if media_type not in MANIFEST_TYPES:
        # Hashing whatever a login page or a proxy serves would pin nonsense.
        raise RegistryError(
            f"{name.text}: {name.host} answered with {media_type or 'nothing'!r}, which is no manifest",
            "check that this is a registry, and no other server or proxy",
        )
    hashed = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
    stated = answer.headers.get("Docker-Content-Digest")
    if stated and _checked(stated, name) != hashed:
        raise RegistryError(
            f"{name.text}: {name.host} gives {stated} as the digest of a manifest whose digest is {hashed}",
            "run the command again; if it stays, the registry or a proxy alters what it serves",
        )
    return hashed


def _unexpected(answer: Answer, what: str) -> RegistryError:
    return RegistryError(
        f"{what}: {urlsplit(answer.url).netloc} answered {answer.status}",
        "check that this is a registry, and no other server or proxy",
    )
