"""Access entries and their associated access policies.

Source: EKS API reference, CreateAccessEntry (its errors, and the user name that is the principal's ARN where none is
given), AssociateAccessPolicy and ListAccessEntries; EKS user guide, "Create access entries": the authentication mode
that they need, whose words users quote. That deleting an entry takes its policies along follows from their having no
other place.
"""

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.core.utils import utcnow

from rehearsal.overlays.eks.access_checks import check_entry, check_policy, check_principal
from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.errors import OverlayError


class AccessEntries(EksBase):
    """EKS's operations on access entries."""

    def create_access_entry(self) -> ActionResult:
        """Answers CreateAccessEntry; the cluster's authentication mode must take entries."""
        cluster, request = self.cluster(), self.request
        principal = request["principalArn"]
        check_entry(request)
        if cluster.access_config["authenticationMode"] == "CONFIG_MAP":
            message = (
                "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this "
                "operation."
            )
            raise OverlayError("InvalidRequestException", message)
        check_principal(
            principal, request.get("type", "STANDARD"), account=self.current_account, partition=self.partition
        )
        if principal in cluster.access_entries:
            message = "The specified access entry resource is already in use on this cluster."
            raise OverlayError("ResourceInUseException", message)
        kind, name = principal.split(":", 5)[5].split("/", 1)
        arn = cluster.arn.replace(":cluster/", ":access-entry/")
        cluster.access_entries[principal] = {
            "clusterName": cluster.name,
            "principalArn": principal,
            "accessEntryArn": f"{arn}/{kind}/{self.current_account}/{name.rsplit('/', 1)[-1]}",
            "kubernetesGroups": request.get("kubernetesGroups", []),
            "username": request.get("username", principal),
            "type": request.get("type", "STANDARD"),
            "tags": dict(request.get("tags", {})),
            "createdAt": utcnow(),
            "modifiedAt": utcnow(),
        }
        cluster.access_policies[principal] = {}
        return ActionResult({"accessEntry": cluster.access_entries[principal]})

    def describe_access_entry(self) -> ActionResult:
        """Answers DescribeAccessEntry."""
        return ActionResult({"accessEntry": self._entry()})

    def list_access_entries(self) -> ActionResult:
        """Answers ListAccessEntries, all of them or those with an associated policy."""
        cluster = self.cluster()
        policies = self.querystring.get("associatedPolicyArn")
        wanted = {
            principal: entry
            for principal, entry in cluster.access_entries.items()
            if not policies or policies[0] in cluster.access_policies[principal]
        }
        return ActionResult(self.names_only("accessEntries", wanted))

    def update_access_entry(self) -> ActionResult:
        """Answers UpdateAccessEntry."""
        entry, request = self._entry(), self.request
        check_entry({"type": entry["type"], **request})
        changed: dict[str, Any] = {name: request[name] for name in ("kubernetesGroups", "username") if name in request}
        entry.update(changed, modifiedAt=utcnow())
        return ActionResult({"accessEntry": entry})

    def delete_access_entry(self) -> EmptyResult:
        """Answers DeleteAccessEntry."""
        principal = self._entry()["principalArn"]
        del self.cluster().access_entries[principal]
        del self.cluster().access_policies[principal]
        return EmptyResult()

    def associate_access_policy(self) -> ActionResult:
        """Answers AssociateAccessPolicy; doing it again changes the scope."""
        entry, request = self._entry(), self.request
        check_policy(request, entry["type"])
        policy = {
            "policyArn": request["policyArn"],
            "accessScope": {"namespaces": [], **request["accessScope"]},
            "associatedAt": utcnow(),
            "modifiedAt": utcnow(),
        }
        self._policies()[request["policyArn"]] = policy
        return ActionResult({**self._identity(), "associatedAccessPolicy": policy})

    def disassociate_access_policy(self) -> EmptyResult:
        """Answers DisassociateAccessPolicy."""
        if self._policies().pop(self.request["policyArn"], None) is None:
            message = f"The policy {self.request['policyArn']} is not associated with the access entry"
            raise OverlayError("ResourceNotFoundException", message)
        return EmptyResult()

    def list_associated_access_policies(self) -> ActionResult:
        """Answers ListAssociatedAccessPolicies."""
        return ActionResult({**self._identity(), "associatedAccessPolicies": list(self._policies().values())})

    def _identity(self) -> dict[str, str]:
        return {"clusterName": self.cluster().name, "principalArn": self._entry()["principalArn"]}

    def _policies(self) -> dict[str, dict[str, Any]]:
        return self.cluster().access_policies[self._entry()["principalArn"]]

    def _entry(self) -> dict[str, Any]:
        principal = self.request["principalArn"]
        entry = self.cluster().access_entries.get(principal)
        if entry is None:
            message = f"The specified principalArn could not be found: {principal}"
            raise OverlayError("ResourceNotFoundException", message)
        return entry
