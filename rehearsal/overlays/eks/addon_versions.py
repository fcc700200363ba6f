"""Which versions of add-ons EKS offers."""

from typing import Any

from moto.core.responses import ActionResult

from rehearsal.overlays.eks.pod_identities import PodIdentities
from rehearsal.overlays.errors import OverlayError
from rehearsal.pins import published

#: Source: EKS API reference, DescribeAddonVersions, ``maxResults``.
_PAGE = 100


class AddonVersions(PodIdentities):
    """EKS's operation that lists the versions of add-ons."""

    def describe_addon_versions(self) -> ActionResult:
        """Answers DescribeAddonVersions, for one add-on or Kubernetes minor or for all; nothing fits an unknown one.

        Source: EKS API reference, DescribeAddonVersions; aws/containers-roadmap and marcincuber/eks issue 10, for the
        empty list.
        """
        minor, only = self._get_param("kubernetesVersion"), self._get_param("addonName")
        addons = [
            _addon(name, minors, minor) for name, minors in sorted(published().add_ons.items()) if only in {None, name}
        ]
        found = [addon for addon in addons if addon["addonVersions"]]
        start = int(self._get_param("nextToken") or 0)
        size = int(self._get_param("maxResults") or _PAGE)
        token = str(start + size) if start + size < len(found) else None
        return ActionResult({"addons": found[start : start + size], "nextToken": token})


def version_for(name: str, minor: str, wanted: str | None) -> str:
    """Gives the version that an add-on gets in a cluster: the wanted one, or the minor's default.

    Raises:
        OverlayError: EKS has no such add-on, or not in this version for this minor.

    Source: hashicorp/terraform-provider-aws issue 33385, aws/containers-roadmap issue 1429 and marcincuber/eks issue
    10, which quote the three refusals.
    """
    minors = published().add_ons.get(name)
    if minors is None:
        raise OverlayError("InvalidParameterException", "Addon specified is not supported")
    versions = minors.get(minor)
    if not versions:
        message = f"Addon {name} specified is not supported in {minor} kubernetes version"
        raise OverlayError("InvalidParameterException", message)
    if wanted is not None and wanted not in versions:
        raise OverlayError("InvalidParameterException", "Addon version specified is not supported")
    return wanted or versions[0]


def _addon(name: str, minors: Any, only: str | None) -> dict[str, Any]:
    """Gives an add-on as EKS's API answers it; asked for one minor, EKS names no version's other minors."""
    versions: dict[str, list[dict[str, Any]]] = {}
    for minor in sorted((minor for minor in minors if only in {None, minor}), reverse=True):
        for place, version in enumerate(minors[minor]):
            compatible = {"clusterVersion": minor, "platformVersions": ["*"], "defaultVersion": place == 0}
            versions.setdefault(version, []).append(compatible)
    return {
        "addonName": name,
        "publisher": "eks",
        "owner": "aws",
        "addonVersions": [
            {"addonVersion": version, "compatibilities": compatibilities}
            for version, compatibilities in versions.items()
        ],
    }
