"""EC2 Image Builder, which moto does not have: components, recipes, configurations, pipelines, and images that build.

A build takes no time: its AMI stands in EC2 when the request for it is answered.
"""

from rehearsal.overlays.imagebuilder.components import Components
from rehearsal.overlays.imagebuilder.distributions import Distributions
from rehearsal.overlays.imagebuilder.infrastructure import Infrastructure
from rehearsal.overlays.imagebuilder.pipelines import Pipelines


class Response(Components, Infrastructure, Distributions, Pipelines):
    """Image Builder's API."""
