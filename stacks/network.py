"""``NAME-network``: the VPC, or endpoints in one that stands, and every security group. The others stand on it."""

from aws_cdk import Stack
from constructs import Construct

from infra.existing_vpc import ExistingVpc
from infra.flow_log import FlowLog
from infra.interface_endpoints import InterfaceEndpoints
from infra.resource import export, output
from infra.security_groups import SecurityGroups
from infra.vpc import Vpc
from stacks.base import stack_options
from trnstack.plan import Plan
from trnstack.plan.model import ExistingLustrePlan


class NetworkStack(Stack):
    """Holds the VPC, its endpoints and every security group.

    Exports ``VpcId``, ``Subnet-nodes-ZONE`` and ``Subnet-system-ZONE`` for each zone, ``NodesSecurityGroup``,
    ``LustreSecurityGroup``, ``EndpointsSecurityGroup`` and ``ControlPlaneSecurityGroup``, whichever network it is.
    """

    def __init__(self, scope: Construct, *, plan: Plan) -> None:
        name = f"{plan.name}-network"
        super().__init__(scope, name, **stack_options(plan, name))
        network = plan.network
        existing = network.existing_vpc
        vpc = (
            ExistingVpc(self, "Vpc", network=network, existing=existing)
            if existing
            else Vpc(self, "Vpc", name=plan.name, network=network)
        )
        lustre = plan.storage.lustre
        groups = SecurityGroups(
            self,
            "SecurityGroups",
            name=plan.name,
            vpc_id=vpc.vpc_id,
            client_cidrs=network.client_cidrs,
            existing_lustre_id=lustre.security_group_id if isinstance(lustre, ExistingLustrePlan) else None,
            lustre_efa=lustre is not None and lustre.efa_enabled,
        )
        InterfaceEndpoints(
            self,
            "Endpoints",
            endpoints=network.interface_endpoints,
            vpc_id=vpc.vpc_id,
            subnet_ids=[vpc.subnet_ids[subnet.name] for subnet in network.subnets if subnet.role == "system"],
            security_group_id=groups.endpoints_id,
        )
        if network.flow_logs:
            FlowLog(self, "FlowLog", vpc_id=vpc.vpc_id, retention_days=network.log_retention_days)
        for subnet in network.subnets:
            # Public subnets come and go with NAT gateways, and no other stack needs one.
            if subnet.role != "public":
                export(self, f"Subnet-{subnet.name}", vpc.subnet_ids[subnet.name])
        export(self, "VpcId", vpc.vpc_id)
        export(self, "NodesSecurityGroup", groups.nodes_id)
        export(self, "LustreSecurityGroup", groups.lustre_id)
        export(self, "EndpointsSecurityGroup", groups.endpoints_id)
        export(self, "ControlPlaneSecurityGroup", groups.control_plane_id)
        output(self, "VpcId", vpc.vpc_id, "The VPC")
