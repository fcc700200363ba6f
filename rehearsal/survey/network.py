"""Surveys VPCs, but for the default one, which nobody deployed."""

from collections.abc import Iterator, Mapping
from typing import Any

from rehearsal.survey.paging import every, name_of
from rehearsal.survey.records import Endpoint, FlowLog, NatGateway, Rule, SecurityGroup, Subnet, Vpc

_GONE = ("deleting", "deleted", "failed")


def vpcs(ec2: Any, zones: Mapping[str, str]) -> tuple[Vpc, ...]:
    """Gives every VPC that was made.

    Args:
        ec2: EC2's client.
        zones: The zone id of each subnet.
    """
    made = [vpc for vpc in every(ec2, "describe_vpcs", "Vpcs") if not vpc["IsDefault"]]
    return tuple(_vpc(ec2, zones, vpc) for vpc in sorted(made, key=lambda vpc: (name_of(vpc), vpc["CidrBlock"])))


def _vpc(ec2: Any, zones: Mapping[str, str], vpc: dict[str, Any]) -> Vpc:
    of_vpc = {"Name": "vpc-id", "Values": [vpc["VpcId"]]}
    gateways = every(ec2, "describe_nat_gateways", "NatGateways", Filter=[of_vpc])
    endpoints = every(ec2, "describe_vpc_endpoints", "VpcEndpoints", Filters=[of_vpc])
    logs = every(ec2, "describe_flow_logs", "FlowLogs", Filters=[{"Name": "resource-id", "Values": [vpc["VpcId"]]}])
    standing = [one for one in endpoints if one["State"] not in _GONE]
    return Vpc(
        vpc_id=vpc["VpcId"],
        name=name_of(vpc),
        cidr=vpc["CidrBlock"],
        subnets=_subnets(ec2, of_vpc),
        nat_gateways=tuple(
            NatGateway(gateway["NatGatewayId"], gateway["SubnetId"], zones[gateway["SubnetId"]])
            for gateway in gateways
            if gateway["State"] not in _GONE
        ),
        endpoints=tuple(
            sorted(
                (Endpoint(_short(one["ServiceName"]), one["VpcEndpointType"]) for one in standing),
                key=lambda one: (one.type, one.service),
            )
        ),
        flow_logs=tuple(
            FlowLog(log["TrafficType"], log.get("LogGroupName") or log.get("LogDestination", "")) for log in logs
        ),
        security_groups=_security_groups(ec2, of_vpc),
    )


def _subnets(ec2: Any, of_vpc: dict[str, Any]) -> tuple[Subnet, ...]:
    subnets = every(ec2, "describe_subnets", "Subnets", Filters=[of_vpc])
    public = _public_subnets(ec2, of_vpc)
    return tuple(
        Subnet(
            subnet_id=subnet["SubnetId"],
            name=name_of(subnet),
            cidr=subnet["CidrBlock"],
            zone_id=subnet["AvailabilityZoneId"],
            public=subnet["SubnetId"] in public,
        )
        for subnet in sorted(
            subnets, key=lambda subnet: [int(part) for part in subnet["CidrBlock"].split("/")[0].split(".")]
        )
    )


def _public_subnets(ec2: Any, of_vpc: dict[str, Any]) -> set[str]:
    """Gives the subnets whose own route table leads to an internet gateway."""
    tables = every(ec2, "describe_route_tables", "RouteTables", Filters=[of_vpc])
    return {
        association["SubnetId"]
        for table in tables
        if any(str(route.get("GatewayId", "")).startswith("igw-") for route in table["Routes"])
        for association in table["Associations"]
        if "SubnetId" in association
    }


def _security_groups(ec2: Any, of_vpc: dict[str, Any]) -> tuple[SecurityGroup, ...]:
    """Gives a VPC's groups, but for its default one."""
    groups = every(ec2, "describe_security_groups", "SecurityGroups", Filters=[of_vpc])
    names = {group["GroupId"]: _name(group) for group in groups}
    return tuple(
        SecurityGroup(
            group_id=group["GroupId"],
            name=names[group["GroupId"]],
            rules=tuple(
                rule
                for direction, member in (("in", "IpPermissions"), ("out", "IpPermissionsEgress"))
                for permission in group[member]
                for rule in _rules(direction, permission, group["GroupId"], names)
            ),
        )
        for group in sorted(groups, key=lambda group: names[group["GroupId"]])
        if group["GroupName"] != "default"
    )


def _name(group: dict[str, Any]) -> str:
    """Gives what people call a group: its tag, or else the name that CloudFormation made up."""
    tags = {tag["Key"]: tag["Value"] for tag in group.get("Tags", [])}
    return tags.get("Name") or str(group["GroupName"])


def _rules(direction: str, permission: dict[str, Any], own: str, names: Mapping[str, str]) -> Iterator[Rule]:
    protocol = "all" if permission["IpProtocol"] == "-1" else permission["IpProtocol"]
    ports = _ports(protocol, permission.get("FromPort"), permission.get("ToPort"))
    peers = [one["CidrIp"] for one in permission.get("IpRanges", [])]
    peers += [one["CidrIpv6"] for one in permission.get("Ipv6Ranges", [])]
    peers += [one["PrefixListId"] for one in permission.get("PrefixListIds", [])]
    groups = [one["GroupId"] for one in permission.get("UserIdGroupPairs", [])]
    peers += ["itself" if group == own else names.get(group, group) for group in groups]
    for peer in peers:
        yield Rule(direction, protocol, ports, peer)


def _ports(protocol: str, first: int | None, last: int | None) -> str:
    """Gives a rule's ports; ICMP has a type and a code in their place, of which -1 means all."""
    if protocol == "all" or first is None or first == -1:
        return "all"
    if protocol.startswith("icmp"):
        return f"type {first}" if last == -1 else f"type {first} code {last}"
    return str(first) if first == last else f"{first}-{last}"


def _short(service: str) -> str:
    """Gives an endpoint service's name without ``com.amazonaws.REGION.``."""
    return service.split(".", 3)[-1]
