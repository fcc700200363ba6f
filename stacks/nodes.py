"""``NAME-nodes-GROUP``: one fleet. Its failure rolls back that fleet alone."""

from aws_cdk import Stack
from constructs import Construct

from infra.block_schedules import BlockSchedules
from infra.node_group import NodeGroup
from infra.notices import Notices
from infra.resource import Value, attribute, imported, output
from stacks.base import stack_options
from trnstack.layout.user_data import CLUSTER_AUTHORITY, CLUSTER_ENDPOINT
from trnstack.plan import Plan
from trnstack.plan.model import NodeGroupPlan
from trnstack.plan.model.capacity import BlockPlan


class NodesStack(Stack):
    """Holds one node group with its launch template and placement group, and the schedules of its capacity block."""

    def __init__(self, scope: Construct, *, plan: Plan, nodes: NodeGroupPlan) -> None:
        super().__init__(scope, nodes.stack, **stack_options(plan, nodes.stack))
        network, cluster = f"{plan.name}-network", f"{plan.name}-cluster"
        group = NodeGroup(
            self,
            "Nodes",
            nodes=nodes,
            cluster_name=imported(cluster, "ClusterName"),
            cluster_group_id=imported(cluster, "ClusterSecurityGroup"),
            nodes_group_id=imported(network, "NodesSecurityGroup"),
            node_role_arn=imported(cluster, "NodeRoleArn"),
            subnet_ids=[imported(network, f"Subnet-{subnet}") for subnet in nodes.subnets],
            marks={
                CLUSTER_ENDPOINT: imported(cluster, "ClusterEndpoint"),
                CLUSTER_AUTHORITY: imported(cluster, "ClusterCertificateAuthority"),
            },
        )
        output(self, "NodeGroupName", nodes.name, "The node group's name in EKS")
        if group.placement_group is not None:
            output(self, "PlacementGroup", group.placement_group, "Where a capacity reservation would have to be made")
        if nodes.block is not None:
            self._block(f"{plan.name} {nodes.name}: capacity block", nodes.block, attribute(group.resource, "Arn"))

    def _block(self, description: str, block: BlockPlan, node_group_arn: Value) -> None:
        notices = Notices(self, "Notices", description=description, emails=block.notice_emails)
        BlockSchedules(self, "Block", block=block, node_group_arn=node_group_arn, notices=notices)
        output(self, "ScaleUpCommand", block.scale_up_command, "Starts the block's nodes by hand: docs/capacity.md")
        output(
            self, "NoticesTopic", notices.topic_arn, "Tells when the block is ending, stands idle, or a schedule fails"
        )
