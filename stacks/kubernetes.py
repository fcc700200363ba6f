"""``NAME-kubernetes``: charts and objects in the cluster, and the functions that put them there."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from aws_cdk import CfnParameter, CfnResource, Fn, Stack
from constructs import Construct

from infra.helm_release import chart_asset, helm_release
from infra.kubectl import Kubectl
from infra.kubernetes_objects import KubernetesObjects, json_text
from infra.resource import Value, imported
from stacks.base import file_system_parameter, stack_options
from trnstack.kubernetes.manifests import Manifest, manifests
from trnstack.kubernetes.marks import (
    CHECKPOINT_BUCKET,
    FILE_SYSTEM_DNS_NAME,
    FILE_SYSTEM_ID,
    FILE_SYSTEM_MOUNT_NAME,
)
from trnstack.plan import Plan
from trnstack.plan.model import ReleasePlan


class KubernetesStack(Stack):
    """Holds what runs in the cluster beside the add-ons, and nothing that others stand on: it exports nothing.

    A chart that fails takes back this stack, and not the cluster that took twenty minutes to make.
    """

    def __init__(self, scope: Construct, *, plan: Plan) -> None:
        name = f"{plan.name}-kubernetes"
        super().__init__(scope, name, **stack_options(plan, name))
        self._plan = plan
        network, cluster = f"{plan.name}-network", f"{plan.name}-cluster"
        self._cluster_name = Fn.import_value(f"{cluster}:ClusterName")
        self._charts = {release.name: chart_asset(self, release) for release in plan.kubernetes.releases}
        self._kubectl = Kubectl(
            self,
            "Kubectl",
            cluster_name=self._cluster_name,
            kubernetes_version=plan.cluster.kubernetes_version,
            subnet_ids=[imported(network, f"Subnet-{subnet}") for subnet in plan.cluster.subnets],
            # The cluster's group is let in by the control plane, the nodes' one by the endpoints.
            security_group_ids=[imported(cluster, "ClusterSecurityGroup"), imported(network, "NodesSecurityGroup")],
            chart_bucket=next(iter(self._charts.values())).bucket_name,
            retention_days=plan.cluster.log_retention_days,
        )
        objects = manifests(plan)
        text = json_text([each.objects for each in objects])
        self._marks = {mark: value() for mark, value in self._values().items() if mark in text}
        parts: tuple[ReleasePlan | Manifest, ...] = (*plan.kubernetes.releases, *objects)
        stood_on = {name for each in parts for name in each.after}
        made: dict[str, tuple[CfnResource, ...]] = {}
        for each in _in_order(parts):
            after = [*self._kubectl.ready, *(other for name in each.after for other in made[name])]
            if isinstance(each, Manifest):
                made[each.name] = self._objects(each, after)
            else:
                # What runs on every node would wait for the last of them, and one that is broken fail a deploy.
                made[each.name] = (self._release(each, after, waits=each.name in stood_on),)

    def _release(self, release: ReleasePlan, after: list[CfnResource], *, waits: bool) -> CfnResource:
        made = helm_release(
            self,
            f"Release-{release.name}",
            release=release,
            chart=self._charts[release.name],
            service_token=self._kubectl.service_token,
            cluster_name=self._cluster_name,
            waits=waits,
            after=after,
        )
        return self._kubectl.in_turn(made, release.name)

    def _objects(self, manifest: Manifest, after: list[CfnResource]) -> tuple[CfnResource, ...]:
        return KubernetesObjects(
            self,
            f"Objects-{manifest.name}",
            objects=manifest.objects,
            marks=self._marks,
            kubectl=self._kubectl,
            cluster_name=self._cluster_name,
            after=after,
        ).last

    def _values(self) -> dict[str, Callable[[], Value]]:
        """Returns what gives what stands in the places of marks; what is adopted is known, and has none."""
        return {
            CHECKPOINT_BUCKET: partial(imported, f"{self._plan.name}-storage", "CheckpointBucket"),
            FILE_SYSTEM_ID: partial(self._file_system, "id"),
            FILE_SYSTEM_DNS_NAME: partial(self._file_system, "dns-name"),
            FILE_SYSTEM_MOUNT_NAME: partial(self._file_system, "mount-name"),
        }

    def _file_system(self, what: str) -> Value:
        parameter = CfnParameter(
            self,
            f"FileSystem{what.title().replace('-', '')}",
            type="AWS::SSM::Parameter::Value<String>",
            default=file_system_parameter(self._plan.name, what),
            description=f"Where the storage stack leaves the file system's {what.replace('-', ' ')}",
        )
        return parameter.value_as_string


def _in_order(parts: Sequence[ReleasePlan | Manifest]) -> Iterator[ReleasePlan | Manifest]:
    """Yields each part when those have come that must stand before it, else in the order given."""
    waiting, come = list(parts), set[str]()
    while waiting:
        part = next(each for each in waiting if come.issuperset(each.after))
        waiting.remove(part)
        come.add(part.name)
        yield part
