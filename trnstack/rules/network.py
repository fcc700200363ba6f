"""What must hold of networks: ranges are real, private, large enough, and out of each other's way."""

import ipaddress
from collections.abc import Iterator
from ipaddress import IPv4Network

from trnstack.findings import Finding, Path, Severity, did_you_mean
from trnstack.layout.services import PRIVATE_RANGES, SERVICE_RANGES
from trnstack.rules.shape import repeated
from trnstack.spec import Environment

_PRIVATE = (*PRIVATE_RANGES, IPv4Network("100.64.0.0/10"))
#: An eighth of the VPC is a zone's nodes, a sixteenth of an eighth the smallest subnet: a /28 of a /21, as AWS allows.
_LARGEST_PREFIX, _SMALLEST_PREFIX = 16, 21
_DOCKER_BRIDGE = IPv4Network("172.17.0.0/16")

#: The AWS services that a training cluster may want to reach without leaving AWS's network.
#: Source: AWS PrivateLink guide, "AWS services that integrate with AWS PrivateLink"; EKS user guide, "Deploy private
#: clusters with limited internet access".
INTERFACE_ENDPOINTS = (
    "aps-workspaces",
    "autoscaling",
    "cloudformation",
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticfilesystem",
    "elasticloadbalancing",
    "events",
    "fsx",
    "kms",
    "lambda",
    "logs",
    "monitoring",
    "scheduler",
    "secretsmanager",
    "servicequotas",
    "sns",
    "sqs",
    "ssm",
    "ssmmessages",
    "states",
    "sts",
    "xray",
)
#: Services that have endpoints of the other kind, which cost nothing.
_GATEWAY_ENDPOINTS = ("dynamodb", "s3")


def network_of(text: str) -> IPv4Network | None:
    """Returns the network that a text means; None where it means none."""
    try:
        return IPv4Network(text)
    except ValueError:
        return None


def _written(environment: Environment) -> Iterator[tuple[Path, str]]:
    network, public = environment.network, environment.eks.public_access_cidrs
    yield ("network", "vpc_cidr"), network.vpc_cidr
    if environment.eks.service_cidr != "auto":
        yield ("eks", "service_cidr"), environment.eks.service_cidr
    for index, text in enumerate(network.client_cidrs):
        yield ("network", "client_cidrs", index), text
    for index, text in enumerate(public):
        yield ("eks", "public_access_cidrs", index), text
    if network.existing_vpc:
        yield ("network", "existing_vpc", "cidr"), network.existing_vpc.cidr
        for index, subnet in enumerate(network.existing_vpc.subnets):
            yield ("network", "existing_vpc", "subnets", index, "cidr"), subnet.cidr


def ranges_are_networks(environment: Environment) -> Iterator[Finding]:
    """NET001: Every range is a network: four numbers up to 255, a prefix up to 32, and no bit set behind the prefix.

    Source: RFC 4632, section 3.1; EC2 API reference, CreateVpc, ``CidrBlock``.
    """
    for path, text in _written(environment):
        if network_of(text):
            continue
        try:
            meant = ipaddress.IPv4Interface(text).network
        except ValueError:
            reason, hint = "is not an IPv4 range", "write four numbers from 0 to 255 and a prefix from 0 to 32"
        else:
            reason, hint = "does not start where its prefix says", f"use {meant}"
        yield Finding(code="NET001", path=path, message=f"'{text}' {reason}", hint=hint)


def vpc_of(environment: Environment) -> tuple[Path, IPv4Network | None]:
    """Returns where the VPC's range is written, and the range; None where it is no network."""
    existing = environment.network.existing_vpc
    if existing:
        return ("network", "existing_vpc", "cidr"), network_of(existing.cidr)
    return ("network", "vpc_cidr"), network_of(environment.network.vpc_cidr)


def vpc_cidr_is_private(environment: Environment) -> Iterator[Finding]:
    """NET002: The VPC's addresses are private ones, which nobody on the Internet has.

    Source: RFC 1918; RFC 6598; VPC user guide, "IPv4 VPC CIDR blocks".
    """
    path, vpc = vpc_of(environment)
    if vpc and not any(vpc.subnet_of(private) for private in _PRIVATE):
        yield Finding(
            code="NET002",
            path=path,
            message=f"{vpc} is not inside one of {', '.join(map(str, _PRIVATE))}",
            hint="use 10.0.0.0/16, or another private range of your network's plan",
        )


def vpc_cidr_has_room(environment: Environment) -> Iterator[Finding]:
    """NET003: The VPC is a /16 to /21: AWS allows no larger one, and a smaller one can't be divided into the subnets.

    Source: VPC user guide, "VPC CIDR blocks": a VPC is at most a /16, a subnet at least a /28.
    """
    vpc = network_of(environment.network.vpc_cidr)
    if environment.network.existing_vpc or not vpc or _LARGEST_PREFIX <= vpc.prefixlen <= _SMALLEST_PREFIX:
        return
    nearest = min(max(vpc.prefixlen, _LARGEST_PREFIX), _SMALLEST_PREFIX)
    right = IPv4Network((vpc.network_address, nearest), strict=False)
    yield Finding(
        code="NET003",
        path=("network", "vpc_cidr"),
        message=f"a VPC of /{vpc.prefixlen} is not between /{_LARGEST_PREFIX} and /{_SMALLEST_PREFIX}",
        hint=f"use {right}",
    )


def vpc_leaves_a_service_range(environment: Environment) -> Iterator[Finding]:
    """NET004: The VPC leaves one of the two ranges free from which EKS takes the addresses of services.

    Source: EKS API reference, KubernetesNetworkConfigRequest, ``serviceIpv4Cidr``.
    """
    path, vpc = vpc_of(environment)
    if vpc and environment.eks.service_cidr == "auto" and all(vpc.overlaps(services) for services in SERVICE_RANGES):
        yield Finding(
            code="NET004",
            path=path,
            message=f"{vpc} overlaps both ranges for services, {' and '.join(map(str, SERVICE_RANGES))}",
            hint="use 10.0.0.0/16, or give services a range of their own by eks.service_cidr",
        )


def vpc_avoids_the_docker_bridge(environment: Environment) -> Iterator[Finding]:
    """NET005: The VPC is clear of 172.17.0.0/16, which container tools on nodes and build machines take.

    Source: EKS user guide, "Amazon EKS networking requirements for VPC and subnets".
    """
    path, vpc = vpc_of(environment)
    if vpc and vpc.overlaps(_DOCKER_BRIDGE):
        yield Finding(
            code="NET005",
            severity=Severity.WARNING,
            path=path,
            message=f"{vpc} overlaps {_DOCKER_BRIDGE}, where Docker puts its bridge: what runs there can't be reached",
            hint="use 10.0.0.0/16, or another range outside 172.17.0.0/16",
        )


def nat_gateways_have_a_zone_each(environment: Environment) -> Iterator[Finding]:
    """NET009: There are no more NAT gateways than zones: each stands in a zone of its own.

    Source: VPC user guide, "NAT gateway basics".
    """
    zones = len(environment.availability_zone_ids)
    if environment.network.nat_gateways > zones:
        yield Finding(
            code="NET009",
            path=("network", "nat_gateways"),
            message=f"{environment.network.nat_gateways} NAT gateways are more than the {zones} zones",
            hint=f"use {zones} or fewer",
        )


def _endpoints(environment: Environment) -> tuple[str, ...]:
    written = environment.network.interface_endpoints
    return () if written == "auto" else written


def interface_endpoints_are_known(environment: Environment) -> Iterator[Finding]:
    """NET010: Interface endpoints name services that have one and that a training cluster uses.

    Source: AWS PrivateLink guide, "AWS services that integrate with AWS PrivateLink".
    """
    for index, name in enumerate(_endpoints(environment)):
        if name in INTERFACE_ENDPOINTS:
            continue
        if name in _GATEWAY_ENDPOINTS:
            message, hint = f"'{name}' is reached by a gateway endpoint, which costs nothing", f"remove {name}"
        else:
            message = f"unknown service '{name}'"
            hint = did_you_mean(name, INTERFACE_ENDPOINTS) or f"use some of {', '.join(INTERFACE_ENDPOINTS)}"
        yield Finding(code="NET010", path=("network", "interface_endpoints", index), message=message, hint=hint)


def interface_endpoints_are_unique(environment: Environment) -> Iterator[Finding]:
    """NET011: No service is listed twice: a second endpoint with private DNS is refused.

    Source: EC2 API reference, CreateVpcEndpoint, ``PrivateDnsEnabled``.
    """
    for index, name in repeated(_endpoints(environment)):
        yield Finding(
            code="NET011",
            path=("network", "interface_endpoints", index),
            message=f"'{name}' is listed twice",
            hint="remove one of the two",
        )


RULES = (
    ranges_are_networks,
    vpc_cidr_is_private,
    vpc_cidr_has_room,
    vpc_leaves_a_service_range,
    vpc_avoids_the_docker_bridge,
    nat_gateways_have_a_zone_each,
    interface_endpoints_are_known,
    interface_endpoints_are_unique,
)
