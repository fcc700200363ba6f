"""Whether a function in a VPC gets where it has to: to AWS's services, and to a cluster's API server.

A function's interfaces have no public address, so that a route to an internet gateway leads it nowhere; what leaves the
VPC goes through a NAT gateway, or ends at a VPC endpoint. Where it can't get through a call waits until the function's
time is over.

Source: Lambda developer guide, "Enable internet access for VPC-connected Lambda functions"; EKS user guide, "Deploy
private clusters with limited internet access" and "Cluster API server endpoint"; VPC user guide, "Security groups".
"""

import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rehearsal.kubectl.world import FunctionError, Invocation

_EVERYWHERE = "0.0.0.0/0"
_HTTPS = 443


def check_way(invocation: Invocation, services: Mapping[str, str]) -> None:
    """Refuses a function that stands in a VPC from which services can't be reached.

    Args:
        invocation: The call of the function.
        services: What it needs each service for, by the service's name in an endpoint's, such as ``sts``.

    Raises:
        FunctionError: There is no way to one of them.
    """
    subnet_ids, group_ids = invocation.vpc
    for subnet_id in subnet_ids:
        if _leads_out(invocation.network, subnet_id):
            continue
        for service, purpose in services.items():
            if not _has_endpoint(invocation.network, subnet_id, service, group_ids):
                raise FunctionError(
                    f"{invocation.function.function_name} timed out after {invocation.function.timeout} seconds: it "
                    f"can't {purpose}, since there is neither a NAT gateway nor an endpoint for {service} that lets it "
                    f"in on its way from {subnet_id}"
                )


def check_api_server(invocation: Invocation, cluster: Any) -> None:
    """Refuses a function that can't reach a cluster's API server: by its interfaces in the VPC, or else from outside.

    Raises:
        FunctionError: There is no way there.
    """
    subnet_ids, group_ids = invocation.vpc
    config = cluster.resources_vpc_config
    network = invocation.network
    inside = bool(subnet_ids) and all(network.get_subnet(each).vpc_id == config["vpcId"] for each in subnet_ids)
    if inside and config["endpointPrivateAccess"]:
        control_plane = [config["clusterSecurityGroupId"], *config["securityGroupIds"]]
        addresses = [network.get_subnet(each).cidr_block for each in subnet_ids]
        if any(_lets_in(network, group, group_ids, addresses) for group in control_plane):
            return
    elif config["endpointPublicAccess"] and all(_leads_out(network, each) for each in subnet_ids):
        return
    raise FunctionError(
        f"dial tcp: lookup or connection to {cluster.endpoint.removeprefix('https://')}:443: i/o timeout"
    )


def _leads_out(network: Any, subnet_id: str) -> bool:
    """Says whether a subnet's default route leads somewhere from where a private address gets on."""
    routes = (route for table in _tables(network, subnet_id) for route in table.routes)
    for route in routes:
        if route.destination_cidr_block == _EVERYWHERE:
            return bool(route.nat_gateway or route.transit_gateway or route.instance or route.interface)
    return False


def _tables(network: Any, subnet_id: str) -> Iterator[Any]:
    """Yields the route table of a subnet: its own, or else the main one of its VPC."""
    vpc_id = network.get_subnet(subnet_id).vpc_id
    tables = [table for table in network.route_tables.values() if table.vpc_id == vpc_id]
    own = [table for table in tables if subnet_id in {each.get("SubnetId") for each in table.associations}]
    yield from own or [table for table in tables if table.main_association_id]


def _has_endpoint(network: Any, subnet_id: str, service: str, group_ids: list[str]) -> bool:
    subnet = network.get_subnet(subnet_id)
    for endpoint in network.vpc_end_points.values():
        ours = endpoint.vpc_id == subnet.vpc_id and endpoint.state != "deleted"
        if not (ours and endpoint.service_name.endswith(f".{service}")):
            continue
        if endpoint.vpc_endpoint_type == "Gateway":
            if any(table.id in endpoint.route_table_ids for table in _tables(network, subnet_id)):
                return True
        elif endpoint.private_dns_enabled:
            groups = endpoint.security_group_ids
            if any(_lets_in(network, group, group_ids, [subnet.cidr_block]) for group in groups):
                return True
    return False


def _lets_in(network: Any, group_id: str, from_groups: Iterable[str], from_cidrs: Iterable[str]) -> bool:
    """Says whether a security group lets HTTPS in from groups or from networks."""
    groups, wanted = set(from_groups), [ipaddress.IPv4Network(each) for each in from_cidrs]
    for rule in network.get_security_group_from_id(group_id).ingress_rules:
        if not _is_of_https(rule):
            continue
        if (rule.source_group or {}).get("GroupId") in groups:
            return True
        source = (rule.ip_range or {}).get("CidrIp")
        if source and all(each.subnet_of(ipaddress.IPv4Network(source)) for each in wanted):
            return True
    return False


def _is_of_https(rule: Any) -> bool:
    if str(rule.ip_protocol) == "-1":
        return True
    return str(rule.ip_protocol) == "tcp" and int(rule.from_port) <= _HTTPS <= int(rule.to_port)
