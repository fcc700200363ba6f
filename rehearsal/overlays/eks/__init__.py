"""EKS: clusters that answer in full, node groups with nodes, add-ons, access entries, pod identities, Fargate."""

from rehearsal.overlays.eks.access import AccessEntries
from rehearsal.overlays.eks.addons import Addons
from rehearsal.overlays.eks.clusters import Clusters
from rehearsal.overlays.eks.fargate import FargateProfiles
from rehearsal.overlays.eks.nodegroups import Nodegroups


class Response(Clusters, Nodegroups, FargateProfiles, Addons, AccessEntries):
    """EKS's API."""
