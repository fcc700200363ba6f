"""EC2's security groups and their rules.

Source: EC2 API reference, CreateSecurityGroup; DeleteSecurityGroup, error code DependencyViolation. AWS's words and
codes as people quote them: badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-sg-group-name, pf-ec2-sg-group-name-default,
pf-ec2-sg-port-range and pf-ec2-sg-rule-description, ``meta.yaml``. The code of a port out of range is unconfirmed.
"""

import re
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.errors import OverlayError

_INVALID = "InvalidParameterValue"
_LAST_PORT = 65_535
_DESCRIPTION = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")
_PEERS = ("IpRanges", "Ipv6Ranges", "UserIdGroupPairs", "PrefixListIds")


class SecurityGroups(EC2Response):
    """Security groups, with what AWS refuses and moto takes."""

    def create_security_group(self) -> ActionResult:
        """Answers CreateSecurityGroup; some names are EC2's own."""
        name = self._get_param("GroupName") or ""
        if name == "default":
            raise OverlayError(_INVALID, f"Cannot use reserved security group name: {name}")
        if name.lower().startswith("sg-"):
            message = f"Value ({name}) for parameter GroupName is invalid. Group names may not be in the format sg-*."
            raise OverlayError(_INVALID, message)
        return super().create_security_group()

    def authorize_security_group_ingress(self) -> ActionResult:
        """Answers AuthorizeSecurityGroupIngress."""
        self._check_permissions()
        return super().authorize_security_group_ingress()

    def authorize_security_group_egress(self) -> ActionResult:
        """Answers AuthorizeSecurityGroupEgress."""
        self._check_permissions()
        return super().authorize_security_group_egress()

    def delete_security_group(self) -> ActionResult:
        """Answers DeleteSecurityGroup; a group that an interface, an endpoint or another group's rule names stays."""
        group_id = self._get_param("GroupId")
        if group_id and self._security_group_in_use(group_id):
            raise OverlayError("DependencyViolation", f"resource {group_id} has a dependent object")
        return super().delete_security_group()

    def _check_permissions(self) -> None:
        for permission in self._get_param("IpPermissions", []):
            if str(permission.get("IpProtocol")).lower() in {"tcp", "udp", "6", "17"}:
                _check_ports(permission)
            for peer in (peer for name in _PEERS for peer in permission.get(name) or ()):
                if not _DESCRIPTION.fullmatch(peer.get("Description") or ""):
                    message = (
                        "Invalid rule description. Valid descriptions are strings less than 256 characters from the "
                        "following set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*"
                    )
                    raise OverlayError(_INVALID, message)

    def _security_group_in_use(self, group_id: str) -> bool:
        backend = self.ec2_backend
        interfaces = (interface.group_set for interface in backend.enis.values())
        if any(group_id in {group.id for group in groups} for groups in interfaces):
            return True
        endpoints = backend.vpc_end_points.values()
        if any(group_id in one.security_group_ids for one in endpoints if one.state != "deleted"):
            return True
        groups = (group for groups in backend.groups.values() for group in groups.values())
        return any(_refers(group, group_id) for group in groups if group.id != group_id)


def _check_ports(permission: Mapping[str, Any]) -> None:
    first, last = (permission.get(name) for name in ("FromPort", "ToPort"))
    if first is None or last is None:
        return
    for name, port in (("from", int(first)), ("to", int(last))):
        if not 0 <= port <= _LAST_PORT:
            raise OverlayError(_INVALID, f"TCP/UDP ({name}) port ({port}) out of range")
    if int(first) > int(last):
        raise OverlayError(_INVALID, f"Invalid TCP/UDP port range({first}:{last})")


def _refers(group: Any, group_id: str) -> bool:
    """Says whether one of a group's rules names another group."""
    rules = [*group.ingress_rules, *group.egress_rules]
    return any((rule.source_group or {}).get("GroupId") == group_id for rule in rules)
