"""EC2's VPCs and subnets: where and how large they may be, and what may not be deleted while something is in it.

Source: EC2 API reference, CreateSubnet (sizes), DeleteSubnet and DeleteVpc, error code DependencyViolation. AWS's words
as people quote them: badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-subnet-cidr-size and
pf-ec2-vpc-cidr-reserved-range, ``meta.yaml``; codes: pulumi/pulumi-awsx 111 and grycap/im 1011, of the same words.
"""

import ipaddress
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.errors import OverlayError

_SUBNET_PREFIXES = range(16, 29)
_NEVER = tuple(map(ipaddress.ip_network, ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4")))


class Network(EC2Response):
    """VPCs and subnets, with what AWS refuses and moto takes."""

    def create_vpc(self) -> ActionResult:
        """Answers CreateVpc; some ranges are nobody's to have."""
        asked = _network(self._get_param("CidrBlock"))
        if asked is not None and any(asked.overlaps(range_) for range_ in _NEVER):
            raise OverlayError("InvalidVpc.Range", f"The CIDR '{asked}' is invalid.")
        return super().create_vpc()

    def delete_vpc(self) -> ActionResult:
        """Answers DeleteVpc; one with a gateway, an endpoint or a security group of its owner's stays."""
        vpc_id, backend = self._get_param("VpcId"), self.ec2_backend
        gateways = any(one.vpc is not None and one.vpc.id == vpc_id for one in backend.internet_gateways.values())
        endpoints = any(one.vpc_id == vpc_id and one.state != "deleted" for one in backend.vpc_end_points.values())
        groups = any(group.name != "default" for group in backend.groups.get(vpc_id, {}).values())
        if gateways or endpoints or groups:
            message = f"The vpc '{vpc_id}' has dependencies and cannot be deleted."
            raise OverlayError("DependencyViolation", message)
        return super().delete_vpc()

    def create_subnet(self) -> ActionResult:
        """Answers CreateSubnet; the zone must be one of the region's, and the size within what EC2 allows."""
        zones = self.ec2_backend.describe_availability_zones()
        self._check_zone("AvailabilityZoneId", sorted(zone.zone_id for zone in zones))
        self._check_zone("AvailabilityZone", sorted(zone.name for zone in zones))
        if not self._get_param("CidrBlock"):
            raise NotImplementedError("a subnet without CidrBlock, of IPv6 alone or from a pool")
        asked = _network(self._get_param("CidrBlock"))
        if asked is not None and asked.prefixlen not in _SUBNET_PREFIXES:
            raise OverlayError("InvalidSubnet.Range", f"The CIDR '{asked}' is invalid.")
        return super().create_subnet()

    def _check_zone(self, parameter: str, zones: list[str]) -> None:
        wanted = self._get_param(parameter)
        if wanted and wanted not in zones:
            name = f"{parameter[:1].lower()}{parameter[1:]}"
            message = (
                f"Value ({wanted}) for parameter {name} is invalid. "
                f"Subnets can currently only be created in the following availability zones: {', '.join(zones)}."
            )
            raise OverlayError("InvalidParameterValue", message)

    def delete_subnet(self) -> ActionResult:
        """Answers DeleteSubnet; a subnet with network interfaces in it stays."""
        subnet_id = self._get_param("SubnetId")
        if any(interface.subnet.id == subnet_id for interface in self.ec2_backend.enis.values()):
            message = f"The subnet '{subnet_id}' has dependencies and cannot be deleted."
            raise OverlayError("DependencyViolation", message)
        return super().delete_subnet()


def _network(cidr: Any) -> ipaddress.IPv4Network | None:
    """Gives the range that is asked for; None for a text that is none, which moto refuses."""
    try:
        return ipaddress.IPv4Network(str(cidr), strict=False)
    except ValueError:
        return None
