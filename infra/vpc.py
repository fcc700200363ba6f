"""The VPC, its subnets by literal zone id, and the routes between them and the world."""

from collections.abc import Iterator

from aws_cdk import CfnResource
from constructs import Construct

from infra.gateway_endpoint import s3_endpoint
from infra.resource import attribute, resource
from trnstack.layout.subnets import Subnet
from trnstack.plan.model import NetworkPlan


class Vpc(Construct):
    """Defines the VPC.

    Attributes:
        vpc_id: The VPC's id.
        subnet_ids: The subnets' ids by their names in the plan.
    """

    def __init__(self, scope: Construct, construct_id: str, *, name: str, network: NetworkPlan) -> None:
        super().__init__(scope, construct_id)
        self._name = name
        properties = {"CidrBlock": network.vpc_cidr, "EnableDnsHostnames": True, "EnableDnsSupport": True}
        self.vpc_id = resource(self, "Vpc", "AWS::EC2::VPC", {**properties, "Tags": self._tags(name)}).ref
        subnets = {subnet.name: self._subnet(subnet) for subnet in network.subnets}
        self.subnet_ids = {subnet_name: subnet.ref for subnet_name, subnet in subnets.items()}
        table_ids: list[str] = []
        gateways: dict[str, str] = {}
        if network.nat_gateway_zone_ids:
            public_table_id, way_out = self._way_out(network)
            table_ids.append(public_table_id)
            gateways = {zone_id: self._nat_gateway(zone_id, way_out) for zone_id in network.nat_gateway_zone_ids}
        table_ids += self._private_routes(network, gateways)
        s3_endpoint(self, vpc_id=self.vpc_id, route_table_ids=table_ids)

    def _tags(self, name: str) -> list[dict[str, str]]:
        return [{"Key": "Name", "Value": name}]

    def _subnet(self, subnet: Subnet) -> CfnResource:
        return resource(
            self,
            f"Subnet-{subnet.name}",
            "AWS::EC2::Subnet",
            {
                "VpcId": self.vpc_id,
                "CidrBlock": subnet.cidr,
                "AvailabilityZoneId": subnet.availability_zone_id,
                "MapPublicIpOnLaunch": False,
                "Tags": self._tags(f"{self._name}-{subnet.name}"),
            },
        )

    def _route_table(self, label: str, subnet_names: list[str]) -> str:
        tags = self._tags(f"{self._name}-{label}")
        table = resource(self, f"Routes-{label}", "AWS::EC2::RouteTable", {"VpcId": self.vpc_id, "Tags": tags})
        for subnet_name in subnet_names:
            pair = {"SubnetId": self.subnet_ids[subnet_name], "RouteTableId": table.ref}
            resource(self, f"Association-{subnet_name}", "AWS::EC2::SubnetRouteTableAssociation", pair)
        return table.ref

    def _way_out(self, network: NetworkPlan) -> tuple[str, CfnResource]:
        """Defines what leads to the internet from public subnets; returns their route table and the route in it."""
        gateway = resource(self, "InternetGateway", "AWS::EC2::InternetGateway", {"Tags": self._tags(self._name)})
        attached = {"VpcId": self.vpc_id, "InternetGatewayId": gateway.ref}
        attachment = resource(self, "InternetAttachment", "AWS::EC2::VPCGatewayAttachment", attached)
        table_id = self._route_table("public", [s.name for s in network.subnets if s.role == "public"])
        route = {"RouteTableId": table_id, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway.ref}
        return table_id, resource(self, "Route-public", "AWS::EC2::Route", route, after=[attachment])

    def _nat_gateway(self, zone_id: str, way_out: CfnResource) -> str:
        tags = self._tags(f"{self._name}-{zone_id}")
        # The way out must stand before the gateway does, or its first packets are lost.
        address = resource(self, f"Eip-{zone_id}", "AWS::EC2::EIP", {"Domain": "vpc", "Tags": tags}, after=[way_out])
        properties = {
            "AllocationId": attribute(address, "AllocationId"),
            "SubnetId": self.subnet_ids[f"public-{zone_id}"],
            "Tags": tags,
        }
        return resource(self, f"Nat-{zone_id}", "AWS::EC2::NatGateway", properties, after=[way_out]).ref

    def _private_routes(self, network: NetworkPlan, gateways: dict[str, str]) -> Iterator[str]:
        """Defines each zone's route table and its way out by a NAT gateway, if any; yields the tables' ids."""
        for system in (subnet for subnet in network.subnets if subnet.role == "system"):
            zone_id = system.availability_zone_id
            table_id = self._route_table(f"private-{zone_id}", [system.name, f"nodes-{zone_id}"])
            yield table_id
            gateway_zone_id = network.nat_gateway_zone_id(zone_id)
            if gateway_zone_id is not None:
                way_out = {"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": gateways[gateway_zone_id]}
                resource(self, f"Route-private-{zone_id}", "AWS::EC2::Route", {"RouteTableId": table_id, **way_out})
