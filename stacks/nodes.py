"""``NAME-nodes-GROUP``: one fleet. Its failure rolls back that fleet alone."""

from aws_cdk import Stack
from constructs import Construct

from infra.node_group import NodeGroup
from infra.resource import imported, output
from stacks.base import stack_options
from trnstack.plan import Plan
from trnstack.plan.model import NodeGroupPlan


class NodesStack(Stack):
    """Holds one node group with its launch template and placement group."""

    def __init__(self, scope: Construct, *, plan: Plan, nodes: NodeGroupPlan) -> None:
        super().__init__(scope, nodes.stack, **stack_options(plan, nodes.stack))
        network, cluster = f"{plan.name}-network", f"{plan.name}-cluster"
        group = NodeGroup(
            self,
            "Nodes",
            nodes=nodes,
            kubernetes_version=plan.cluster.kubernetes_version,
            cluster_name=imported(cluster, "ClusterName"),
            cluster_group_id=imported(cluster, "ClusterSecurityGroup"),
            nodes_group_id=imported(network, "NodesSecurityGroup"),
            node_role_arn=imported(cluster, "NodeRoleArn"),
            subnet_ids=[imported(network, f"Subnet-{subnet}") for subnet in nodes.subnets],
        )
        output(self, "NodeGroupName", nodes.name, "The node group's name in EKS")
        if group.placement_group is not None:
            output(self, "PlacementGroup", group.placement_group, "Where a capacity reservation would have to be made")
