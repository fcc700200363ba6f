"""EKS's resource types: clusters, node groups and what is installed in or allowed into a cluster."""

from rehearsal.handlers.base import Handler
from rehearsal.handlers.eks import access, addons, clusters, nodegroups

HANDLERS: dict[str, Handler] = {
    **clusters.HANDLERS,
    **nodegroups.HANDLERS,
    **addons.HANDLERS,
    **access.HANDLERS,
}
