"""What must hold of a network that stands already and is given as facts."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from trnstack.findings import Finding, Path
from trnstack.plan.nodes import control_plane_zone_ids
from trnstack.rules.network import network_of
from trnstack.rules.shape import repeated
from trnstack.spec import Environment
from trnstack.spec.network import ExistingSubnet

_VPC: Path = ("network", "existing_vpc")
_SUBNETS: Path = (*_VPC, "subnets")
#: What a VPC that stands has of its own, and what to say instead.
_OWN = {
    "vpc_cidr": "existing_vpc.cidr says its range",
    "nat_gateways": "its own routes lead out, or nowhere",
    "flow_logs": "its owner decides what is logged",
}


def _subnets(environment: Environment) -> tuple[ExistingSubnet, ...]:
    existing = environment.network.existing_vpc
    return existing.subnets if existing else ()


def _ranges(environment: Environment) -> Iterator[tuple[int, IPv4Network]]:
    for index, subnet in enumerate(_subnets(environment)):
        network = network_of(subnet.cidr)
        if network:
            yield index, network


def existing_vpc_keeps_its_own(environment: Environment) -> Iterator[Finding]:
    """NET016: Beside an existing VPC nothing is asked for that only a new one gets; false flow logs may be written.

    Source: the environment file's format, version 1.
    """
    network = environment.network
    if network.existing_vpc is None:
        return
    for field, reason in _OWN.items():
        if field in network.model_fields_set and getattr(network, field) is not False:
            yield Finding(
                code="NET016",
                path=("network", field),
                message=f"{field} is for a new VPC, and existing_vpc is given: {reason}",
                hint=f"remove {field}",
            )


def route_tables_are_public_or_private(environment: Environment) -> Iterator[Finding]:
    """NET026: Subnets of one route table are all public or all private: the way out is the table's.

    Nodes in a private subnet with a public one's table have no address that the Internet answers, and never join.

    Source: VPC user guide, "Subnet types".
    """
    public: dict[str, bool] = {}
    for index, subnet in enumerate(_subnets(environment)):
        if public.setdefault(subnet.route_table_id, subnet.public) is not subnet.public:
            kinds = ("public", "private") if subnet.public else ("private", "public")
            yield Finding(
                code="NET026",
                path=(*_SUBNETS, index, "route_table_id"),
                message=f"{subnet.route_table_id} is a {kinds[1]} subnet's, and this subnet is {kinds[0]}",
                hint="name the subnet's own route table, or correct public",
            )


def zones_have_a_private_subnet(environment: Environment) -> Iterator[Finding]:
    """NET017: Every zone of the environment has a private subnet, the control plane's two zones above all.

    Source: EKS user guide, "Amazon EKS networking requirements for VPC and subnets": subnets in two zones at least.
    """
    if environment.network.existing_vpc is None:
        return
    covered = {subnet.availability_zone_id for subnet in _subnets(environment) if not subnet.public}
    for zone_id in environment.availability_zone_ids:
        if zone_id not in covered:
            used_by = " for control plane and system nodes" if zone_id in control_plane_zone_ids(environment) else ""
            yield Finding(
                code="NET017",
                path=_SUBNETS,
                message=f"zone {zone_id} has no private subnet{used_by}",
                hint=f"add a private subnet in {zone_id}, or use another zone in availability_zone_ids",
            )


def existing_subnets_are_in_the_vpc(environment: Environment) -> Iterator[Finding]:
    """NET018: Every given subnet lies in the VPC's range.

    Source: VPC user guide, "Subnet CIDR blocks".
    """
    existing = environment.network.existing_vpc
    vpc = network_of(existing.cidr) if existing else None
    for index, subnet in _ranges(environment):
        if vpc and not subnet.subnet_of(vpc):
            yield Finding(
                code="NET018",
                path=(*_SUBNETS, index, "cidr"),
                message=f"{subnet} is not in the VPC's {vpc}",
                hint="write the range as EC2 shows it, or remove the subnet",
            )


def existing_subnets_do_not_overlap(environment: Environment) -> Iterator[Finding]:
    """NET019: No two of the given subnets share an address.

    Source: EC2 API reference, CreateSubnet: a subnet's range must not overlap another one's.
    """
    ranges = list(_ranges(environment))
    for position, (index, subnet) in enumerate(ranges):
        for _, other in ranges[:position]:
            if subnet.overlaps(other):
                yield Finding(
                    code="NET019",
                    path=(*_SUBNETS, index, "cidr"),
                    message=f"{subnet} overlaps {other} of another subnet",
                    hint="write both ranges as EC2 shows them",
                )


def existing_subnets_are_listed_once(environment: Environment) -> Iterator[Finding]:
    """NET021: No subnet is listed twice.

    Source: the environment file's format, version 1.
    """
    for index, subnet_id in repeated([subnet.subnet_id for subnet in _subnets(environment)]):
        yield Finding(
            code="NET021",
            path=(*_SUBNETS, index, "subnet_id"),
            message=f"subnet '{subnet_id}' is listed twice",
            hint="remove one of the two",
        )


def existing_roles_can_be_served(environment: Environment) -> Iterator[Finding]:
    """NET022: A role is given to private subnets only, and to one of each zone.

    Nodes of a public subnet would need public addresses, which an interface of several never gets; and an interface
    endpoint takes one subnet of each zone.

    Source: EC2 user guide, "Assign a public IPv4 address at launch"; EC2 API reference, CreateVpcEndpoint,
    ``SubnetIds``: error code ``DuplicateSubnetsInSameZone``.
    """
    served: set[tuple[str, str]] = set()
    for index, subnet in enumerate(_subnets(environment)):
        place = (subnet.role or "", subnet.availability_zone_id)
        if subnet.role and subnet.public:
            message, hint = f"a public subnet can't serve as {subnet.role}", "remove its role"
        elif subnet.role and place in served:
            message = f"another subnet in {subnet.availability_zone_id} has role {subnet.role}"
            hint = "remove one of the two roles"
        else:
            served.add(place)
            continue
        yield Finding(code="NET022", path=(*_SUBNETS, index, "role"), message=message, hint=hint)


RULES = (
    existing_vpc_keeps_its_own,
    route_tables_are_public_or_private,
    zones_have_a_private_subnet,
    existing_subnets_are_in_the_vpc,
    existing_subnets_do_not_overlap,
    existing_subnets_are_listed_once,
    existing_roles_can_be_served,
)
