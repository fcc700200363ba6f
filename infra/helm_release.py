"""A Helm chart in the cluster, from an archive that the lock holds still."""

from collections.abc import Sequence
from pathlib import Path

from aws_cdk import CfnResource, FileAssetLocation, FileAssetPackaging, Stack
from constructs import Construct

from infra.kubectl import SERVICE_TIMEOUT_SECONDS
from infra.kubernetes_objects import json_text
from infra.resource import resource
from trnstack.plan.model import ReleasePlan

RESOURCE_TYPE = "Custom::AWSCDK-EKS-HelmChart"

#: How long Helm waits for what a chart starts. It waits as long again when it takes back what did not come up, and the
#: function has a quarter of an hour for both.
WAIT_SECONDS = 420


def chart_folder(release: ReleasePlan) -> Path:
    """Returns where the files of a release's chart lie in a cloud assembly, by the digest of what they are."""
    return Path(f"asset.{_hash(release)}")


def chart_asset(stack: Stack, release: ReleasePlan) -> FileAssetLocation:
    """Returns where CDK uploads a chart to; known by the digests of archives, so that no file is read for it.

    What ``aws_s3_assets`` would copy and hash anew is written to ``chart_folder`` by whoever deploys, once it has been
    held against the digest.
    """
    return stack.synthesizer.add_file_asset(
        source_hash=_hash(release),
        file_name=str(chart_folder(release)),
        packaging=FileAssetPackaging.ZIP_DIRECTORY,
        display_name=f"chart {release.chart} {release.version}",
    )


def _hash(release: ReleasePlan) -> str:
    return release.content_digest.removeprefix("sha256:")


def helm_release(
    scope: Construct,
    construct_id: str,
    *,
    release: ReleasePlan,
    chart: FileAssetLocation,
    service_token: str,
    cluster_name: str,
    waits: bool,
    after: Sequence[CfnResource],
) -> CfnResource:
    """Defines a release; another chart or other values upgrade it in place.

    Args:
        scope: The construct that it belongs to.
        construct_id: Its id there.
        release: What is installed.
        chart: Where its files are.
        service_token: The function that does it.
        cluster_name: The cluster.
        waits: Whether it stands only when its pods are ready, and is taken back where they don't get so.
        after: What must stand before it.
    """
    properties = {
        "ServiceToken": service_token,
        "ServiceTimeout": SERVICE_TIMEOUT_SECONDS,
        "ClusterName": cluster_name,
        "Release": release.name,
        "ChartAssetURL": chart.s3_object_url,
        "Namespace": release.namespace,
        "CreateNamespace": True,
        "Values": json_text(release.values),
        "Wait": True if waits else None,
        "Atomic": True if waits else None,
        "Timeout": f"{WAIT_SECONDS}s",
    }
    given = {name: value for name, value in properties.items() if value is not None}
    return resource(scope, construct_id, RESOURCE_TYPE, given, after=after)
