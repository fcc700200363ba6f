"""What the network is made of: its range and its subnets, of a new VPC and of one that stands already."""

import ipaddress

from trnstack.layout.existing_subnets import Assignment, GivenSubnet, assign
from trnstack.layout.services import service_range
from trnstack.layout.subnets import Subnet, divide
from trnstack.spec import Environment


def vpc_cidr_of(environment: Environment) -> str:
    """Returns the VPC's IPv4 range."""
    existing = environment.network.existing_vpc
    return existing.cidr if existing else environment.network.vpc_cidr


def service_cidr_of(environment: Environment) -> str:
    """Returns the range of Kubernetes services' addresses, which lies beside the VPC's.

    Raises:
        ValueError: The VPC's range is not a network.
    """
    return str(service_range(ipaddress.IPv4Network(vpc_cidr_of(environment)), environment.eks.service_cidr))


def is_fully_private(environment: Environment) -> bool:
    """Tells whether nothing leads out of the VPC, so that only AWS services with an endpoint can be reached.

    Of a VPC that stands already nothing is looked up: an ``image_mirror`` says that public registries are out of reach.
    """
    network = environment.network
    return network.image_mirror is not None if network.existing_vpc else network.nat_gateways == 0


def assignments_of(environment: Environment) -> tuple[Assignment, ...]:
    """Returns the roles of an existing VPC's subnets; none for a new VPC.

    Raises:
        ValueError: A range is not a network.
    """
    existing = environment.network.existing_vpc
    if existing is None:
        return ()
    given = (GivenSubnet(**subnet.model_dump()) for subnet in existing.subnets)
    return assign(given, environment.availability_zone_ids)


def subnets_of(environment: Environment) -> tuple[Subnet, ...]:
    """Returns the subnets that the environment uses, zone by zone.

    A public subnet is there for a NAT gateway alone. Without one it is left out, and its range stays free for it.

    Raises:
        ValueError: A range is not a network, or the VPC's can't be divided.
    """
    if environment.network.existing_vpc:
        return tuple(assignment.subnet for assignment in assignments_of(environment))
    divided = divide(environment.network.vpc_cidr, environment.availability_zone_ids)
    return tuple(each for each in divided if each.role != "public" or environment.network.nat_gateways)
