"""EC2's VPCs: where subnets may be, and what may not be deleted while something is in it."""

from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.errors import OverlayError


class Network(EC2Response):
    """Subnets, NAT gateways and security groups with what AWS refuses, and without what moto leaves behind."""

    def create_subnet(self) -> ActionResult:
        """Answers CreateSubnet; the zone must be one of the region's."""
        wanted = self._get_param("AvailabilityZoneId")
        zones = sorted(zone.zone_id for zone in self.ec2_backend.describe_availability_zones())
        if wanted and wanted not in zones:
            message = (
                f"Value ({wanted}) for parameter availabilityZoneId is invalid. "
                f"Subnets can currently only be created in the following availability zones: {', '.join(zones)}."
            )
            raise OverlayError("InvalidParameterValue", message)
        return super().create_subnet()

    def delete_nat_gateway(self) -> ActionResult:
        """Answers DeleteNatGateway; its interface goes, and its address is free again."""
        gateway = self.ec2_backend.nat_gateways.get(self._get_param("NatGatewayId"))
        if gateway is None:
            message = f"NatGateway {self._get_param('NatGatewayId')} was not found"
            raise OverlayError("NatGatewayNotFound", message)
        answer = super().delete_nat_gateway()
        for address in gateway.address_set:
            if address.get("associationId"):
                self.ec2_backend.disassociate_address(association_id=address["associationId"])
            self.ec2_backend.enis.pop(address["networkInterfaceId"], None)
        return answer

    def delete_subnet(self) -> ActionResult:
        """Answers DeleteSubnet; a subnet with network interfaces in it stays.

        Source: EC2 API reference, DeleteSubnet; error code DependencyViolation.
        """
        subnet_id = self._get_param("SubnetId")
        if any(interface.subnet.id == subnet_id for interface in self.ec2_backend.enis.values()):
            message = f"The subnet '{subnet_id}' has dependencies and cannot be deleted."
            raise OverlayError("DependencyViolation", message)
        return super().delete_subnet()

    def delete_security_group(self) -> ActionResult:
        """Answers DeleteSecurityGroup; a group that an interface, an endpoint or another group's rule names stays.

        Source: EC2 API reference, DeleteSecurityGroup; error code DependencyViolation.
        """
        group_id = self._get_param("GroupId")
        if group_id and self._security_group_in_use(group_id):
            raise OverlayError("DependencyViolation", f"resource {group_id} has a dependent object")
        return super().delete_security_group()

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


def _refers(group: Any, group_id: str) -> bool:
    """Says whether one of a group's rules names another group."""
    rules = [*group.ingress_rules, *group.egress_rules]
    return any((rule.source_group or {}).get("GroupId") == group_id for rule in rules)
