"""What the registries serve as charts: a team's own archives where it has them, and stand-ins of ours elsewhere."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ami.archives import file_name
from rehearsal.charts import NoStandInError, archive

_SINGLE = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.cncf.helm.config.v1+json"
_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

#: The folders in which archives lie, the last one first.
_FOLDERS: list[Path] = []


class PushedChart(NamedTuple):
    """A chart as an OCI registry keeps it.

    Attributes:
        media_type: The manifest's media type.
        manifest: The manifest.
        blobs: The config and the archive by their digests.
    """

    media_type: str
    manifest: bytes
    blobs: Mapping[str, bytes]


def publish_archives(folder: Path) -> None:
    """Serves the archives of a folder, for the whole process, in the place of stand-ins."""
    _FOLDERS.insert(0, folder)


def withdraw_archives() -> None:
    """Serves stand-ins alone again."""
    _FOLDERS.clear()


def chart_archive(name: str, version: str) -> bytes | None:
    """Gives the archive of a chart's version; None where there is none and nothing that could stand in for it."""
    for folder in _FOLDERS:
        file = folder / file_name(name, version)
        if file.is_file():
            return file.read_bytes()
    try:
        return archive(name, version)
    except NoStandInError:
        return None


def pushed(name: str, version: str) -> PushedChart | None:
    """Gives a chart as ``helm push`` would have pushed it; None as above.

    Its digest is the manifest's own. What a table or a lock knows is the digest of somebody else's manifest, and what
    has that is not known here.

    Source: Helm documentation, "Use OCI-based registries"; OCI image specification, "Image Manifest".
    """
    content = chart_archive(name, version)
    if content is None:
        return None
    config = json.dumps({"name": name, "version": version, "apiVersion": "v2"}).encode()
    layers = [{"mediaType": _LAYER, "digest": digest_of(content), "size": len(content)}]
    document: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": _SINGLE,
        "config": {"mediaType": _CONFIG, "digest": digest_of(config), "size": len(config)},
        "layers": layers,
    }
    return PushedChart(_SINGLE, json.dumps(document).encode(), {digest_of(config): config, digest_of(content): content})


def digest_of(content: bytes) -> str:
    """Gives the digest of bytes, ``sha256:...``."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
