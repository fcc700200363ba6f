"""Node groups in a capacity block: what their launch template must say, and when their nodes can start."""

from collections.abc import Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError

BLOCK = "capacity-block"


def target(template: Mapping[str, Any]) -> Mapping[str, str]:
    """Gives how a launch template's data name its capacity reservation."""
    named: Mapping[str, str] = template.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    return named


def check_block(capacity_type: str | None, template: Mapping[str, Any]) -> None:
    """Refuses a block whose launch template does not name one, and a template that names one beside another type.

    Args:
        capacity_type: The node group's.
        template: The launch template's data, by EC2's API names.

    Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML".
    """
    market = template.get("InstanceMarketOptions", {}).get("MarketType")
    if market not in {None, BLOCK}:
        message = f"Launch template InstanceMarketOptions {market} is not supported for managed node groups"
        raise OverlayError("InvalidParameterException", message)
    if (capacity_type == "CAPACITY_BLOCK") is not (market == BLOCK):
        message = f"Capacity type {capacity_type} does not go with the launch template's market type {market}"
        raise OverlayError("InvalidParameterException", message)
    if market == BLOCK and not any(target(template).values()):
        message = "The launch template names no capacity reservation, which a capacity block needs"
        raise OverlayError("InvalidParameterException", message)


def check_reservation(
    template: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]], *, count: int, running: int
) -> None:
    """Refuses to start nodes in a reservation that is not active, or has no room for them.

    The reservations that a template names were bought elsewhere, so a rehearsal knows those alone that it was given:
    nodes of a Capacity Block start in no other one, as they start in none on AWS before it begins. Of an On-Demand
    reservation that it was not given it thinks nothing.

    Args:
        template: The launch template's data, by EC2's API names.
        known: The reservations that the rehearsal was given, as EC2's API answers them, by id.
        count: How many nodes are to start.
        running: How many run in it already.
    """
    reservation_id = target(template).get("CapacityReservationId")
    reservation = known.get(reservation_id or "")
    block = template.get("InstanceMarketOptions", {}).get("MarketType") == BLOCK
    if count <= 0 or (reservation is None and not block):
        return
    if reservation is None or reservation.get("State") != "active":
        message = f"Could not launch instances: capacity reservation {reservation_id} is not active"
        raise OverlayError("InvalidRequestException", message)
    if count + running > int(reservation["TotalInstanceCount"]):
        message = f"Could not launch {count} instances: capacity reservation {reservation_id} has not enough left"
        raise OverlayError("InvalidRequestException", message)
