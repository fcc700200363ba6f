"""A managed node group with its launch template and placement group."""

from collections.abc import Sequence

from aws_cdk import CfnResource
from constructs import Construct

from infra.launch_template import LaunchTemplate
from infra.resource import Value, attribute, resource
from trnstack.plan.model import NodeGroupPlan


class NodeGroup(Construct):
    """Defines a managed node group of a pinned image release.

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
        kubernetes_version: str,
        cluster_name: Value,
        cluster_group_id: Value,
        nodes_group_id: Value,
        node_role_arn: Value,
        subnet_ids: Sequence[Value],
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
        )
        taints = [{"Key": taint.key, "Value": taint.value, "Effect": taint.effect} for taint in nodes.taints]
        scaling = nodes.scaling
        self.resource = resource(
            self,
            "NodeGroup",
            "AWS::EKS::Nodegroup",
            {
                "AmiType": nodes.ami_type,
                "CapacityType": nodes.capacity_type,
                "ClusterName": cluster_name,
                "ForceUpdateEnabled": False,
                "Labels": dict(nodes.labels),
                "LaunchTemplate": {"Id": template.template_id, "Version": template.version},
                "NodegroupName": nodes.name,
                "NodeRepairConfig": {"Enabled": nodes.node_repair},
                "NodeRole": node_role_arn,
                "ReleaseVersion": nodes.release_version,
                "ScalingConfig": {
                    "MinSize": scaling.minimum,
                    "DesiredSize": scaling.desired,
                    "MaxSize": scaling.maximum,
                },
                "Subnets": list(subnet_ids),
                "Taints": taints,
                "UpdateConfig": {"MaxUnavailable": nodes.max_unavailable, "UpdateStrategy": nodes.update_strategy},
                # A release of the next minor version is refused beside a version that is left to stay as it was.
                "Version": kubernetes_version,
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
