"""What must hold of the control plane: its version, who reaches it, who administers it, what it logs."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS, ZONE_IDS
from trnstack.findings import Finding, Path, Severity
from trnstack.layout.services import NARROWEST_SERVICES, PRIVATE_RANGES, WIDEST_SERVICES
from trnstack.plan.nodes import control_plane_zone_ids
from trnstack.rules.network import network_of, vpc_of
from trnstack.rules.shape import repeated
from trnstack.spec import Environment

#: A /8 is what one owner of the Internet has had at the most.
_WIDEST_PREFIX = 8
#: Not ``IPv4Network.is_private``, which counts the documentation ranges in.
_RESERVED = tuple(
    IPv4Network(text)
    for text in ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")
)
_PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov", "us-iso-": "aws-iso", "us-isob-": "aws-iso-b"}


def kubernetes_version_is_known(environment: Environment) -> Iterator[Finding]:
    """EKS001: The Kubernetes version is one that the catalog knows with its support dates.

    Source: EKS user guide, "Understand the Kubernetes version lifecycle on EKS".
    """
    version = environment.eks.kubernetes_version
    if version not in KUBERNETES_VERSIONS:
        yield Finding(
            code="EKS001",
            path=("eks", "kubernetes_version"),
            message=f"unknown version '{version}'",
            hint=f"use one of {', '.join(KUBERNETES_VERSIONS)}",
        )


def public_endpoints_name_their_clients(environment: Environment) -> Iterator[Finding]:
    """EKS002: A public endpoint says who may reach it: left out, EKS lets everyone.

    Source: EKS API reference, VpcConfigRequest, ``publicAccessCidrs``.
    """
    if environment.eks.endpoint_access == "public_and_private" and not environment.eks.public_access_cidrs:
        yield Finding(
            code="EKS002",
            path=("eks", "public_access_cidrs"),
            message="a public endpoint without public_access_cidrs is open to everyone",
            hint="add public_access_cidrs with your own networks, or write endpoint_access: private",
        )


def private_endpoints_have_no_public_clients(environment: Environment) -> Iterator[Finding]:
    """EKS003: A private endpoint has no list of public clients, which would do nothing.

    Source: EKS API reference, VpcConfigRequest, ``publicAccessCidrs``.
    """
    if environment.eks.endpoint_access == "private" and environment.eks.public_access_cidrs:
        yield Finding(
            code="EKS003",
            path=("eks", "public_access_cidrs"),
            message="public_access_cidrs have no effect on a private endpoint",
            hint="remove them, or write endpoint_access: public_and_private",
        )


def public_clients_are_not_everyone(environment: Environment) -> Iterator[Finding]:
    """EKS004: A public endpoint is open to known networks, none of them wider than a /8.

    Source: EKS best practices guide, "Make the EKS cluster endpoint private".
    """
    for index, text in enumerate(environment.eks.public_access_cidrs):
        network = network_of(text)
        if network and network.prefixlen < _WIDEST_PREFIX:
            who = "everyone" if network.prefixlen == 0 else f"{network.num_addresses:,} addresses"
            yield Finding(
                code="EKS004",
                path=("eks", "public_access_cidrs", index),
                message=f"{text} opens the control plane to {who}",
                hint="name your own networks, such as 203.0.113.0/24",
            )


def public_clients_have_public_addresses(environment: Environment) -> Iterator[Finding]:
    """EKS005: The clients of a public endpoint are networks of the Internet: EKS refuses reserved addresses.

    Source: EKS user guide, "Cluster API server endpoint".
    """
    for index, text in enumerate(environment.eks.public_access_cidrs):
        network = network_of(text)
        if network and any(network.subnet_of(reserved) for reserved in _RESERVED):
            yield Finding(
                code="EKS005",
                path=("eks", "public_access_cidrs", index),
                message=f"{text} is private, and nobody arrives from it over the Internet",
                hint="name the public addresses that your network leaves by; private ones go to network.client_cidrs",
            )


def control_plane_logs_are_unique(environment: Environment) -> Iterator[Finding]:
    """EKS006: No log is listed twice.

    Source: CloudFormation resource schema, AWS::EKS::Cluster, ``EnabledTypes``.
    """
    for index, name in repeated(environment.eks.control_plane_logs):
        yield Finding(
            code="EKS006",
            path=("eks", "control_plane_logs", index),
            message=f"log '{name}' is listed twice",
            hint="remove one of the two",
        )


def the_audit_log_is_kept(environment: Environment) -> Iterator[Finding]:
    """EKS007: The audit log is kept: it alone tells afterwards who deleted what.

    Source: EKS best practices guide, "Enable audit logs".
    """
    if "audit" not in environment.eks.control_plane_logs:
        yield Finding(
            code="EKS007",
            severity=Severity.WARNING,
            path=("eks", "control_plane_logs"),
            message="without the audit log nobody can tell who changed the cluster",
            hint="add audit",
        )


def _roles(environment: Environment) -> Iterator[tuple[str, Path, str]]:
    """Yields each role that may enter the cluster: its list, its path and its ARN."""
    for name in ("admin_role_arns", "trainer_role_arns", "viewer_role_arns"):
        for index, arn in enumerate(getattr(environment.eks, name)):
            yield name, ("eks", name, index), arn


def roles_are_unique(environment: Environment) -> Iterator[Finding]:
    """EKS008: No role is listed twice among those that may do the same: a role has one access entry.

    Source: EKS user guide, "Create access entries".
    """
    seen: set[tuple[str, str]] = set()
    for name, path, arn in _roles(environment):
        if (name, arn) in seen:
            yield Finding(code="EKS008", path=path, message=f"'{arn}' is listed twice", hint="remove one of the two")
        seen.add((name, arn))


def roles_are_in_one_list(environment: Environment) -> Iterator[Finding]:
    """EKS013: No role is in two lists: its one access entry has the groups of one of them.

    Source: EKS API reference, CreateAccessEntry: one entry for each ``principalArn``.
    """
    first: dict[str, str] = {}
    for name, path, arn in _roles(environment):
        if first.setdefault(arn, name) != name:
            yield Finding(
                code="EKS013",
                path=path,
                message=f"'{arn}' is among the {first[arn]} already",
                hint="keep it in the list that allows more, or name another role here",
            )


def roles_are_in_the_account(environment: Environment) -> Iterator[Finding]:
    """EKS009: Those who may enter are roles of the environment's account; one of another is worth a second look.

    Source: EKS user guide, "Create access entries".
    """
    for _, path, arn in _roles(environment):
        account = arn.split(":")[4]
        if environment.account and account != environment.account:
            yield Finding(
                code="EKS009",
                severity=Severity.WARNING,
                path=path,
                message=f"the role is in account {account}, the environment in {environment.account}",
                hint=f"name a role of {environment.account}, unless the other account shall enter the cluster",
            )


def roles_are_in_the_partition(environment: Environment) -> Iterator[Finding]:
    """EKS010: The ARNs of those who may enter are of the partition that the region belongs to.

    Source: AWS General Reference, "Amazon Resource Names (ARNs)".
    """
    region = environment.region
    expected = next((name for prefix, name in _PARTITIONS.items() if region.startswith(prefix)), "aws")
    for _, path, arn in _roles(environment):
        partition = arn.split(":")[1]
        if partition != expected:
            yield Finding(
                code="EKS010",
                path=path,
                message=f"the role is in partition {partition}, {region} in {expected}",
                hint=f"name a role whose ARN starts with arn:{expected}:",
            )


def zones_take_the_control_plane(environment: Environment) -> Iterator[Finding]:
    """EKS011: The first two zones may hold the control plane's interfaces, which stand there.

    Source: EKS user guide, "Amazon EKS networking requirements for VPC and subnets".
    """
    for index, zone_id in enumerate(control_plane_zone_ids(environment)):
        if zone_id in NO_CONTROL_PLANE_ZONE_IDS:
            others = [each for each in ZONE_IDS.get(environment.region, ()) if each not in NO_CONTROL_PLANE_ZONE_IDS]
            yield Finding(
                code="EKS011",
                path=("availability_zone_ids", index),
                message=f"EKS puts no control plane into zone '{zone_id}'",
                hint=f"use {', '.join(others)}" if others else "use another zone",
            )


def service_range_is_accepted(environment: Environment) -> Iterator[Finding]:
    """EKS012: A range for services is private, a /12 to /24, and clear of the VPC.

    Source: EKS API reference, KubernetesNetworkConfigRequest, ``serviceIpv4Cidr``.
    """
    asked = environment.eks.service_cidr
    services = network_of(asked)
    if services is None:
        return
    _, vpc = vpc_of(environment)
    if not any(services.subnet_of(private) for private in PRIVATE_RANGES):
        message = f"{services} is not within a private range"
        hint = "use one within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16"
    elif not WIDEST_SERVICES <= services.prefixlen <= NARROWEST_SERVICES:
        message, hint = f"a service range of /{services.prefixlen} is not between /12 and /24", "use a /16"
    elif vpc and services.overlaps(vpc):
        message, hint = f"{services} overlaps the VPC's {vpc}", "use auto, or a range outside the VPC"
    else:
        return
    yield Finding(code="EKS012", path=("eks", "service_cidr"), message=message, hint=hint)


RULES = (
    kubernetes_version_is_known,
    public_endpoints_name_their_clients,
    private_endpoints_have_no_public_clients,
    public_clients_are_not_everyone,
    public_clients_have_public_addresses,
    control_plane_logs_are_unique,
    the_audit_log_is_kept,
    roles_are_unique,
    roles_are_in_one_list,
    roles_are_in_the_account,
    roles_are_in_the_partition,
    zones_take_the_control_plane,
    service_range_is_accepted,
)
