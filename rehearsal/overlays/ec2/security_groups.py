"""EC2's security groups and their rules.

Source: EC2 API reference, CreateSecurityGroup; DeleteSecurityGroup, error code DependencyViolation. AWS's words and
codes as people quote them: badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-sg-group-name, pf-ec2-sg-group-name-default
and pf-ec2-sg-rule-description, ``meta.yaml``; hashicorp/terraform-provider-aws 1793 (protocols); ansible/ansible 45782
(a group of another VPC).
"""

from collections.abc import Iterator
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.ec2.permissions import check_permission, has_ports
from rehearsal.overlays.errors import OverlayError

_INVALID = "InvalidParameterValue"


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
        if not name.isascii():
            message = (
                f"Value ({name}) for parameter GroupName is invalid. Character sets beyond ASCII are not supported."
            )
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

    def revoke_security_group_ingress(self) -> ActionResult:
        """Answers RevokeSecurityGroupIngress."""
        self._complete_permissions()
        return super().revoke_security_group_ingress()

    def revoke_security_group_egress(self) -> ActionResult:
        """Answers RevokeSecurityGroupEgress."""
        self._complete_permissions()
        return super().revoke_security_group_egress()

    def delete_security_group(self) -> ActionResult:
        """Answers DeleteSecurityGroup; a group that an interface, an endpoint or another group's rule names stays."""
        group_id = self._get_param("GroupId")
        if group_id and self._security_group_in_use(group_id):
            raise OverlayError("DependencyViolation", f"resource {group_id} has a dependent object")
        return super().delete_security_group()

    def _complete_permissions(self) -> list[dict[str, Any]]:
        """Gives the permissions, of which those of protocols without ports say so: moto wants ports of every one.

        Source: EC2 API reference, AuthorizeSecurityGroupIngress, ``IpProtocol``: of other protocols than TCP, UDP and
        ICMP all ports are let through whatever is said; IpPermission: of ICMPv6 the types may be left out.
        """
        permissions: list[dict[str, Any]] = self._get_param("IpPermissions", [])
        for permission in permissions:
            if not has_ports(permission):
                permission.setdefault("FromPort", -1)
                permission.setdefault("ToPort", -1)
        return permissions

    def _check_permissions(self) -> None:
        permissions = self._complete_permissions()
        for permission in permissions:
            check_permission(permission)
        group = self.ec2_backend.get_security_group_from_id(self._get_param("GroupId"))
        if group is None:
            return
        near = {group.vpc_id, *_peered(self.ec2_backend, group.vpc_id)}
        for pair in (pair for one in permissions for pair in one.get("UserIdGroupPairs") or ()):
            other = self.ec2_backend.get_security_group_from_id(pair.get("GroupId"))
            if other is not None and other.vpc_id not in near:
                message = "You have specified two resources that belong to different networks."
                raise OverlayError("InvalidGroup.NotFound", message)

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


def _peered(network: Any, vpc_id: str) -> Iterator[str]:
    """Yields the VPCs that a VPC is peered with, whose groups its rules may name."""
    for peering in network.vpc_pcxs.values():
        pair = (peering.vpc.id, peering.peer_vpc.id)
        if vpc_id in pair:
            yield from pair


def _refers(group: Any, group_id: str) -> bool:
    """Says whether one of a group's rules names another group."""
    rules = [*group.ingress_rules, *group.egress_rules]
    return any((rule.source_group or {}).get("GroupId") == group_id for rule in rules)
