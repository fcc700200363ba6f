"""EC2's routes, and which subnets go by which route table.

Source: EC2 API reference, CreateRoute and AssociateRouteTable. AWS's words and codes as people quote them:
smoketurner/serverless-vpc-plugin 147 (networks), badmintoncryer/cdk-preflight, rules/ec2,
pf-ec2-route-target-exactly-one, ``meta.yaml`` (targets), eksctl-io/eksctl 2473 (a route twice);
hashicorp/terraform-provider-aws, website/docs/r/route_table_association (two tables). Codes of no target and of two:
openstack/ec2-api, route_table.py, which imitates EC2. Not confirmed: the words about a subnet of another VPC, which are
those about gateways.
"""

import ipaddress
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.errors import OverlayError

#: The parameters that name a target, in the order in which EC2 tells them.
_TARGETS = (
    "GatewayId",
    "LocalGatewayId",
    "CarrierGatewayId",
    "NatGatewayId",
    "NetworkInterfaceId",
    "VpcPeeringConnectionId",
    "EgressOnlyInternetGatewayId",
    "TransitGatewayId",
    "VpcEndpointId",
    "CoreNetworkArn",
    "InstanceId",
)
_INVALID = "InvalidParameterValue"


class Routes(EC2Response):
    """Routes and route tables' associations, with what AWS refuses and moto takes."""

    def create_route(self) -> ActionResult:
        """Answers CreateRoute."""
        self._check_destination()
        self._check_target()
        return super().create_route()

    def replace_route(self) -> ActionResult:
        """Answers ReplaceRoute."""
        self._check_target()
        return super().replace_route()

    def associate_route_table(self) -> ActionResult:
        """Answers AssociateRouteTable; a subnet goes by one table, of its own VPC."""
        table_id, subnet_id = self._get_param("RouteTableId"), self._get_param("SubnetId")
        if subnet_id:
            table, subnet = self.ec2_backend.get_route_table(table_id), self.ec2_backend.get_subnet(subnet_id)
            if table.vpc_id != subnet.vpc_id:
                message = f"route table {table_id} and subnet {subnet_id} belong to different networks"
                raise OverlayError(_INVALID, message)
            tables = self.ec2_backend.route_tables.values()
            if any(one.get("SubnetId") == subnet_id for table in tables for one in table.associations):
                message = f"the specified association for route table {table_id} conflicts with an existing association"
                raise OverlayError("Resource.AlreadyAssociated", message)
        return super().associate_route_table()

    def _check_destination(self) -> None:
        cidr = self._get_param("DestinationCidrBlock")
        if cidr is not None and not _is_range(cidr):
            message = f"Value ({cidr}) for parameter destinationCidrBlock is invalid. This is not a valid CIDR block."
            raise OverlayError(_INVALID, message)

    def _check_target(self) -> None:
        """Refuses no target and more than one, a NAT gateway that is not there, and an unattached internet gateway."""
        given = [name for name in _TARGETS if self._get_param(name)]
        if len(given) != 1:
            *others, last = (f"{name[:1].lower()}{name[1:]}" for name in _TARGETS)
            message = f"The request must contain exactly one of {', '.join(others)} or {last}"
            raise OverlayError("InvalidParameterCombination" if given else "MissingParameter", message)
        self._check_nat_gateway(self._get_param("NatGatewayId"))
        self._check_gateway(self._get_param("GatewayId"))

    def _check_nat_gateway(self, nat_gateway_id: str | None) -> None:
        """Refuses a NAT gateway that is not there.

        Source: EC2 API reference, error codes, InvalidNatGatewayID.NotFound; the words are those of its kind.
        """
        if nat_gateway_id and nat_gateway_id not in self.ec2_backend.nat_gateways:
            message = f"The natGateway ID '{nat_gateway_id}' does not exist"
            raise OverlayError("InvalidNatGatewayID.NotFound", message)

    def _check_gateway(self, gateway_id: str | None) -> None:
        """Refuses an internet gateway that is not attached to the route table's VPC."""
        table_id = self._get_param("RouteTableId")
        gateway = self.ec2_backend.internet_gateways.get(gateway_id)
        if gateway is None:
            return
        if gateway.vpc is None or gateway.vpc.id != self.ec2_backend.get_route_table(table_id).vpc_id:
            message = f"route table {table_id} and network gateway {gateway_id} belong to different networks"
            raise OverlayError(_INVALID, message)


def _is_range(cidr: Any) -> bool:
    """Says whether a text is a range of IPv4 with its size."""
    try:
        ipaddress.IPv4Network(str(cidr), strict=False)
    except ValueError:
        return False
    return "/" in str(cidr)
