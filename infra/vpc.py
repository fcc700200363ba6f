"""The VPC, its subnets by literal zone id, and the routes between them and the world."""

from aws_cdk import CfnResource
from constructs import Construct

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
        internet = self._internet_gateway()
        public = self._public_routes(internet, network)
        gateways = {zone_id: self._nat_gateway(zone_id, public) for zone_id in network.nat_gateway_zone_ids}
        self._private_routes(network, gateways, public)

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

    def _internet_gateway(self) -> tuple[str, CfnResource]:
        gateway = resource(self, "InternetGateway", "AWS::EC2::InternetGateway", {"Tags": self._tags(self._name)})
        attached = {"VpcId": self.vpc_id, "InternetGatewayId": gateway.ref}
        return gateway.ref, resource(self, "InternetAttachment", "AWS::EC2::VPCGatewayAttachment", attached)

    def _route_table(self, label: str, subnet_names: list[str]) -> str:
        tags = self._tags(f"{self._name}-{label}")
        table = resource(self, f"Routes-{label}", "AWS::EC2::RouteTable", {"VpcId": self.vpc_id, "Tags": tags})
        for subnet_name in subnet_names:
            pair = {"SubnetId": self.subnet_ids[subnet_name], "RouteTableId": table.ref}
            resource(self, f"Association-{subnet_name}", "AWS::EC2::SubnetRouteTableAssociation", pair)
        return table.ref

    def _public_routes(self, internet: tuple[str, CfnResource], network: NetworkPlan) -> tuple[str, CfnResource]:
        gateway_id, attachment = internet
        table_id = self._route_table("public", [s.name for s in network.subnets if s.role == "public"])
        route = {"RouteTableId": table_id, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway_id}
        return table_id, resource(self, "Route-public", "AWS::EC2::Route", route, after=[attachment])

    def _nat_gateway(self, zone_id: str, public: tuple[str, CfnResource]) -> str:
        tags = self._tags(f"{self._name}-{zone_id}")
        # The way out must stand before the gateway does, or its first packets are lost.
        address = resource(self, f"Eip-{zone_id}", "AWS::EC2::EIP", {"Domain": "vpc", "Tags": tags}, after=[public[1]])
        properties = {
            "AllocationId": attribute(address, "AllocationId"),
            "SubnetId": self.subnet_ids[f"public-{zone_id}"],
            "Tags": tags,
        }
        return resource(self, f"Nat-{zone_id}", "AWS::EC2::NatGateway", properties, after=[public[1]]).ref

    def _private_routes(self, network: NetworkPlan, gateways: dict[str, str], public: tuple[str, CfnResource]) -> None:
        nearest = next(iter(gateways.values()))
        table_ids = [public[0]]
        for system in (subnet for subnet in network.subnets if subnet.role == "system"):
            zone_id = system.availability_zone_id
            table_id = self._route_table(f"private-{zone_id}", [system.name, f"nodes-{zone_id}"])
            table_ids.append(table_id)
            route = {
                "RouteTableId": table_id,
                "DestinationCidrBlock": "0.0.0.0/0",
                "NatGatewayId": gateways.get(zone_id, nearest),
            }
            resource(self, f"Route-private-{zone_id}", "AWS::EC2::Route", route)
        self._s3_endpoint(table_ids)

    def _s3_endpoint(self, route_table_ids: list[str]) -> None:
        properties = {
            "VpcId": self.vpc_id,
            "VpcEndpointType": "Gateway",
            "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
            "RouteTableIds": route_table_ids,
        }
        resource(self, "S3Endpoint", "AWS::EC2::VPCEndpoint", properties)
