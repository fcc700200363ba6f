"""EC2's API: what moto lacks of it, what AWS refuses and moto takes, and nothing of what moto leaves behind."""

from rehearsal.overlays.ec2.endpoints import Endpoints
from rehearsal.overlays.ec2.gateways import Gateways
from rehearsal.overlays.ec2.images import Images
from rehearsal.overlays.ec2.instances import Instances
from rehearsal.overlays.ec2.launches import Launches
from rehearsal.overlays.ec2.network import Network
from rehearsal.overlays.ec2.placement import PlacementGroups
from rehearsal.overlays.ec2.reservations import Reservations
from rehearsal.overlays.ec2.routes import Routes
from rehearsal.overlays.ec2.security_groups import SecurityGroups


class Response(
    PlacementGroups,
    Reservations,
    Images,
    Instances,
    Launches,
    Network,
    Gateways,
    Routes,
    Endpoints,
    SecurityGroups,
):
    """EC2's API."""
