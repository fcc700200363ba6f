"""What EC2 refuses of one permission of a security group: its protocol, its ports, and whom it lets in or out to.

Source: EC2 API reference, IpPermission. AWS's words and codes as people quote them: badmintoncryer/cdk-preflight,
rules/ec2, pf-ec2-sg-port-range, pf-ec2-sg-icmp-type-code, pf-ec2-sg-cidr-valid and pf-ec2-sg-rule-description,
``meta.yaml``; hashicorp/terraform-provider-aws 1793 (protocols). The code of ports and types out of range, and of a
malformed range, is unconfirmed.
"""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError

_INVALID = "InvalidParameterValue"
_LAST_PORT, _LAST_TYPE, _LAST_PROTOCOL = 65_535, 255, 255
_WITH_PORTS = ("tcp", "udp", "6", "17")
_ICMP = ("icmp", "1")
_NAMED = ("tcp", "udp", "icmp", "icmpv6", "-1")
_DESCRIPTION = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")
_RANGES = {"CidrIp": ipaddress.IPv4Network, "CidrIpv6": ipaddress.IPv6Network}
_PEERS = ("IpRanges", "Ipv6Ranges", "UserIdGroupPairs", "PrefixListIds")


def check_permission(permission: Mapping[str, Any]) -> None:
    """Refuses a permission, given by EC2's API names, that EC2 can't take.

    Raises:
        OverlayError: It says something that is none of EC2's.
    """
    protocol = str(permission.get("IpProtocol")).lower()
    if protocol not in _NAMED and not (protocol.isdecimal() and int(protocol) <= _LAST_PROTOCOL):
        raise _invalid(f"Invalid value '{permission.get('IpProtocol')}' for IP protocol. Unknown protocol.")
    if has_ports(permission):
        _check_ports(permission)
    elif protocol in _ICMP:
        _check_icmp(permission)
    for peer in (peer for name in _PEERS for peer in permission.get(name) or ()):
        _check_peer(peer)


def has_ports(permission: Mapping[str, Any]) -> bool:
    """Says whether a permission is of a protocol with ports."""
    return str(permission.get("IpProtocol")).lower() in _WITH_PORTS


def _check_ports(permission: Mapping[str, Any]) -> None:
    first, last = (permission.get(name) for name in ("FromPort", "ToPort"))
    if first is None or last is None:
        raise _invalid("Invalid value for portRange. Must specify both from and to ports with TCP/UDP.")
    for name, port in (("from", int(first)), ("to", int(last))):
        if not 0 <= port <= _LAST_PORT:
            raise _invalid(f"TCP/UDP ({name}) port ({port}) out of range")
    if int(first) > int(last):
        raise _invalid(f"Invalid TCP/UDP port range({first}:{last})")


def _check_icmp(permission: Mapping[str, Any]) -> None:
    for name, member in (("type", "FromPort"), ("code", "ToPort")):
        number = int(permission.get(member, -1))
        if not -1 <= number <= _LAST_TYPE:
            raise _invalid(f"ICMP {name} ({number}) out of range")


def _check_peer(peer: Mapping[str, Any]) -> None:
    """Refuses a malformed range and what a description may not hold; a range's host bits EC2 leaves out itself."""
    for member, read in _RANGES.items():
        cidr = peer.get(member)
        try:
            if cidr is not None:
                read(cidr, strict=False)
        except ValueError as error:
            raise _invalid(f"CIDR block {cidr} is malformed") from error
    if not _DESCRIPTION.fullmatch(peer.get("Description") or ""):
        raise _invalid(
            "Invalid rule description. Valid descriptions are strings less than 256 characters from the following "
            "set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*"
        )


def _invalid(message: str) -> OverlayError:
    return OverlayError(_INVALID, message)
