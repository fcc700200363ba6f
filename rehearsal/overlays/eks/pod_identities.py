"""Pod identity associations: which role the pods of a service account take."""

import re
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.core.utils import utcnow

from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of, trusts_service

_STATED = ("namespace", "serviceAccount", "roleArn", "tags", "disableSessionTags", "targetRoleArn", "policy")
_POD_ACTIONS = ("sts:AssumeRole", "sts:TagSession")
#: What Kubernetes takes for the names of namespaces and of service accounts, as EKS quotes it.
_FORMS = {
    "namespace": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "serviceAccount": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
}


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
        self._check_association({**association, **changed})
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
        _check_names(request)
        key = (request["namespace"], request["serviceAccount"])
        for association_id, one in associations.items():
            if key == (one["namespace"], one["serviceAccount"]):
                raise OverlayError("ResourceInUseException", f"Association already exists: {association_id}")
        self._check_association(request)
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

    def _check_association(self, association: Mapping[str, Any]) -> None:
        """Refuses a role that IAM doesn't have or pods can't take, and a policy that session tags would void.

        Of a role in an account that somebody has nothing is said where the rehearsal was not told of it.

        Source: hashicorp/terraform-provider-aws, internal/service/eks/pod_identity_association.go, and issue 41483,
        which quote code and words; EKS user guide, "Learn how EKS Pod Identity grants pods access to AWS services", the
        two actions; badmintoncryer/cdk-preflight, rules/eks/pf-eks-podidentity-policy-requires-disable-session-tags.
        """
        if association.get("policy") and not association.get("disableSessionTags"):
            message = "When policy is specified, disableSessionTags must be set to true"
            raise OverlayError("InvalidParameterException", message)
        self.check_pass_role(association["roleArn"])
        role = self.role(association["roleArn"])
        if role is None and knows_all_of(self.current_account):
            raise OverlayError("InvalidParameterException", "Role provided in the request does not exist.")
        if role is not None and not trusts_service(role, "pods.eks.amazonaws.com", _POD_ACTIONS):
            raise OverlayError("InvalidParameterException", "Trust policy of the role provided is invalid.")

    def _association(self) -> dict[str, Any]:
        association_id = self.request["associationId"]
        association = self.cluster().pod_identity_associations.get(association_id)
        if association is None:
            message = f"No association found for id: {association_id}"
            raise OverlayError("ResourceNotFoundException", message)
        return association


def _check_names(request: Mapping[str, Any]) -> None:
    """Refuses names that Kubernetes would not take.

    Source: badmintoncryer/cdk-preflight, rules/eks, pf-eks-podidentity-namespace-format and -service-account-format,
    and of an association twice pf-eks-podidentity-duplicate, ``meta.yaml``, deploys of 2026-09-25.
    """
    for member, form in _FORMS.items():
        if not re.match(form, request[member]):
            message = (
                f"The parameter {member} contains invalid characters. It should conform to the regular expression "
                f"{form}"
            )
            raise OverlayError("InvalidParameterException", message)
