"""VPC endpoints and flow logs."""

from rehearsal.handlers.api import ApiHandler, Read, not_updatable, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call_fitted
from rehearsal.handlers.tags import retag_by_id

_MEMBER_LISTS = {
    "RouteTableIds": ("AddRouteTableIds", "RemoveRouteTableIds"),
    "SubnetIds": ("AddSubnetIds", "RemoveSubnetIds"),
    "SecurityGroupIds": ("AddSecurityGroupIds", "RemoveSecurityGroupIds"),
}


class VpcEndpoint(ApiHandler):
    """An endpoint, whose lists EC2 changes by what is added and removed."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Says that an endpoint is a gateway where the template says nothing, which is EC2's default."""
        return {"VpcEndpointType": "Gateway", **super().creation(scope, resource)}

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads the endpoint; CloudFormation gives each DNS entry as ``zone:name``."""
        super().read_attributes(scope, resource)
        entries = resource.attributes.get("DnsEntries", [])
        resource.attributes["DnsEntries"] = [
            f"{entry['HostedZoneId']}:{entry['DnsName']}" for entry in entries if isinstance(entry, dict)
        ]
        resource.attributes["CreationTimestamp"] = str(resource.attributes["CreationTimestamp"])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Changes the endpoint by one ``ModifyVpcEndpoint``."""
        lists, rest = split(changed, *_MEMBER_LISTS)
        gone = [name for name, value in rest.items() if value is None]
        if gone:
            raise not_updatable(resource, gone)
        modification = dict(rest)
        for name, value in lists.items():
            add, remove = _MEMBER_LISTS[name]
            old, new = resource.properties.get(name) or [], value or []
            modification[add] = [member for member in new if member not in old]
            modification[remove] = [member for member in old if member not in new]
        sent = {name: value for name, value in modification.items() if value != []}
        call_fitted(scope.client("ec2"), "ModifyVpcEndpoint", {"VpcEndpointId": resource.physical_id, **sent})


class FlowLog(ApiHandler):
    """A flow log of one resource; EC2's API makes them for several at once."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives the one resource as a list."""
        properties = super().creation(scope, resource)
        properties["ResourceIds"] = [properties.pop("ResourceId")]
        return properties


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::VPCEndpoint": VpcEndpoint(
        service="ec2",
        create_operation="CreateVpcEndpoint",
        reference="VpcEndpoint.VpcEndpointId",
        identity={"VpcEndpointIds": ["{Ref}"]},
        delete_operation="DeleteVpcEndpoints",
        tag_type="vpc-endpoint",
        retag=retag_by_id,
        read_back=Read(operation="DescribeVpcEndpoints", parameters={"VpcEndpointIds": ["{Ref}"]}),
        attributes={
            "Id": "VpcEndpoints.0.VpcEndpointId",
            "NetworkInterfaceIds": "VpcEndpoints.0.NetworkInterfaceIds",
            "DnsEntries": "VpcEndpoints.0.DnsEntries",
            "CreationTimestamp": "VpcEndpoints.0.CreationTimestamp",
        },
    ),
    "AWS::EC2::FlowLog": FlowLog(
        service="ec2",
        create_operation="CreateFlowLogs",
        reference="FlowLogIds.0",
        identity={"FlowLogIds": ["{Ref}"]},
        delete_operation="DeleteFlowLogs",
        tag_type="vpc-flow-log",
        retag=retag_by_id,
        attributes={"Id": "FlowLogIds.0"},
    ),
}
