"""EC2's capacity reservations, of which moto has none: those that the rehearsal was given. Blocks go by the clock.

Source: EC2 API reference, CapacityReservation, ``State``; EC2 user guide, "Capacity Blocks for ML": instances end from
30 minutes before the block's end on.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response

from rehearsal import clock
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of, states
from trnstack.layout.block_times import TERMINATION

ClientFactory = Callable[[str, str, str], Any]

_BLOCK = "capacity-block"


class Reservations(EC2Response):
    """Capacity reservations."""

    def describe_capacity_reservations(self) -> ActionResult:
        """Answers DescribeCapacityReservations with those that the rehearsal was given."""
        known = reservations(self.current_account, self.region)
        ids = self._get_param("CapacityReservationIds", [])
        unknown = [name for name in ids if name not in known]
        if unknown:
            message = f"The capacity reservation ID '{unknown[0]}' does not exist."
            raise OverlayError("InvalidCapacityReservationId.NotFound", message)
        wanted = [known[name] for name in ids] if ids else list(known.values())
        return ActionResult({"CapacityReservations": wanted})


@dataclass(frozen=True, slots=True)
class EndingBlock:
    """A Capacity Block whose instances EC2 will end.

    Attributes:
        moment: When.
        account, region: Where the block is.
        reservation_id: Its reservation.
    """

    moment: dt.datetime
    account: str
    region: str
    reservation_id: str

    def happen(self, client: ClientFactory) -> str:
        """Ends the instances, and says so."""
        ids = state_of(self.account, self.region).reserved_instances.pop(self.reservation_id)
        running = [name for name in ids if _runs(self.account, self.region, name)]
        if running:
            client("ec2", self.account, self.region).terminate_instances(InstanceIds=running)
        return f"EC2 ends what runs in {self.reservation_id}: {len(running)} instances"


def give_block(
    account: str,
    region: str,
    reservation_id: str,
    *,
    starts_at: dt.datetime,
    ends_at: dt.datetime,
    instance_type: str,
    instance_count: int,
    availability_zone_id: str,
) -> None:
    """Gives the rehearsal a Capacity Block, which is bought outside of any stack.

    Args:
        account: The account that has bought it.
        region: Its region.
        reservation_id: The id of its reservation, ``cr-...``.
        starts_at: When it begins, with its zone.
        ends_at: When it ends.
        instance_type: The type of its instances.
        instance_count: How many there are.
        availability_zone_id: Where they are.
    """
    state_of(account, region).capacity_reservations[reservation_id] = {
        "CapacityReservationId": reservation_id,
        "OwnerId": account,
        "InstanceType": instance_type,
        "AvailabilityZoneId": availability_zone_id,
        "TotalInstanceCount": instance_count,
        "AvailableInstanceCount": instance_count,
        "ReservationType": _BLOCK,
        "InstanceMatchCriteria": "targeted",
        "StartDate": starts_at.astimezone(dt.UTC),
        "EndDate": ends_at.astimezone(dt.UTC),
        "EndDateType": "limited",
        "State": "scheduled",
    }


def reservations(account: str, region: str) -> dict[str, dict[str, Any]]:
    """Gives the reservations of an account in a region as EC2's API answers them, blocks as they stand now."""
    state, now = state_of(account, region), clock.now()
    for name, one in state.capacity_reservations.items():
        if one.get("ReservationType") == _BLOCK:
            one["State"] = "scheduled" if now < one["StartDate"] else "active" if now < one["EndDate"] else "expired"
            taken = [
                instance for instance in state.reserved_instances.get(name, []) if _runs(account, region, instance)
            ]
            one["AvailableInstanceCount"] = one["TotalInstanceCount"] - len(taken)
    return state.capacity_reservations


def ending() -> Iterator[EndingBlock]:
    """Gives every block, of every account and region, in which instances were started."""
    for account, region, state in states():
        for name in list(state.reserved_instances):
            one = state.capacity_reservations.get(name, {})
            if one.get("ReservationType") == _BLOCK:
                yield EndingBlock(one["EndDate"] - TERMINATION, account, region, name)


def _runs(account: str, region: str, instance_id: str) -> bool:
    instance = ec2_backends[account][region].get_instance_by_id(instance_id)
    return instance is not None and instance._state.name == "running"  # noqa: SLF001 - moto has no other name for it
