"""EC2's API: what moto lacks of it, what AWS refuses and moto takes, and nothing of what moto leaves behind."""

from rehearsal.overlays.ec2.images import Images
from rehearsal.overlays.ec2.network import Network
from rehearsal.overlays.ec2.placement import PlacementGroups
from rehearsal.overlays.ec2.reservations import Reservations


class Response(PlacementGroups, Reservations, Images, Network):
    """EC2's API."""
