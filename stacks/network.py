"""``NAME-network``: the VPC, its endpoints and every security group. The other stacks stand on it."""

from aws_cdk import Stack
from constructs import Construct

from infra.flow_log import FlowLog
from infra.interface_endpoints import InterfaceEndpoints
from infra.resource import export, output
from infra.security_groups import SecurityGroups
from infra.vpc import Vpc
from stacks.base import stack_options
from trnstack.plan import Plan


class NetworkStack(Stack):
    """Holds the VPC, its endpoints and every security group.

    Exports ``Subnet-NAME`` for each subnet of the plan, and ``NodesSecurityGroup``, ``LustreSecurityGroup`` and
    ``ControlPlaneSecurityGroup``.
    """

    def __init__(self, scope: Construct, *, plan: Plan) -> None:
        name = f"{plan.name}-network"
        super().__init__(scope, name, **stack_options(plan, name))
        network = plan.network
        vpc = Vpc(self, "Vpc", name=plan.name, network=network)
        groups = SecurityGroups(
            self, "SecurityGroups", name=plan.name, vpc_id=vpc.vpc_id, client_cidrs=network.client_cidrs
        )
        InterfaceEndpoints(
            self,
            "Endpoints",
            services=network.interface_endpoints,
            vpc_id=vpc.vpc_id,
            subnet_ids=[vpc.subnet_ids[subnet.name] for subnet in network.subnets if subnet.role == "system"],
            security_group_id=groups.endpoints_id,
        )
        if network.flow_logs:
            FlowLog(self, "FlowLog", vpc_id=vpc.vpc_id, retention_days=network.log_retention_days)
        for subnet_name, subnet_id in vpc.subnet_ids.items():
            export(self, f"Subnet-{subnet_name}", subnet_id)
        export(self, "NodesSecurityGroup", groups.nodes_id)
        export(self, "LustreSecurityGroup", groups.lustre_id)
        export(self, "ControlPlaneSecurityGroup", groups.control_plane_id)
        output(self, "VpcId", vpc.vpc_id, "The VPC")
