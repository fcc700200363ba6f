"""The archives of charts, by the digests that a lock pins."""

import hashlib
import json
import re
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from ami.registry.addresses import may_lead_to
from ami.registry.chart_index import indexed_urls
from ami.registry.errors import RegistryError
from ami.registry.names import HttpChart, Name
from ami.registry.requests import NOT_FOUND, OK, Requests, unexpected

#: Source: helm/helm, pkg/registry/constants.go.
CHART_LAYER_TYPE = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_ALTERED = "run the command again; if it stays, the registry or a proxy alters what it serves"


class _Layer(NamedTuple):
    digest: str
    size: int


def of_registry(requests: Requests, chart: Name, digest: str, *, longest_bytes: int) -> bytes:
    """Returns the archive of a chart in an OCI registry: the one layer of the manifest that has the digest.

    Raises:
        RegistryError: The registry has neither, or serves other bytes than their digests say.

    Source: OCI distribution specification, "Pulling blobs"; OCI image specification, "Image Manifest"; Helm
    documentation, "Use OCI-based registries".
    """
    manifest = requests.of_registry("GET", f"manifests/{digest}", chart, accept=_MANIFEST_TYPE).body
    _require(manifest, digest, chart.text, "manifest")
    layer = _layer(manifest, chart.text)
    if layer.size > longest_bytes:
        raise _too_large(chart.text, longest_bytes)
    answer = requests.of_registry("GET", f"blobs/{layer.digest}", chart, accept="*/*", longest_bytes=longest_bytes)
    return _require(answer.body, layer.digest, chart.text, "archive")


def of_repository(
    requests: Requests, chart: HttpChart, version: str, digest: str, *, index: bytes, base: str, longest_bytes: int
) -> bytes:
    """Returns the archive of a chart in an HTTP repository.

    Args:
        requests: Asks.
        chart: The chart.
        version: Its version.
        digest: The digest of the archive.
        index: The repository's ``index.yaml``.
        base: The address of that index, from which relative addresses are meant.
        longest_bytes: The longest archive that is read.

    Raises:
        RegistryError: The repository does not have it, sends elsewhere than to HTTPS, or serves other bytes.

    Source: Helm documentation, "The Chart Repository Guide", "The index file".
    """
    urls = [urljoin(base, url) for url in indexed_urls(index, chart, version)]
    url = next((each for each in urls if may_lead_to(base, each)), None)
    if url is None:
        raise RegistryError(
            f"the repository of {chart.text} names no HTTPS address for version {version}",
            "ask the chart's authors, or take another version",
        )
    answer = requests.of_repository(requests.addressed(url), chart, longest_bytes=longest_bytes)
    if answer.status == NOT_FOUND:
        raise RegistryError(
            f"{urlsplit(url).netloc} has no archive of {chart.text} {version}, although its index names one",
            "run the command again later",
        )
    if answer.status != OK:
        raise unexpected(answer, chart.text)
    return _require(answer.body, digest, f"{chart.text} {version}", "archive")


def _layer(manifest: bytes, what: str) -> _Layer:
    try:
        data = json.loads(manifest)
    except (ValueError, RecursionError):
        data = None
    layers = data.get("layers") if isinstance(data, dict) else None
    found = [each for each in layers if _is_archive(each)] if isinstance(layers, list) else []
    if len(found) != 1:
        raise RegistryError(
            f"{what}: its manifest names {len(found) or 'no'} archives of a chart, where a chart has one",
            "check that its location is a chart's, and no image's",
        )
    return _Layer(found[0]["digest"], found[0]["size"])


def _is_archive(layer: Any) -> bool:
    if not isinstance(layer, dict) or layer.get("mediaType") != CHART_LAYER_TYPE:
        return False
    digest, size = layer.get("digest"), layer.get("size")
    return isinstance(digest, str) and bool(_DIGEST.fullmatch(digest)) and type(size) is int and size > 0


def _require(content: bytes, digest: str, what: str, part: str) -> bytes:
    found = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if found != digest:
        raise RegistryError(f"{what}: its {part} should have the digest {digest}, and has {found}", _ALTERED)
    return content


def _too_large(what: str, longest_bytes: int) -> RegistryError:
    return RegistryError(
        f"{what}: its archive has more than {longest_bytes // 1024 // 1024} MiB", "check that it is a chart"
    )
