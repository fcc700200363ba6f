"""Rules of IPv4 addresses: what stands in a subnet must fit in it."""

import ipaddress
from collections.abc import Iterator

from trnstack.findings import Finding, Path
from trnstack.layout.subnets import BLOCKS, RESERVED_ADDRESSES
from trnstack.plan.addresses import SubnetUse, subnet_uses
from trnstack.spec import Environment


def nodes_and_file_system_fit_their_subnet(environment: Environment) -> Iterator[Finding]:
    """NET006: The addresses of a zone's nodes, at their most and during an update, and of the file system fit.

    A node takes one address for each interface that has one, and those that the VPC CNI keeps for pods. In a subnet
    that is full, nodes don't start and pods wait, which shows only when a fleet grows or is updated.

    Source: VPC user guide, "Subnet sizing"; amazon-vpc-cni-k8s, docs/eni-and-ip-target.md; EKS user guide, "Managed
    node group update behavior".
    """
    for use in _uses(environment, "nodes"):
        if use.free < 0:
            shared = len({subnet.role for subnet in use.subnets}) > 1
            subnet = use.subnets[0]
            yield Finding(
                code="NET006",
                path=_path(environment),
                message=(
                    f"nodes and file system{', system nodes and control plane' if shared else ''} in "
                    f"{subnet.availability_zone_id} take up to {use.taken:,} addresses, "
                    f"its subnet {subnet.cidr} has {subnet.addresses:,}"
                ),
                hint=_more_room(environment, use.taken),
            )


def system_nodes_fit_their_subnets(environment: Environment) -> Iterator[Finding]:
    """NET020: The addresses of system nodes, control plane and endpoints fit into any one of the system subnets.

    Auto Scaling may start all system nodes in one zone when the others have no capacity.

    Source: EKS user guide, "Amazon EKS networking requirements for VPC and subnets".
    """
    alone = [use for use in _uses(environment, "system") if all(subnet.role == "system" for subnet in use.subnets)]
    tightest = min(alone, key=lambda use: use.free, default=None)
    if tightest and tightest.free < 0:
        subnet = tightest.subnets[0]
        existing = environment.network.existing_vpc
        yield Finding(
            code="NET020",
            path=("eks", "system_node_group", "max_count"),
            message=(
                f"in {subnet.availability_zone_id} {' and '.join(use.user for use in tightest.uses)} take up to "
                f"{tightest.taken:,} addresses, subnet {subnet.cidr} has {subnet.addresses:,}"
            ),
            hint=f"use a larger {'subnet' if existing else 'vpc_cidr'} or fewer system nodes",
        )


def _uses(environment: Environment, role: str) -> list[SubnetUse]:
    """Returns the subnets of a role; none where a range is wrong, which is another rule's finding."""
    try:
        return [use for use in subnet_uses(environment) if any(subnet.role == role for subnet in use.subnets)]
    except ValueError:
        return []


def _path(environment: Environment) -> Path:
    return ("network", "existing_vpc", "subnets") if environment.network.existing_vpc else ("network", "vpc_cidr")


def _more_room(environment: Environment, taken: int) -> str:
    if environment.network.existing_vpc:
        return "add a larger private subnet of this zone, or use fewer nodes in it"
    wanted = _wanted_prefix(environment, taken)
    return f"use vpc_cidr with prefix /{wanted}" if wanted else "use fewer nodes in this zone, or another zone for some"


def _wanted_prefix(environment: Environment, taken: int) -> int | None:
    """Returns the prefix of the smallest VPC, up to a /16, in which a zone's share is large enough."""
    now = ipaddress.IPv4Network(environment.network.vpc_cidr).prefixlen
    fitting = (prefix for prefix in range(now, 15, -1) if 2 ** (32 - prefix) // BLOCKS - RESERVED_ADDRESSES >= taken)
    return next(fitting, None)


RULES = (nodes_and_file_system_fit_their_subnet, system_nodes_fit_their_subnets)
