"""Reads networks, security groups with their rules, and launch templates."""

from typing import Any

from botocore.exceptions import ClientError

from rehearsal.drift.api import ApiReader, Record, unless_gone
from rehearsal.engine.drift import Reader
from rehearsal.handlers.base import Properties, Resource, Scope
from rehearsal.handlers.calls import at, call


def _group(scope: Scope, resource: Resource, record: Record) -> Record:
    """Adds the rules of a group but for those that are resources of their own, in whatever stack."""
    filters = {"Filters": [{"Name": "group-id", "Values": [resource.physical_id]}]}
    answer = call(scope.client("ec2"), "DescribeSecurityGroupRules", filters)
    rules = [one for one in answer["SecurityGroupRules"] if not _is_a_resource(scope, one["SecurityGroupRuleId"])]
    record["GroupDescription"] = record.pop("Description", "")
    for name, egress in (("SecurityGroupIngress", False), ("SecurityGroupEgress", True)):
        record[name] = [_rule(one) for one in rules if one["IsEgress"] is egress]
    return record


def _is_a_resource(scope: Scope, rule_id: str) -> bool:
    """Says whether a rule is a stack's resource, by asking CloudFormation."""
    cloudformation = scope.client("cloudformation")
    try:
        call(cloudformation, "DescribeStackResources", {"PhysicalResourceId": rule_id})
    except ClientError:
        return False
    return True


def _rule(found: Record) -> Properties:
    side = "Destination" if found["IsEgress"] else "Source"
    ports = {} if found["IpProtocol"] == "-1" else {"FromPort": found.get("FromPort"), "ToPort": found.get("ToPort")}
    peers = {
        "CidrIp": found.get("CidrIpv4"),
        "CidrIpv6": found.get("CidrIpv6"),
        f"{side}PrefixListId": found.get("PrefixListId"),
        f"{side}SecurityGroupId": found.get("ReferencedGroupInfo", {}).get("GroupId"),
    }
    told = {"IpProtocol": found["IpProtocol"], **ports, **peers, "Description": found.get("Description")}
    return {name: value for name, value in told.items() if value not in {None, ""}}


def read_rule(scope: Scope, resource: Resource) -> Properties | None:
    """Reads a rule that stands in a template of its own."""
    client, parameters = scope.client("ec2"), {"SecurityGroupRuleIds": [resource.physical_id]}
    answer = unless_gone(lambda: call(client, "DescribeSecurityGroupRules", parameters))
    found = at(answer or {}, "SecurityGroupRules.0")
    return None if found is None else {"GroupId": found["GroupId"], **_rule(found)}


def _ended(record: Record) -> bool:
    return str(record.get("State", "")).lower() in {"deleted", "deleting"}


def _ec2(operation: str, parameter: str, place: str, **more: Any) -> ApiReader:
    return ApiReader(service="ec2", operation=operation, parameters={parameter: ["{Ref}"]}, at=place, **more)


READERS: dict[str, Reader] = {
    "AWS::EC2::InternetGateway": _ec2("DescribeInternetGateways", "InternetGatewayIds", "InternetGateways.0"),
    "AWS::EC2::LaunchTemplate": _ec2("DescribeLaunchTemplates", "LaunchTemplateIds", "LaunchTemplates.0"),
    "AWS::EC2::NatGateway": _ec2("DescribeNatGateways", "NatGatewayIds", "NatGateways.0", gone=_ended),
    "AWS::EC2::RouteTable": _ec2("DescribeRouteTables", "RouteTableIds", "RouteTables.0"),
    "AWS::EC2::SecurityGroup": _ec2("DescribeSecurityGroups", "GroupIds", "SecurityGroups.0", adapt=_group),
    "AWS::EC2::SecurityGroupEgress": read_rule,
    "AWS::EC2::SecurityGroupIngress": read_rule,
    "AWS::EC2::Subnet": _ec2("DescribeSubnets", "SubnetIds", "Subnets.0"),
    "AWS::EC2::VPC": _ec2("DescribeVpcs", "VpcIds", "Vpcs.0"),
    "AWS::EC2::VPCEndpoint": _ec2("DescribeVpcEndpoints", "VpcEndpointIds", "VpcEndpoints.0", gone=_ended),
}
