"""A managed node group with its launch template and placement group."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from aws_cdk import CfnResource
from constructs import Construct

from infra.launch_template import LaunchTemplate
from infra.resource import Value, attribute, resource
from trnstack.plan.model import NodeGroupPlan, RepairPlan

#: How long a Neuron device has to be unhealthy before its node is replaced: EKS's own time for accelerators.
#: Source: EKS user guide, "Automatically repair nodes in EKS clusters".
_WAIT_MINUTES = 10
_NOTHING: Mapping[str, Value] = MappingProxyType({})


class NodeGroup(Construct):
    """Defines a managed node group of a pinned image release, or of a custom image.

    ``marks`` are the values in the place of the marks in its nodes' user data.

    Attributes:
        resource: The node group.
        placement_group: The name of the placement group that its nodes start in; None without one.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        nodes: NodeGroupPlan,
        cluster_name: Value,
        cluster_group_id: Value,
        nodes_group_id: Value,
        node_role_arn: Value,
        subnet_ids: Sequence[Value],
        marks: Mapping[str, Value] = _NOTHING,
        after: Sequence[CfnResource] = (),
    ) -> None:
        super().__init__(scope, construct_id)
        self.placement_group = self._placement_group(nodes.launch_template.placement_group)
        template = LaunchTemplate(
            self,
            "Template",
            template=nodes.launch_template,
            placement_group=self.placement_group,
            nodes_group_id=nodes_group_id,
            cluster_group_id=cluster_group_id,
            marks=marks,
        )
        scaling = nodes.scaling
        self.resource = resource(
            self,
            "NodeGroup",
            "AWS::EKS::Nodegroup",
            {
                **_image(nodes),
                "CapacityType": nodes.capacity_type,
                "ClusterName": cluster_name,
                "ForceUpdateEnabled": False,
                "Labels": dict(nodes.labels),
                "LaunchTemplate": {"Id": template.template_id, "Version": template.version},
                "NodegroupName": nodes.name,
                "NodeRepairConfig": _repair(nodes.node_repair),
                "NodeRole": node_role_arn,
                "ScalingConfig": {
                    "MinSize": scaling.minimum,
                    "DesiredSize": scaling.desired,
                    "MaxSize": scaling.maximum,
                },
                "Subnets": list(subnet_ids),
                "UpdateConfig": {"MaxUnavailable": nodes.max_unavailable, "UpdateStrategy": nodes.update_strategy},
            },
            after=after,
        )

    def _placement_group(self, placement_group: str) -> Value | None:
        if placement_group == "none":
            return None
        if placement_group != "create":
            return placement_group
        made = resource(self, "PlacementGroup", "AWS::EC2::PlacementGroup", {"Strategy": "cluster"})
        return attribute(made, "GroupName")


def _repair(repair: RepairPlan | None) -> dict[str, Any]:
    """Returns how EKS repairs the nodes; a reason that it is told of is repaired after the ten minutes of its default.

    Source: EKS API reference, NodeRepairConfig and NodeRepairConfigOverrides: all values of one are to be given.
    """
    if repair is None:
        return {"Enabled": False}
    return {
        "Enabled": True,
        "MaxParallelNodesRepairedCount": repair.parallel_count,
        "MaxUnhealthyNodeThresholdCount": repair.unhealthy_count,
        "NodeRepairConfigOverrides": [
            {
                "MinRepairWaitTimeMins": _WAIT_MINUTES,
                "NodeMonitoringCondition": "AcceleratedHardwareReady",
                "NodeUnhealthyReason": reason,
                "RepairAction": "Replace",
            }
            for reason in repair.replaced_reasons
        ]
        or None,
    }


def _image(nodes: NodeGroupPlan) -> dict[str, Any]:
    """Returns what names an EKS-optimized image, and the taints that EKS gives nodes of such an image in time.

    Beside an image in the launch template EKS refuses type, release and version. The taints of such nodes stand in
    their user data, and there alone: an edit of them would else change node group and launch template in one update,
    which EKS may refuse (docs/updates.md).

    Source: EKS user guide, "Customize managed nodes with launch templates", "Limits and conditions when specifying an
    AMI ID".
    """
    if nodes.custom_image:
        return {}
    return {
        "AmiType": nodes.ami_type,
        "ReleaseVersion": nodes.release_version,
        "Taints": [{"Key": taint.key, "Value": taint.value, "Effect": taint.effect} for taint in nodes.taints],
        # A release of the next minor version is refused beside a version that is left to stay as it was.
        "Version": nodes.kubernetes_version,
    }
