"""How packets leave a subnet: route tables, gateways and addresses."""

from rehearsal.handlers.api import ApiHandler
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.tags import retag_by_id

_DESTINATION = "{DestinationCidrBlock}"


class Route(ApiHandler):
    """A route, whose target may be replaced by one of another kind."""

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Replaces the target; the one that the template no longer gives goes with it."""
        given = {name: value for name, value in changed.items() if value is not None}
        super().apply(scope, resource, given or changed)


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::InternetGateway": ApiHandler(
        service="ec2",
        create_operation="CreateInternetGateway",
        reference="InternetGateway.InternetGatewayId",
        identity={"InternetGatewayId": "{Ref}"},
        delete_operation="DeleteInternetGateway",
        tag_type="internet-gateway",
        retag=retag_by_id,
        attributes={"InternetGatewayId": "InternetGateway.InternetGatewayId"},
    ),
    "AWS::EC2::VPCGatewayAttachment": ApiHandler(
        service="ec2",
        create_operation="AttachInternetGateway",
        reference="IGW|{VpcId}",
        identity={"VpcId": "{VpcId}", "InternetGatewayId": "{InternetGatewayId}"},
        delete_operation="DetachInternetGateway",
    ),
    "AWS::EC2::RouteTable": ApiHandler(
        service="ec2",
        create_operation="CreateRouteTable",
        reference="RouteTable.RouteTableId",
        identity={"RouteTableId": "{Ref}"},
        delete_operation="DeleteRouteTable",
        tag_type="route-table",
        retag=retag_by_id,
        attributes={"RouteTableId": "RouteTable.RouteTableId"},
    ),
    "AWS::EC2::SubnetRouteTableAssociation": ApiHandler(
        service="ec2",
        create_operation="AssociateRouteTable",
        reference="AssociationId",
        identity={"AssociationId": "{Ref}"},
        delete_operation="DisassociateRouteTable",
        attributes={"Id": "AssociationId"},
    ),
    "AWS::EC2::Route": Route(
        service="ec2",
        create_operation="CreateRoute",
        reference="{RouteTableId}|" + _DESTINATION,
        identity={"RouteTableId": "{RouteTableId}", "DestinationCidrBlock": _DESTINATION},
        update_operations=("ReplaceRoute",),
        delete_operation="DeleteRoute",
    ),
    "AWS::EC2::EIP": ApiHandler(
        service="ec2",
        create_operation="AllocateAddress",
        reference="PublicIp",
        identity={"AllocationId": "{AllocationId}"},
        delete_operation="ReleaseAddress",
        tag_type="elastic-ip",
        retag=retag_by_id,
        attributes={"PublicIp": "PublicIp", "AllocationId": "AllocationId"},
    ),
    "AWS::EC2::NatGateway": ApiHandler(
        service="ec2",
        create_operation="CreateNatGateway",
        reference="NatGateway.NatGatewayId",
        identity={"NatGatewayId": "{Ref}"},
        delete_operation="DeleteNatGateway",
        tag_type="natgateway",
        retag=retag_by_id,
        attributes={
            "NatGatewayId": "NatGateway.NatGatewayId",
            "EniId": "NatGateway.NatGatewayAddresses.0.NetworkInterfaceId",
        },
    ),
}
