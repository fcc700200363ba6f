"""Rules of IPv4 addresses: what stands in a subnet must fit in it."""

import ipaddress
from collections.abc import Iterator

from trnstack.catalog import INSTANCE_TYPES
from trnstack.findings import Finding
from trnstack.layout.addresses import file_system_addresses, node_addresses
from trnstack.layout.interfaces import Interface
from trnstack.layout.subnets import BLOCKS, RESERVED_ADDRESSES, Subnet, divide
from trnstack.plan.nodes import CONTROL_PLANE_ZONES, SURGE_PER_ZONE, addresses_of, zone_of
from trnstack.spec import Environment

#: The control plane's interfaces and the interface endpoints, one each in every system subnet, at the very most.
_CONTROL_PLANE_AND_ENDPOINTS = 40


def nodes_and_file_system_fit_their_subnet(environment: Environment) -> Iterator[Finding]:
    """NET006: The addresses of a zone's nodes, at their most and during an update, and of the file system fit.

    A node takes one address for each interface that has one, and those that the VPC CNI keeps for pods. In a subnet
    that is full, nodes don't start and pods wait, which shows only when a fleet grows or is updated.

    Source: VPC user guide, "Subnet sizing"; amazon-vpc-cni-k8s, docs/eni-and-ip-target.md; EKS user guide, "Managed
    node group update behavior".
    """
    for subnet in _subnets(environment, "nodes"):
        taken = _taken(environment, subnet.availability_zone_id)
        if taken > subnet.addresses:
            wanted = _wanted_prefix(environment, taken)
            hint = (
                f"use vpc_cidr with prefix /{wanted}"
                if wanted
                else "use fewer nodes in this zone, or another zone for some"
            )
            yield Finding(
                code="NET006",
                path=("network", "vpc_cidr"),
                message=(
                    f"nodes and file system in {subnet.availability_zone_id} take up to {taken:,} addresses, "
                    f"its subnet {subnet.cidr} has {subnet.addresses:,}"
                ),
                hint=hint,
            )


def system_nodes_fit_their_subnets(environment: Environment) -> Iterator[Finding]:
    """NET020: The addresses of system nodes, control plane and endpoints fit into any one of the system subnets.

    Auto Scaling may start all system nodes in one zone when the others have no capacity.

    Source: EKS user guide, "Amazon EKS networking requirements for VPC and subnets".
    """
    subnets = _subnets(environment, "system")
    group = environment.eks.system_node_group
    plain = (Interface(network_card_index=0, device_index=0, interface_type="interface"),)
    surge = SURGE_PER_ZONE * CONTROL_PLANE_ZONES
    nodes = node_addresses(plain, largest_count=group.max_count, surge_count=surge).total
    taken = nodes + _CONTROL_PLANE_AND_ENDPOINTS
    if subnets and taken > subnets[0].addresses:
        yield Finding(
            code="NET020",
            path=("eks", "system_node_group", "max_count"),
            message=(
                f"{group.max_count} system nodes, control plane and endpoints take up to {taken:,} addresses, "
                f"subnet {subnets[0].cidr} has {subnets[0].addresses:,}"
            ),
            hint="use a larger vpc_cidr or fewer system nodes",
        )


def _subnets(environment: Environment, role: str) -> list[Subnet]:
    """Returns the subnets of a role; none where the VPC's range is wrong, which is another rule's finding."""
    try:
        return [
            subnet
            for subnet in divide(environment.network.vpc_cidr, environment.availability_zone_ids)
            if subnet.role == role
        ]
    except ValueError:
        return []


def _taken(environment: Environment, zone_id: str) -> int:
    nodes = sum(
        addresses_of(group, INSTANCE_TYPES[group.instance_type]).total
        for group in environment.node_groups
        if zone_of(environment, group) == zone_id and group.instance_type in INSTANCE_TYPES
    )
    lustre = environment.storage.lustre
    home = zone_id == environment.availability_zone_ids[0]
    return nodes + (file_system_addresses(lustre.storage_gib) if lustre and home else 0)


def _wanted_prefix(environment: Environment, taken: int) -> int | None:
    """Returns the prefix of the smallest VPC, up to a /16, in which a zone's share is large enough."""
    now = ipaddress.IPv4Network(environment.network.vpc_cidr).prefixlen
    fitting = (prefix for prefix in range(now, 15, -1) if 2 ** (32 - prefix) // BLOCKS - RESERVED_ADDRESSES >= taken)
    return next(fitting, None)


RULES = (nodes_and_file_system_fit_their_subnet, system_nodes_fit_their_subnets)
