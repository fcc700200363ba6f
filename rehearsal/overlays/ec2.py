"""EC2: placement groups, capacity reservations, published AMIs, and what may not be deleted while it is in use."""

import hashlib
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.images import bring_in
from rehearsal.overlays.state import RegionState, state_of


class _PlacementGroups(EC2Response):
    """Placement groups, of which moto has none."""

    @property
    def state(self) -> RegionState:
        """What the rehearsal remembers of this account and region."""
        return state_of(self.current_account, self.region)

    def create_placement_group(self) -> ActionResult:
        """Answers CreatePlacementGroup."""
        name = self._get_param("GroupName")
        groups = self.state.placement_groups
        if name in groups:
            raise OverlayError("InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists.")
        digest = hashlib.sha256(f"{self.current_account} {self.region} {name}".encode()).hexdigest()
        tags = self._parse_tag_specification("placement-group").get("placement-group", {})
        groups[name] = {
            "GroupName": name,
            "GroupId": f"pg-{digest[:17]}",
            "GroupArn": f"arn:{self.partition}:ec2:{self.region}:{self.current_account}:placement-group/{name}",
            "State": "available",
            "Strategy": self._get_param("Strategy") or "cluster",
            "PartitionCount": self._get_param("PartitionCount"),
            "SpreadLevel": self._get_param("SpreadLevel"),
            "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        }
        return ActionResult({"PlacementGroup": groups[name]})

    def describe_placement_groups(self) -> ActionResult:
        """Answers DescribePlacementGroups, by names or ids."""
        groups = self.state.placement_groups
        names, ids = self._get_param("GroupNames", []), self._get_param("GroupIds", [])
        unknown = [name for name in names if name not in groups]
        if unknown:
            raise OverlayError("InvalidPlacementGroup.Unknown", f"The Placement Group '{unknown[0]}' is unknown.")
        wanted = [
            group
            for group in groups.values()
            if (not names or group["GroupName"] in names) and (not ids or group["GroupId"] in ids)
        ]
        return ActionResult({"PlacementGroups": wanted})

    def delete_placement_group(self) -> EmptyResult:
        """Answers DeletePlacementGroup; a group with instances in it stays."""
        name = self._get_param("GroupName")
        if name not in self.state.placement_groups:
            raise OverlayError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
        instances = self.ec2_backend.all_instances()
        if any(one.placement.group_name == name and one.state != "terminated" for one in instances):
            raise OverlayError(
                "InvalidPlacementGroup.InUse",
                f"The placement group '{name}' is in use and may not be deleted.",
            )
        del self.state.placement_groups[name]
        return EmptyResult()

    def describe_capacity_reservations(self) -> ActionResult:
        """Answers DescribeCapacityReservations with those that the rehearsal was given."""
        known = self.state.capacity_reservations
        ids = self._get_param("CapacityReservationIds", [])
        unknown = [name for name in ids if name not in known]
        if unknown:
            message = f"The capacity reservation ID '{unknown[0]}' does not exist."
            raise OverlayError("InvalidCapacityReservationId.NotFound", message)
        wanted = [known[name] for name in ids] if ids else list(known.values())
        return ActionResult({"CapacityReservations": wanted})


class _Images(EC2Response):
    """AMIs, among which are those that EKS publishes."""

    def describe_images(self) -> ActionResult:
        """Answers DescribeImages."""
        bring_in(self.ec2_backend)
        return super().describe_images()

    def describe_image_attribute(self) -> ActionResult:
        """Answers DescribeImageAttribute."""
        bring_in(self.ec2_backend)
        return super().describe_image_attribute()

    def copy_image(self) -> ActionResult:
        """Answers CopyImage, whose source may be in another region."""
        bring_in(ec2_backends[self.current_account][self._get_param("SourceRegion")])
        return super().copy_image()


class Response(_PlacementGroups, _Images):
    """EC2's API with what AWS refuses, and without what moto leaves behind deletions."""

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
