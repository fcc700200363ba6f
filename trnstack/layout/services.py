"""Which addresses Kubernetes services get. They can't be changed for as long as a cluster stands."""

from ipaddress import IPv4Network

#: The two ranges that EKS itself chooses from when none is given.
#: Source: EKS API reference, KubernetesNetworkConfigRequest, ``serviceIpv4Cidr``.
SERVICE_RANGES = (IPv4Network("172.20.0.0/16"), IPv4Network("10.100.0.0/16"))

#: What services' addresses may be taken from: the private ranges of RFC 1918.
#: Source: EKS API reference, KubernetesNetworkConfigRequest, ``serviceIpv4Cidr``.
PRIVATE_RANGES = (IPv4Network("10.0.0.0/8"), IPv4Network("172.16.0.0/12"), IPv4Network("192.168.0.0/16"))
#: The shortest and the longest prefix of their range. Source: the same.
WIDEST_SERVICES, NARROWEST_SERVICES = 12, 24


def service_range(vpc: IPv4Network, asked: str) -> IPv4Network:
    """Returns the range of services' addresses: the one asked for, or the first of EKS's two that is clear of the VPC.

    The choice looks at the VPC alone, which can't change either: a client network that is added later must not ask for
    a new cluster.
    """
    if asked != "auto":
        return IPv4Network(asked)
    return next((services for services in SERVICE_RANGES if not services.overlaps(vpc)), SERVICE_RANGES[0])
