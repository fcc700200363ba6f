"""The registry client: digests of images and charts, and charts' archives."""

import hashlib
import re
import time
from collections.abc import Callable

from ami.archives import LONGEST_ARCHIVE_BYTES
from ami.registry import chart_archives
from ami.registry.authorization import Authorizations
from ami.registry.chart_index import indexed_digest
from ami.registry.errors import RegistryError
from ami.registry.names import HttpChart, Name, chart_name, image_name
from ami.registry.requests import NOT_FOUND, OK, Requests, unexpected
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
        transport = Transport(retries=retries, timeout_seconds=timeout_seconds, wait=wait)
        authorizations = Authorizations(transport, address=address, credentials=credentials)
        self._requests = Requests(transport, authorizations, address=address)

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

    def chart_archive(self, location: str, version: str, digest: str) -> bytes:
        """Returns the archive of a Helm chart's version, of which a lock knows the digest.

        Args:
            location: As for ``chart_digest``.
            version: As for ``chart_digest``.
            digest: What ``chart_digest`` gave when the lock was made.

        Raises:
            RegistryError: It isn't there any more, is too large, or what is served does not have its digest.
        """
        chart = chart_name(location, version)
        if isinstance(chart, Name):
            return chart_archives.of_registry(self._requests, chart, digest, longest_bytes=LONGEST_ARCHIVE_BYTES)
        return chart_archives.of_repository(
            self._requests,
            chart,
            version,
            digest,
            index=self._index(chart),
            base=self._index_url(chart),
            longest_bytes=LONGEST_ARCHIVE_BYTES,
        )

    def _manifest_digest(self, name: Name) -> str:
        accept, path = ", ".join(MANIFEST_TYPES), f"manifests/{name.tag}"
        answer = self._requests.of_registry("HEAD", path, name, accept=accept)
        stated = answer.headers.get("Docker-Content-Digest")
        if answer.status == OK and stated:
            return _checked(stated, name)
        return _hashed(self._requests.of_registry("GET", path, name, accept=accept), name)

    def _index_url(self, chart: HttpChart) -> str:
        return f"{self._address(chart.host)}{chart.path}/index.yaml"

    def _index(self, chart: HttpChart) -> bytes:
        answer = self._requests.of_repository(self._index_url(chart), chart, longest_bytes=_LONGEST_INDEX_BYTES)
        if answer.status == NOT_FOUND:
            raise RegistryError(
                f"{chart.host} has no chart repository at {chart.path or '/'}: there is no index.yaml",
                "check the chart's location",
            )
        if answer.status != OK:
            raise unexpected(answer, chart.text)
        return answer.body


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
