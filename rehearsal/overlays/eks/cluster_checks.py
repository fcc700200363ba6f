"""What EKS refuses of a cluster's settings: its version, its endpoint, its ranges, and where its interfaces would be.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/eks/pf-eks-cluster-*,
``meta.yaml``, deploys and calls of 2026-09-25.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moto.kms.models import kms_backends

from rehearsal.overlays.arns import parsed
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of
from trnstack.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from trnstack.catalog.zones import NO_CONTROL_PLANE_ZONE_IDS
from trnstack.layout.services import NARROWEST_SERVICES, PRIVATE_RANGES, WIDEST_SERVICES

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_MINOR = re.compile(r"1\.(\d+)")
#: The oldest minor of which EKS made a cluster on 2026-09-25: it refused 1.29 and went on with 1.30. It only goes up.
_OLDEST_MINOR = 30
_FEWEST_ZONES = 2
#: Source: EKS user guide, "View Amazon EKS networking requirements for VPC and subnets": at least six a subnet.
_FEWEST_ADDRESSES = 6
#: Never the source of anything that comes over the internet. Source: AWS re:Post knowledge center, "How do I lock down
#: API access to specific IP addresses in my Amazon EKS cluster?": the ranges can't include reserved addresses.
_RESERVED = (*PRIVATE_RANGES, ipaddress.IPv4Network("127.0.0.0/8"), ipaddress.IPv4Network("169.254.0.0/16"))


def check_version(version: str | None) -> None:
    """Refuses a version that is no minor, or that EKS no longer makes clusters of."""
    if version is None:
        return
    minor = _MINOR.fullmatch(version)
    if minor is None or int(minor[1]) < _OLDEST_MINOR:
        raise _invalid(f"unsupported Kubernetes version {version}")


def default_version() -> str:
    """Gives the version of a cluster for which none is named: the newest that the catalog knows.

    Source: EKS API reference, CreateCluster, ``version``: "the default version available in Amazon EKS", of which no
    more is said; that it is the newest is unconfirmed.
    """
    return list(KUBERNETES_VERSIONS)[-1]


def check_endpoint(settings: Mapping[str, Any], *, ip_family: str) -> None:
    """Refuses a cluster whose API server nobody could reach, and ranges from which nobody could come.

    Args:
        settings: The cluster's network settings, by the API's names.
        ip_family: ``ipv4`` or ``ipv6``.

    Source: rancher/rancher issue 28158, of the first; EKS user guide, "Cluster API server endpoint", and
    rancher/rancher's tests of EKS, of the second.
    """
    if not settings.get("endpointPublicAccess", True) and not settings.get("endpointPrivateAccess", False):
        raise _invalid("Private and public endpoint access cannot be false")
    wrong = [cidr for cidr in settings.get("publicAccessCidrs", []) if not _may_come_from(cidr, ip_family)]
    if wrong:
        raise _invalid(f"The following CIDRs are invalid in publicAccessCidrs: [{', '.join(wrong)}]")


def check_service_range(name: str, config: Mapping[str, Any], vpc_ranges: Iterable[str]) -> None:
    """Refuses a range of services that is public, too large, too small, or the VPC's own.

    Args:
        name: The cluster's name.
        config: The cluster's ``kubernetesNetworkConfig``.
        vpc_ranges: The VPC's ranges.

    Source: EKS API reference, KubernetesNetworkConfigRequest, ``serviceIpv4Cidr``, for the VPC's ranges, whose words
    are unconfirmed.
    """
    cidr = config.get("serviceIpv4Cidr")
    if cidr is None:
        return
    if config.get("ipFamily") == "ipv6":
        raise _invalid('serviceIpv4Cidr cannot be specified when creating an "ipv6" cluster')
    given, said = _network(cidr), f"Invalid Cluster Service Ipv4 CIDR {cidr} for the cluster {name}"
    if not isinstance(given, ipaddress.IPv4Network) or not any(given.subnet_of(one) for one in PRIVATE_RANGES):
        raise _invalid(f"{said}, must be within RFC1918 range")
    if not WIDEST_SERVICES <= given.prefixlen <= NARROWEST_SERVICES:
        raise _invalid(f"{said}, must have netmask size between /{WIDEST_SERVICES} and /{NARROWEST_SERVICES} inclusive")
    for other in vpc_ranges:
        if given.overlaps(ipaddress.ip_network(other)):
            raise _invalid(f"{said}, must not overlap with the VPC CIDR {other}")


def check_place(name: str, network: Any, subnets: Sequence[Any], group_ids: Iterable[str]) -> None:
    """Refuses subnets and security groups in or by which the control plane's interfaces can't be.

    Args:
        name: The cluster's name.
        network: moto's EC2 backend of the account and region.
        subnets: moto's records of the subnets.
        group_ids: The security groups that the cluster names.

    Source: EKS user guide, "View Amazon EKS networking requirements for VPC and subnets"; eksctl-io/eksctl issue 817,
    for the zone; "Troubleshoot local Amazon EKS clusters on AWS Outposts", for the words about two VPCs and about free
    addresses, which are unconfirmed of clusters in a region, as are the words about a group that is not there.
    """
    if len({subnet.vpc_id for subnet in subnets}) > 1:
        raise _invalid("Subnets specified must belong to the same VPC")
    if len({subnet.availability_zone for subnet in subnets}) < _FEWEST_ZONES:
        raise _invalid("Subnets specified must be in at least two different AZs")
    _check_zones(name, network, subnets)
    if any(subnet.available_ip_address_count < _FEWEST_ADDRESSES for subnet in subnets):
        raise _invalid("The specified subnet does not have enough free addresses to satisfy the request.")
    groups = {group_id: network.get_security_group_from_id(group_id) for group_id in group_ids}
    missing = [group_id for group_id, group in groups.items() if group is None]
    if missing:
        raise _invalid(f"The security group '{missing[0]}' does not exist")
    vpc_id = subnets[0].vpc_id
    elsewhere = [group_id for group_id, group in groups.items() if group.vpc_id != vpc_id]
    if elsewhere:
        message = (
            f"Security group(s) [{', '.join(elsewhere)}] are not (in/associated to) the same VPC as the subnets. "
            f"Please specify a security group that is associated with the VPC: {vpc_id}"
        )
        raise _invalid(message)


def check_key(arn: str, *, account: str, region: str) -> None:
    """Refuses a key of another region, and one that an account of nobody's doesn't have.

    Source: grucloud/grucloud, its EKS client, which meets "The KeyArn in encryptionConfig provider"; the rest of these
    words and their code are unconfirmed.
    """
    key = parsed(arn)
    if key is None:
        raise _invalid(f"The KeyArn in encryptionConfig provider {arn} is invalid")
    if key.region != region:
        raise _invalid("The keyArn for encryptionConfig is scoped to invalid aws region.")
    if not key.resource.startswith("key/") or key.account != account or not knows_all_of(account):
        return
    if key.resource.removeprefix("key/") not in kms_backends[account][region].keys:
        raise _invalid(f"The KeyArn in encryptionConfig provider {arn} does not exist")


def _check_zones(name: str, network: Any, subnets: Sequence[Any]) -> None:
    """Refuses a zone in which EKS makes no control planes.

    Source: EKS user guide, "View Amazon EKS networking requirements for VPC and subnets", the zones; "Troubleshoot
    problems with Amazon EKS clusters and nodes", "Insufficient capacity", the words.
    """
    for subnet in subnets:
        if subnet.availability_zone_id in NO_CONTROL_PLANE_ZONE_IDS:
            zones = network.describe_availability_zones()
            others = sorted(zone.name for zone in zones if zone.zone_id not in NO_CONTROL_PLANE_ZONE_IDS)
            message = (
                f"Cannot create cluster '{name}' because {subnet.availability_zone}, the targeted availability zone, "
                "does not currently have sufficient capacity to support the cluster. Retry and choose from these "
                f"availability zones: {', '.join(others)}"
            )
            raise OverlayError("UnsupportedAvailabilityZoneException", message)


def _may_come_from(cidr: str, ip_family: str) -> bool:
    """Says whether requests over the internet may come from a range; a cluster of IPv4 takes none of IPv6."""
    given = _network(cidr)
    if isinstance(given, ipaddress.IPv4Network):
        return not any(given.subnet_of(one) for one in _RESERVED)
    return given is not None and ip_family == "ipv6"


def _network(cidr: str) -> Network | None:
    try:
        return ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        return None


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterException", message)
