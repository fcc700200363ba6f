"""Pod identity associations: which role the pods of a service account take."""

from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import utcnow

from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.errors import OverlayError

_STATED = ("namespace", "serviceAccount", "roleArn", "tags", "disableSessionTags", "targetRoleArn", "policy")


class PodIdentities(EksBase):
    """EKS's operations on pod identity associations."""

    def create_pod_identity_association(self) -> ActionResult:
        """Answers CreatePodIdentityAssociation; a service account has one association at most."""
        request = self.request
        stated = {member: request[member] for member in _STATED if member in request}
        return ActionResult({"association": self.new_association(stated)})

    def describe_pod_identity_association(self) -> ActionResult:
        """Answers DescribePodIdentityAssociation."""
        return ActionResult({"association": self._association()})

    def list_pod_identity_associations(self) -> ActionResult:
        """Answers ListPodIdentityAssociations, by namespace and service account."""
        wanted = list(self.cluster().pod_identity_associations.values())
        for member in ("namespace", "serviceAccount"):
            values = self.querystring.get(member)
            wanted = [one for one in wanted if not values or one[member] in values]
        return ActionResult({"associations": wanted})

    def update_pod_identity_association(self) -> ActionResult:
        """Answers UpdatePodIdentityAssociation."""
        association, request = self._association(), self.request
        changeable = ("roleArn", "disableSessionTags", "targetRoleArn", "policy")
        changed = {member: request[member] for member in changeable if member in request}
        association.update(changed, modifiedAt=utcnow())
        return ActionResult({"association": association})

    def delete_pod_identity_association(self) -> ActionResult:
        """Answers DeletePodIdentityAssociation."""
        association = self._association()
        del self.cluster().pod_identity_associations[association["associationId"]]
        return ActionResult({"association": association})

    def new_association(self, request: dict[str, Any]) -> dict[str, Any]:
        """Makes a pod identity association of the request's cluster, and gives it as EKS's API answers it."""
        cluster = self.cluster()
        associations = cluster.pod_identity_associations
        key = (request["namespace"], request["serviceAccount"])
        if key in {(one["namespace"], one["serviceAccount"]) for one in associations.values()}:
            message = f"Association already exists for service account {key[1]} in namespace {key[0]}"
            raise OverlayError("ResourceInUseException", message)
        cluster.association_count += 1
        association_id = f"a-{cluster.association_count:017x}"
        arn = cluster.arn.replace(":cluster/", ":podidentityassociation/")
        associations[association_id] = {
            "clusterName": cluster.name,
            "associationId": association_id,
            "associationArn": f"{arn}/{association_id}",
            "createdAt": utcnow(),
            "modifiedAt": utcnow(),
            "disableSessionTags": False,
            "tags": {},
            **request,
        }
        return associations[association_id]

    def _association(self) -> dict[str, Any]:
        association_id = self.request["associationId"]
        association = self.cluster().pod_identity_associations.get(association_id)
        if association is None:
            message = f"No association found for id: {association_id}"
            raise OverlayError("ResourceNotFoundException", message)
        return association
