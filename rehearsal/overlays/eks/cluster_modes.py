"""What EKS refuses of who may enter a new cluster, of EKS Auto Mode, and of what is encrypted.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/eks/pf-eks-cluster-*,
``meta.yaml``, deploys of 2026-09-25.
"""

from collections.abc import Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError

_CONFIG_MAP = "CONFIG_MAP"


def check_modes(request: Mapping[str, Any]) -> None:
    """Refuses settings of a new cluster that do not go together."""
    _check_access(request.get("accessConfig") or {})
    _check_auto_mode(request)
    for encryption in request.get("encryptionConfig") or ():
        if any(kind != "secrets" for kind in encryption.get("resources", ())):
            raise _invalid("Invalid k8s resource for encryption")


def _check_access(access: Mapping[str, Any]) -> None:
    """Refuses a cluster that nobody could enter: without its creator, and without entries.

    Source: kubernetes-sigs/cluster-api-provider-aws, awsmanagedcontrolplane_webhook.go, which has the words; users
    quote the code.
    """
    by_map = access.get("authenticationMode", _CONFIG_MAP) == _CONFIG_MAP
    if by_map and access.get("bootstrapClusterCreatorAdminPermissions") is False:
        raise _invalid(
            "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to CONFIG_MAP"
        )


def _check_auto_mode(request: Mapping[str, Any]) -> None:
    """Refuses a part of EKS Auto Mode without the others, and nodes without a role or in a cluster without entries."""
    compute, network = request.get("computeConfig") or {}, request.get("kubernetesNetworkConfig") or {}
    storage = (request.get("storageConfig") or {}).get("blockStorage") or {}
    parts = {bool(one.get("enabled")) for one in (compute, network.get("elasticLoadBalancing") or {}, storage)}
    if len(parts) > 1:
        raise _invalid(
            "For EKS Auto Mode, please ensure that all required configs, including computeConfig, "
            "kubernetesNetworkConfig, and blockStorage are all either fully enabled or fully disabled."
        )
    if compute.get("nodePools") and not compute.get("nodeRoleArn"):
        raise _invalid("When Compute Config nodeRoleArn is null or empty, nodePool list cannot be populated.")
    mode = (request.get("accessConfig") or {}).get("authenticationMode", _CONFIG_MAP)
    if compute.get("enabled") and mode == _CONFIG_MAP:
        raise _invalid(
            "When EKS Auto Mode is enabled, you must use an EKS access config authentication mode of "
            "API_AND_CONFIG_MAP or API"
        )


def _invalid(message: str) -> OverlayError:
    return OverlayError("InvalidParameterException", message)
