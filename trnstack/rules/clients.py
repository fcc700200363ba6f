"""What must hold of the networks whose people and machines reach the private API endpoint."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from trnstack.findings import Finding, Path, Severity
from trnstack.layout.services import SERVICE_RANGES, service_range
from trnstack.rules.network import network_of, vpc_of
from trnstack.spec import Environment


def _clients(environment: Environment) -> Iterator[tuple[Path, IPv4Network]]:
    for index, text in enumerate(environment.network.client_cidrs):
        network = network_of(text)
        if network:
            yield ("network", "client_cidrs", index), network


def clients_are_outside_the_vpc(environment: Environment) -> Iterator[Finding]:
    """NET007: Clients' networks do not overlap the VPC, for then no route can lead back to them.

    Source: VPC user guide, "Route priority": a VPC's own range goes before every other route that is as specific.
    """
    path, vpc = vpc_of(environment)
    for client_path, client in _clients(environment):
        if vpc and client.prefixlen and client.overlaps(vpc):
            yield Finding(
                code="NET007",
                path=client_path,
                message=f"{client} overlaps the VPC's {vpc}: answers never leave the VPC",
                hint=f"name the clients' own network, or move {path[-1]} out of it",
            )


def clients_are_not_everyone(environment: Environment) -> Iterator[Finding]:
    """NET008: The private endpoint is opened to networks, not to every address there is.

    Source: EKS best practices guide, "Cluster access management".
    """
    for path, client in _clients(environment):
        if client.prefixlen == 0:
            yield Finding(
                code="NET008", path=path, message=f"{client} is everyone", hint="name the VPN's or office's own network"
            )


def clients_are_listed_once(environment: Environment) -> Iterator[Finding]:
    """NET024: No client network is listed twice, and none lies within another one of the list.

    A second rule of a security group that is the same is refused; one that is within another changes nothing, and who
    removes the wider one later is surprised.

    Source: EC2 API reference, AuthorizeSecurityGroupIngress, error code ``InvalidPermission.Duplicate``.
    """
    clients = list(_clients(environment))
    for position, (path, client) in enumerate(clients):
        before = [other for _, other in clients[:position]]
        overlapped = next((other for other in before if client.overlaps(other)), None)
        if client in before:
            message, severity = f"{client} is listed twice", Severity.ERROR
        elif overlapped:
            message, severity = f"{client} overlaps {overlapped}, which is listed before", Severity.WARNING
        else:
            continue
        yield Finding(code="NET024", path=path, message=message, hint="remove one of the two", severity=severity)


def clients_are_outside_the_services(environment: Environment) -> Iterator[Finding]:
    """NET025: Clients' networks do not overlap the range from which Kubernetes services get their addresses.

    What a pod sends to a client with a service's address goes to the service, or nowhere. The range can't be changed
    for as long as the cluster stands, so it does not follow the clients.

    Source: EKS API reference, KubernetesNetworkConfigRequest, ``serviceIpv4Cidr``.
    """
    _, vpc = vpc_of(environment)
    asked = environment.eks.service_cidr
    if vpc is None or (asked != "auto" and network_of(asked) is None):
        return
    services = service_range(vpc, asked)
    other = next((each for each in SERVICE_RANGES if not each.overlaps(services) and not each.overlaps(vpc)), None)
    for path, client in _clients(environment):
        if client.prefixlen and client.overlaps(services):
            before = f"before the first deploy, eks.service_cidr: {other}; later, " if other else ""
            yield Finding(
                code="NET025",
                path=path,
                message=f"{client} overlaps {services}, from which services get their addresses",
                hint=f"{before}name narrower client networks",
            )


RULES = (
    clients_are_outside_the_vpc,
    clients_are_not_everyone,
    clients_are_listed_once,
    clients_are_outside_the_services,
)
