"""VPCs and subnets, whose further attributes EC2 sets one call at a time."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, Read, changes, split
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call_fitted
from rehearsal.handlers.tags import retag_by_id

_VPC_SWITCHES = ("EnableDnsSupport", "EnableDnsHostnames")
_NAMES = "PrivateDnsNameOptionsOnLaunch"
_SUBNET_SWITCHES = ("MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation", "EnableDns64")


class Vpc(ApiHandler):
    """A VPC; its default security group and network ACL are read back."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the DNS switches to their own calls."""
        return split(super().creation(scope, resource), *_VPC_SWITCHES)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the VPC, then sets the DNS switches that the template gives."""
        super().create(scope, resource)
        self.apply(scope, resource, split(resource.properties, *_VPC_SWITCHES)[0])
        self.read_attributes(scope, resource)

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads the VPC, and what EC2 made with it."""
        super().read_attributes(scope, resource)
        blocks = resource.attributes["CidrBlockAssociations"]
        resource.attributes["CidrBlockAssociations"] = [block["AssociationId"] for block in blocks]
        client = scope.client("ec2")
        of_vpc = {"Name": "vpc-id", "Values": [resource.physical_id]}
        groups = client.describe_security_groups(Filters=[of_vpc, {"Name": "group-name", "Values": ["default"]}])
        acls = client.describe_network_acls(Filters=[of_vpc, {"Name": "default", "Values": ["true"]}])
        resource.attributes["DefaultSecurityGroup"] = groups["SecurityGroups"][0]["GroupId"]
        resource.attributes["DefaultNetworkAcl"] = acls["NetworkAcls"][0]["NetworkAclId"]

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets the DNS switches by ``ModifyVpcAttribute``, and passes on the rest."""
        switches, rest = split(changed, *_VPC_SWITCHES)
        _switch(resource, scope.client("ec2"), "ModifyVpcAttribute", {"VpcId": resource.physical_id}, switches)
        super().apply(scope, resource, rest)


class Subnet(ApiHandler):
    """A subnet, in the zone whose name or id the template gives."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the switches to their own calls; of ranges, those that a template gives are modelled.

        Raises:
            ResourceError: A pool of addresses is to give the range, or there is to be one of IPv6 alone.
        """
        if "CidrBlock" not in resource.properties:
            raise ResourceError(NOT_MODELLED, "The rehearsal does not model subnets without CidrBlock")
        return split(super().creation(scope, resource), *_SUBNET_SWITCHES, _NAMES)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the subnet, then sets the switches that the template gives."""
        super().create(scope, resource)
        self.apply(scope, resource, split(resource.properties, *_SUBNET_SWITCHES, _NAMES)[0], made=True)

    def apply(self, scope: Scope, resource: Resource, changed: Properties, *, made: bool = False) -> None:
        """Sets the switches by ``ModifySubnetAttribute``, and passes on the rest."""
        client, subnet = scope.client("ec2"), {"SubnetId": resource.physical_id}
        names, rest = split(changed, _NAMES)
        switches, rest = split(rest, *_SUBNET_SWITCHES)
        _switch(resource, client, "ModifySubnetAttribute", subnet, switches)
        old = {} if made or not names else resource.properties.get(_NAMES) or {}
        for name, value in changes(old, names.get(_NAMES) or {}).items():
            renamed = {"HostnameType": "PrivateDnsHostnameTypeOnLaunch"}.get(name, f"{name}OnLaunch")
            wrapped = value if name == "HostnameType" else {"Value": value}
            call_fitted(client, "ModifySubnetAttribute", {**subnet, renamed: wrapped})
        resource.took(changed, *names)
        super().apply(scope, resource, rest)


def _switch(resource: Resource, client: Any, operation: str, identity: Properties, switches: Properties) -> None:
    """Sets one switch a call, as EC2 wants it; a switch taken out of the template goes back to its default."""
    for name, value in switches.items():
        default = name == "EnableDnsSupport"
        call_fitted(client, operation, {**identity, name: {"Value": default if value is None else value}})
        resource.took(switches, name)


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::VPC": Vpc(
        service="ec2",
        create_operation="CreateVpc",
        reference="Vpc.VpcId",
        identity={"VpcId": "{Ref}"},
        update_operations=("ModifyVpcTenancy",),
        delete_operation="DeleteVpc",
        tag_type="vpc",
        retag=retag_by_id,
        read_back=Read(operation="DescribeVpcs", parameters={"VpcIds": ["{Ref}"]}),
        attributes={
            "VpcId": "Vpcs.0.VpcId",
            "CidrBlock": "Vpcs.0.CidrBlock",
            "CidrBlockAssociations": "Vpcs.0.CidrBlockAssociationSet",
        },
    ),
    "AWS::EC2::Subnet": Subnet(
        service="ec2",
        create_operation="CreateSubnet",
        reference="Subnet.SubnetId",
        identity={"SubnetId": "{Ref}"},
        delete_operation="DeleteSubnet",
        tag_type="subnet",
        retag=retag_by_id,
        attributes={
            "SubnetId": "Subnet.SubnetId",
            "VpcId": "Subnet.VpcId",
            "CidrBlock": "Subnet.CidrBlock",
            "AvailabilityZone": "Subnet.AvailabilityZone",
            "AvailabilityZoneId": "Subnet.AvailabilityZoneId",
        },
    ),
}
