"""Facts as reviewed data: instance types, chips, zones, Kubernetes versions. Each row says where it comes from."""

from trnstack.catalog.instance_types import CHIPS, INSTANCE_TYPES
from trnstack.catalog.kubernetes_versions import KUBERNETES_VERSIONS
from trnstack.catalog.model import Chip, Fact, InstanceType, KubernetesVersion, SystemInstanceType, UltraServer
from trnstack.catalog.system_types import SYSTEM_INSTANCE_TYPES
from trnstack.catalog.ultraservers import ULTRASERVERS
from trnstack.catalog.zones import ZONE_IDS

__all__ = [
    "CHIPS",
    "INSTANCE_TYPES",
    "KUBERNETES_VERSIONS",
    "SYSTEM_INSTANCE_TYPES",
    "ULTRASERVERS",
    "ZONE_IDS",
    "Chip",
    "Fact",
    "InstanceType",
    "KubernetesVersion",
    "SystemInstanceType",
    "UltraServer",
]
