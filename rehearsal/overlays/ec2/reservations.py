"""EC2's capacity reservations, of which moto has none: those that the rehearsal was given."""

from moto.core.responses import ActionResult
from moto.ec2.responses import EC2Response

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.state import state_of


class Reservations(EC2Response):
    """Capacity reservations."""

    def describe_capacity_reservations(self) -> ActionResult:
        """Answers DescribeCapacityReservations with those that the rehearsal was given."""
        known = state_of(self.current_account, self.region).capacity_reservations
        ids = self._get_param("CapacityReservationIds", [])
        unknown = [name for name in ids if name not in known]
        if unknown:
            message = f"The capacity reservation ID '{unknown[0]}' does not exist."
            raise OverlayError("InvalidCapacityReservationId.NotFound", message)
        wanted = [known[name] for name in ids] if ids else list(known.values())
        return ActionResult({"CapacityReservations": wanted})
