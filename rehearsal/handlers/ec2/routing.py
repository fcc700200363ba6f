"""How packets leave a subnet: route tables, gateways and addresses."""

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.tags import retag_by_id

_DESTINATIONS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
_DOMAIN = "vpc"


class Route(ApiHandler):
    """A route, whose target may be replaced by one of another kind.

    Its identity is its table and its destination, of which there are three kinds.

    Source: EC2 API reference, CreateRoute and DeleteRoute.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the route; see ``Handler.create``."""
        call_fitted(scope.client(self.service), self.create_operation, resource.properties)
        destination = next(resource.properties[name] for name in _DESTINATIONS if name in resource.properties)
        resource.physical_id = f"{resource.properties['RouteTableId']}|{destination}"

    def identified(self, resource: Resource) -> Properties:
        """Gives the parameters that name the route."""
        return split(resource.properties, "RouteTableId", *_DESTINATIONS)[0]

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Replaces the target; the one that the template no longer gives goes with it."""
        given = {name: value for name, value in changed.items() if value is not None}
        super().apply(scope, resource, given or changed)


class Association(ApiHandler):
    """A subnet's route table; one of a subnet that has an association already takes that one's place.

    Source: CloudFormation user guide, AWS::EC2::SubnetRouteTableAssociation: another table is a replacement, which
    could not be made beside the old one; aws-cloudformation/cfn-lint pull request 415, of two of a subnet. By which
    call it takes the place is unconfirmed.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the association, or moves the one that the subnet has; see ``Handler.create``."""
        client, properties = scope.client(self.service), resource.properties
        of_subnet = {"Name": "association.subnet-id", "Values": [properties["SubnetId"]]}
        answer = call(client, "DescribeRouteTables", {"Filters": [of_subnet]})
        stand = [one for table in answer["RouteTables"] for one in table["Associations"]]
        mine = next((one for one in stand if one.get("SubnetId") == properties["SubnetId"]), None)
        if mine is None:
            super().create(scope, resource)
            return
        move = {"AssociationId": mine["RouteTableAssociationId"], "RouteTableId": properties["RouteTableId"]}
        resource.physical_id = call(client, "ReplaceRouteTableAssociation", move)["NewAssociationId"]
        resource.attributes["Id"] = resource.physical_id


class Address(ApiHandler):
    """An Elastic IP address; the addresses outside of a VPC, which have no allocation id, are not modelled."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Refuses an address outside of a VPC.

        Source: EC2 user guide, "Elastic IP addresses": EC2-Classic, which alone had them, is retired.
        """
        if resource.properties.get("Domain", _DOMAIN) != _DOMAIN:
            raise ResourceError(NOT_MODELLED, "The rehearsal does not model addresses outside of a VPC")
        return super().creation(scope, resource)


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
    "AWS::EC2::SubnetRouteTableAssociation": Association(
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
        reference="",
        identity={},
        update_operations=("ReplaceRoute",),
        delete_operation="DeleteRoute",
    ),
    "AWS::EC2::EIP": Address(
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
