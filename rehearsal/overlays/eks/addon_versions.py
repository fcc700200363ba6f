"""Which versions of add-ons EKS offers."""

import re
from collections.abc import Iterable
from typing import Any

from moto.core.responses import ActionResult

from rehearsal.overlays.eks.pod_identities import PodIdentities
from rehearsal.overlays.errors import OverlayError
from rehearsal.pins import published

#: Source: EKS API reference, DescribeAddonVersions, ``maxResults``.
_PAGE = 100
_INVALID = "InvalidParameterException"
#: Of AWS's own add-ons. Source: EKS API reference, DescribeAddonVersions; badmintoncryer/cdk-preflight, rules/eks,
#: pf-eks-addon-version-format, ``meta.yaml``.
_VERSION = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")


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

    EKS offers more add-ons, and far more versions of them, than the tables have: of those the rehearsal says that it
    does not know them. A refusal of EKS's is only what no add-on's version looks like, and another minor's kube-proxy.

    Raises:
        OverlayError: EKS has no such version for this minor, or the rehearsal does not know it.

    Source: hashicorp/terraform-provider-aws issue 33385, for the words; EKS user guide, "AWS add-ons", "Community
    add-ons" and "AWS Marketplace add-ons", for how many there are.
    """
    minors = published().add_ons.get(name)
    if minors is None:
        raise _unknown(f"add-on {name}", published().add_ons)
    if wanted is not None and (not _VERSION.fullmatch(wanted) or _is_of_another(name, minor, wanted)):
        raise OverlayError(_INVALID, "Addon version specified is not supported")
    versions = minors.get(minor)
    if not versions:
        raise _unknown(f"versions of add-on {name} for Kubernetes {minor}", minors)
    if wanted is not None and wanted not in versions:
        raise _unknown(f"version {wanted} of add-on {name} for Kubernetes {minor}", versions)
    return wanted or versions[0]


def _is_of_another(name: str, minor: str, version: str) -> bool:
    """Says whether a version is one of kube-proxy for another Kubernetes minor, which its beginning tells."""
    return name == "kube-proxy" and not version.startswith(f"v{minor}.")


def _unknown(what: str, known: Iterable[str]) -> OverlayError:
    return OverlayError(
        _INVALID, f"The rehearsal does not know {what}, which EKS may offer. It knows: {', '.join(known)}"
    )


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
