"""How EKS's operations read their requests and find what they name."""

import json
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from moto.ec2.models import ec2_backends
from moto.eks.responses import EKSResponse

from rehearsal.overlays.arns import parsed
from rehearsal.overlays.eks.records import ClusterRecord, NodegroupRecord
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of, role_named, trusts_service


class EksBase(EKSResponse):
    """What every part of EKS's API needs."""

    def get_region_from_url(self, request: Any, full_url: str) -> str:
        """Gives the region of a request, from its host or its signature.

        moto would look through the path too, and take part of a role's ARN for one: a role of IAM Identity Center has
        ``sso.amazonaws.com`` in its path.
        """
        address = urlsplit(full_url)
        region: str = super().get_region_from_url(request, f"{address.scheme}://{address.netloc}/")
        return region

    @property
    def request(self) -> dict[str, Any]:
        """The request's body with the parameters of its path, by the API's names."""
        body = json.loads(self.body) if self.body else {}
        return {**body, **{name: unquote(str(value)) for name, value in (self.uri_match or {}).items()}}

    @property
    def network(self) -> Any:
        """The EC2 backend of this account and region, which is moto's."""
        return ec2_backends[self.current_account][self.region]

    def cluster(self, name: str | None = None) -> ClusterRecord:
        """Gives the cluster that the request names."""
        name = name or self.request["name"]
        cluster = cast("ClusterRecord | None", self.eks_backend.clusters.get(name))
        if cluster is None:
            raise OverlayError("ResourceNotFoundException", f"No cluster found for name: {name}.")
        return cluster

    def nodegroup(self) -> NodegroupRecord:
        """Gives the node group that the request names."""
        name = self.request["nodegroupName"]
        group = cast("NodegroupRecord | None", self.cluster().nodegroups.get(name))
        if group is None:
            raise OverlayError("ResourceNotFoundException", f"No node group found for name: {name}.")
        return group

    def check_cluster_role(self, arn: str) -> None:
        """Refuses a role of another account, one that IAM doesn't have, and one that EKS may not take.

        Of a role in an account that somebody has nothing is said where the rehearsal was not told of it.

        Source: terraform-aws-modules/terraform-aws-eks issue 2406 and aws-samples/karpenter-blueprints issue 20, which
        quote the code and the words.
        """
        self.check_pass_role(arn)
        role = self.role(arn)
        unknown = role is None and knows_all_of(self.current_account)
        if unknown or (role is not None and not trusts_service(role, "eks.amazonaws.com")):
            message = (
                f"Role with arn: {arn}, could not be assumed because it does not exist or the trusted entity is not "
                "correct"
            )
            raise OverlayError("InvalidParameterException", message)

    def check_node_role(self, arn: str) -> None:
        """Refuses a role that IAM doesn't have, or that EC2 may not take; for one that is not known see above.

        Source: eksctl-io/eksctl issue 3290 and bottlerocket-os/bottlerocket-update-operator issue 316, which quote the
        code and the words about trust.
        """
        role = self.role(arn)
        if role is None:
            if not knows_all_of(self.current_account):
                return
            message = f"Role with arn: {arn}, could not be assumed because it does not exist"
            raise OverlayError("InvalidParameterException", message)
        service = "ec2.amazonaws.com.cn" if self.partition == "aws-cn" else "ec2.amazonaws.com"
        if not any(trusts_service(role, one) for one in (service, "ec2.amazonaws.com")):
            message = (
                f"Following required service principals [{service}] were not found in the trust relationships of "
                f"nodeRole {arn}"
            )
            raise OverlayError("InvalidParameterException", message)

    def check_pass_role(self, arn: str) -> None:
        """Refuses a role of another account, which nobody can hand on to EKS.

        Source: badmintoncryer/cdk-preflight, rules/eks, pf-eks-cluster-role-arn-account,
        pf-eks-podidentity-role-arn-account and pf-eks-addon-service-account-role-account, ``meta.yaml``, deploys of
        2026-09-25.
        """
        named = parsed(arn)
        if named is not None and named.account != self.current_account:
            raise OverlayError("AccessDeniedException", "Cross-account pass role is not allowed.")

    def role(self, arn: str) -> Any | None:
        """Gives moto's record of a role of this account; None where IAM doesn't have it."""
        return role_named(arn, account=self.current_account, partition=self.partition)

    def check_subnets(self, subnet_ids: list[str]) -> list[Any]:
        """Gives moto's records of subnets, and refuses one that EC2 doesn't have."""
        known = {name: subnet for subnets in self.network.subnets.values() for name, subnet in subnets.items()}
        for subnet_id in subnet_ids:
            if subnet_id not in known:
                message = f"The subnet ID '{subnet_id}' does not exist"
                raise OverlayError("InvalidParameterException", message)
        return [known[subnet_id] for subnet_id in subnet_ids]

    def names_only(self, member: str, records: dict[str, Any]) -> dict[str, list[str]]:
        """Gives a list answer: the records' keys in order."""
        return {member: sorted(records)}
