"""Network ACLs, their rules, and the subnets that they guard; further ranges of a VPC and its way out for IPv6."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.names import generated_name
from rehearsal.handlers.tags import retag_by_id

_ICMP = {"Icmp": "IcmpTypeCode"}


class NetworkAclEntry(ApiHandler):
    """A rule of a network ACL; where nothing is said of its direction it is one for what comes in.

    Source: CloudFormation user guide, AWS::EC2::NetworkAclEntry: Ref is an id of its own, Egress is false by default.
    """

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives the direction, which EC2 wants to be told."""
        return {"Egress": False, **super().creation(scope, resource)}

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the rule, which EC2 knows by its ACL, direction and number."""
        call_fitted(scope.client("ec2"), self.create_operation, self.creation(scope, resource), self.renamed)
        resource.physical_id = generated_name(scope, resource, limit=255)
        resource.attributes["Id"] = resource.physical_id

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Puts the whole rule anew, as ``ReplaceNetworkAclEntry`` wants it."""
        if changed:
            wanted = {**self.creation(scope, resource), **changed}
            whole = {name: value for name, value in wanted.items() if value is not None}
            call_fitted(scope.client("ec2"), "ReplaceNetworkAclEntry", whole, self.renamed)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the rule."""
        if resource.physical_id is not None:
            known, _ = split(self.creation(scope, resource), "NetworkAclId", "RuleNumber", "Egress")
            call_fitted(scope.client("ec2"), self.delete_operation, known)


class SubnetNetworkAclAssociation:
    """The network ACL that guards a subnet, in the place of the one that did; the VPC's default comes back after it.

    Source: EC2 API reference, ReplaceNetworkAclAssociation; CloudFormation user guide,
    AWS::EC2::SubnetNetworkAclAssociation.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Puts the ACL before the subnet."""
        self._guard(scope, resource, resource.properties["NetworkAclId"])

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Refuses: both properties are of the creation."""
        del scope, properties
        raise ResourceError("NotUpdatable", f"{resource.type} can't be changed")

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Lets the VPC's default ACL guard the subnet again, unless another one does already."""
        if resource.physical_id is None:
            return
        known = {"Name": "association.association-id", "Values": [resource.physical_id]}
        found = call(scope.client("ec2"), "DescribeNetworkAcls", {"Filters": [known]})["NetworkAcls"]
        if found:
            of_vpc = {"Name": "vpc-id", "Values": [found[0]["VpcId"]]}
            default = {"Name": "default", "Values": ["true"]}
            (first,) = call(scope.client("ec2"), "DescribeNetworkAcls", {"Filters": [of_vpc, default]})["NetworkAcls"]
            self._guard(scope, resource, first["NetworkAclId"])

    @staticmethod
    def _guard(scope: Scope, resource: Resource, acl_id: str) -> None:
        client, subnet_id = scope.client("ec2"), resource.properties["SubnetId"]
        of_subnet = {"Name": "association.subnet-id", "Values": [subnet_id]}
        found = call(client, "DescribeNetworkAcls", {"Filters": [of_subnet]})["NetworkAcls"]
        associations = (each for acl in found for each in acl["Associations"] if each["SubnetId"] == subnet_id)
        association = next((each["NetworkAclAssociationId"] for each in associations), None)
        if association is None:
            raise ResourceError("InvalidSubnetID.NotFound", f"The subnet ID '{subnet_id}' does not exist")
        wish = {"AssociationId": association, "NetworkAclId": acl_id}
        resource.physical_id = call(client, "ReplaceNetworkAclAssociation", wish)["NewAssociationId"]
        resource.attributes["AssociationId"] = resource.physical_id


class VpcCidrBlock(ApiHandler):
    """A further range of a VPC; ``Ref`` is the id of its association.

    Source: CloudFormation user guide, AWS::EC2::VPCCidrBlock.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Adds the range; EC2 answers an IPv4 and an IPv6 range under different names."""
        answer = call_fitted(scope.client("ec2"), self.create_operation, resource.properties, self.renamed)
        made: dict[str, Any] = answer.get("CidrBlockAssociation") or answer["Ipv6CidrBlockAssociation"]
        resource.physical_id = made["AssociationId"]
        resource.attributes["Id"] = resource.physical_id


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::NetworkAcl": ApiHandler(
        service="ec2",
        create_operation="CreateNetworkAcl",
        reference="NetworkAcl.NetworkAclId",
        identity={"NetworkAclId": "{Ref}"},
        delete_operation="DeleteNetworkAcl",
        tag_type="network-acl",
        retag=retag_by_id,
        attributes={"Id": "NetworkAcl.NetworkAclId"},
    ),
    "AWS::EC2::NetworkAclEntry": NetworkAclEntry(
        service="ec2",
        create_operation="CreateNetworkAclEntry",
        reference="",
        identity={},
        delete_operation="DeleteNetworkAclEntry",
        renamed=_ICMP,
    ),
    "AWS::EC2::SubnetNetworkAclAssociation": SubnetNetworkAclAssociation(),
    "AWS::EC2::VPCCidrBlock": VpcCidrBlock(
        service="ec2",
        create_operation="AssociateVpcCidrBlock",
        reference="",
        identity={"AssociationId": "{Ref}"},
        delete_operation="DisassociateVpcCidrBlock",
    ),
    "AWS::EC2::EgressOnlyInternetGateway": ApiHandler(
        service="ec2",
        create_operation="CreateEgressOnlyInternetGateway",
        reference="EgressOnlyInternetGateway.EgressOnlyInternetGatewayId",
        identity={"EgressOnlyInternetGatewayId": "{Ref}"},
        delete_operation="DeleteEgressOnlyInternetGateway",
        tag_type="egress-only-internet-gateway",
        retag=retag_by_id,
        attributes={"Id": "EgressOnlyInternetGateway.EgressOnlyInternetGatewayId"},
    ),
}
