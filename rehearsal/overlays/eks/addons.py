"""Add-ons."""

import re
from collections.abc import Mapping
from typing import Any

import yaml
from moto.core.responses import ActionResult
from moto.core.utils import utcnow

from rehearsal.overlays.eks.addon_versions import AddonVersions, version_for
from rehearsal.overlays.eks.records import new_update
from rehearsal.overlays.errors import OverlayError

#: A DNS label. Source: RFC 1123, section 2.1; Kubernetes, "Object Names and IDs": at most 63 letters.
_LABEL = re.compile(r"(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_STATED = ("addonVersion", "serviceAccountRoleArn", "configurationValues", "namespaceConfig")


class Addons(AddonVersions):
    """EKS's operations on add-ons."""

    def create_addon(self) -> ActionResult:
        """Answers CreateAddon."""
        cluster, request = self.cluster(), self.request
        name = request["addonName"]
        if name in cluster.addons:
            raise OverlayError("ResourceInUseException", f"Addon already exists: {name}")
        version = version_for(name, cluster.version, request.get("addonVersion"))
        self._check_stated(request)
        arn = cluster.arn.replace(f":cluster/{cluster.name}", f":addon/{cluster.name}/{name}/{len(cluster.addons) + 1}")
        cluster.addons[name] = {
            "addonName": name,
            "clusterName": cluster.name,
            "addonArn": arn,
            "status": "ACTIVE",
            "health": {"issues": []},
            "createdAt": utcnow(),
            "modifiedAt": utcnow(),
            "tags": dict(request.get("tags", {})),
            **{member: request[member] for member in _STATED if member in request},
            "addonVersion": version,
            "podIdentityAssociations": self._associate(name, request.get("podIdentityAssociations", [])),
        }
        return ActionResult({"addon": cluster.addons[name]})

    def describe_addon(self) -> ActionResult:
        """Answers DescribeAddon."""
        return ActionResult({"addon": self._addon()})

    def list_addons(self) -> ActionResult:
        """Answers ListAddons."""
        return ActionResult(self.names_only("addons", self.cluster().addons))

    def update_addon(self) -> ActionResult:
        """Answers UpdateAddon."""
        addon, request = self._addon(), self.request
        if "addonVersion" in request:
            version_for(addon["addonName"], self.cluster().version, request["addonVersion"])
        self._check_stated(request)
        changed = {member: request[member] for member in _STATED if member in request}
        addon.update(changed, modifiedAt=utcnow())
        if "podIdentityAssociations" in request:
            self._dissociate(addon)
            pairs = request["podIdentityAssociations"]
            addon["podIdentityAssociations"] = self._associate(addon["addonName"], pairs)
        names = {"addonVersion": "AddonVersion", "configurationValues": "ConfigurationValues"}
        parameters = {names[member]: value for member, value in changed.items() if member in names}
        return ActionResult({"update": new_update(self.cluster(), "AddonUpdate", parameters)})

    def delete_addon(self) -> ActionResult:
        """Answers DeleteAddon; the add-on's pod identity associations go with it."""
        addon = self._addon()
        self._dissociate(addon)
        del self.cluster().addons[addon["addonName"]]
        return ActionResult({"addon": {**addon, "status": "DELETING"}})

    def _addon(self) -> dict[str, Any]:
        name = self.request["addonName"]
        addon = self.cluster().addons.get(name)
        if addon is None:
            raise OverlayError("ResourceNotFoundException", f"No addon: {name} found in cluster: {self.cluster().name}")
        return addon

    def _check_stated(self, request: Mapping[str, Any]) -> None:
        """Refuses what EKS would not take of a new add-on, or of a change.

        Source: badmintoncryer/cdk-preflight, rules/eks, pf-eks-addon-namespace-config-format, ``meta.yaml``, a deploy
        of 2026-09-25.
        """
        _check_configuration(request)
        if request.get("serviceAccountRoleArn"):
            self.check_pass_role(request["serviceAccountRoleArn"])
        namespace = request.get("namespaceConfig", {}).get("namespace", "kube-system")
        if not _LABEL.fullmatch(namespace):
            message = "Provided namespace value is not a valid RFC 1123 DNS label"
            raise OverlayError("InvalidParameterException", message)

    def _associate(self, addon: str, pairs: list[dict[str, str]]) -> list[str]:
        """Makes the pod identity associations that an add-on owns, and gives their ARNs.

        EKS knows each add-on's namespace; every add-on that takes such associations lives in ``kube-system`` unless it
        says otherwise.
        """
        namespace = self.request.get("namespaceConfig", {}).get("namespace", "kube-system")
        arns = []
        for pair in pairs:
            association = self.new_association({**pair, "namespace": namespace})
            association["ownerArn"] = f"{self.cluster().arn.replace(':cluster/', ':addon/')}/{addon}"
            arns.append(association["associationArn"])
        return arns

    def _dissociate(self, addon: dict[str, Any]) -> None:
        associations = self.cluster().pod_identity_associations
        owned = set(addon["podIdentityAssociations"])
        for association_id in [key for key, one in associations.items() if one["associationArn"] in owned]:
            del associations[association_id]


def _check_configuration(request: Mapping[str, Any]) -> None:
    """Refuses a configuration that can't be read; each add-on's own schema, which EKS holds it to, is not known here.

    Source: badmintoncryer/cdk-preflight, rules/eks/pf-eks-addon-configuration-values-json, a deploy of 2026-09-25.
    """
    try:
        yaml.safe_load(request.get("configurationValues", ""))
    except (RecursionError, yaml.YAMLError) as error:
        message = "The ConfigurationValues provided is not in valid YAML or JSON format."
        raise OverlayError("InvalidParameterException", message) from error
