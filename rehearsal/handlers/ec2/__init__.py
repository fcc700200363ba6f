"""EC2's resource types: networks, security groups, launch templates and placement groups."""

from rehearsal.handlers.base import Handler
from rehearsal.handlers.ec2 import compute, endpoints, routing, security_groups, vpc

HANDLERS: dict[str, Handler] = {
    **vpc.HANDLERS,
    **routing.HANDLERS,
    **endpoints.HANDLERS,
    **security_groups.HANDLERS,
    **compute.HANDLERS,
}
