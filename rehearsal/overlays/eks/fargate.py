"""Fargate profiles, whose pods start in private subnets alone.

Source: EKS user guide, "Define which Pods use AWS Fargate when launched". AWS's words: badmintoncryer/cdk-preflight,
rules/eks, pf-eks-fargate-selectors-max-five and pf-eks-fargate-subnets-private-only, ``meta.yaml``, deploys of
2026-09-25; hashicorp/terraform-provider-aws, internal/service/eks/fargate_profile.go (the role). Those about another
VPC are the ones about node groups, and unconfirmed.
"""

from typing import Any

from moto.core.responses import ActionResult

from rehearsal.overlays.eks.base import EksBase
from rehearsal.overlays.eks.group_checks import check_subnets
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import trusts_service

_MOST_SELECTORS = 5
_SERVICE = "eks-fargate-pods.amazonaws.com"


class FargateProfiles(EksBase):
    """EKS's making of Fargate profiles, with what AWS refuses and moto takes."""

    def create_fargate_profile(self) -> ActionResult:
        """Answers CreateFargateProfile."""
        cluster, request = self.cluster(), self.request
        if len(request.get("selectors", ())) > _MOST_SELECTORS:
            message = f"Request contains more than {_MOST_SELECTORS} Selectors"
            raise OverlayError("InvalidParameterException", message)
        role = self.role(request["podExecutionRoleArn"])
        if role is not None and not trusts_service(role, _SERVICE):
            message = f"Misconfigured PodExecutionRole Trust Policy; Please add the {_SERVICE} Service Principal"
            raise OverlayError("InvalidParameterException", message)
        subnets = self.check_subnets(request.get("subnets", []))
        check_subnets(subnets, cluster.resources_vpc_config["vpcId"])
        for subnet in subnets:
            if _is_public(self.network, subnet):
                message = f"Subnet {subnet.id} provided in Fargate Profile is not a private subnet"
                raise OverlayError("InvalidParameterException", message)
        answer: ActionResult = super().create_fargate_profile()
        return answer


def _is_public(network: Any, subnet: Any) -> bool:
    """Says whether a subnet's route table, its own or else the VPC's main one, leads to an internet gateway."""
    tables = [table for table in network.route_tables.values() if table.vpc_id == subnet.vpc_id]
    own = [table for table in tables if any(one.get("SubnetId") == subnet.id for one in table.associations)]
    main = [table for table in tables if any(one["Main"] for one in table.associations)]
    return any(
        route.gateway is not None and str(route.gateway.id).startswith("igw-")
        for table in (own or main)
        for route in table.routes
    )
