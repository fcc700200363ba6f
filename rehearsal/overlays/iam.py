"""IAM: what it refuses of policies, and AWS-managed policies, of which moto holds all or none.

Loading all 1,582 into every partition takes a second and 70 MiB at each reset, so a policy is put in when a request
first names it; a name that AWS doesn't have stays unknown, and the request fails as it does on AWS.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.iam.aws_managed_policies import aws_managed_policies_data
from moto.iam.models import AWSManagedPolicy

from rehearsal.overlays.iam_checks import check_attachments, check_inline, check_managed, check_trust
from rehearsal.overlays.oidc import OidcProviders


class Response(OidcProviders):
    """IAM's API, which knows every AWS-managed policy that a request names."""

    def attach_role_policy(self) -> ActionResult:
        """Answers AttachRolePolicy."""
        self._know("PolicyArn")
        role = self.backend.get_role(self._get_param("RoleName"))
        check_attachments(role.managed_policies, self._get_param("PolicyArn"))
        return super().attach_role_policy()

    def attach_user_policy(self) -> ActionResult:
        """Answers AttachUserPolicy."""
        self._know("PolicyArn")
        return super().attach_user_policy()

    def attach_group_policy(self) -> ActionResult:
        """Answers AttachGroupPolicy."""
        self._know("PolicyArn")
        return super().attach_group_policy()

    def get_policy(self) -> ActionResult:
        """Answers GetPolicy."""
        self._know("PolicyArn")
        return super().get_policy()

    def get_policy_version(self) -> ActionResult:
        """Answers GetPolicyVersion."""
        self._know("PolicyArn")
        return super().get_policy_version()

    def create_role(self) -> ActionResult:
        """Answers CreateRole, whose permissions boundary may be an AWS-managed policy."""
        self._know("PermissionsBoundary")
        self._check_trust("AssumeRolePolicyDocument")
        return super().create_role()

    def update_assume_role_policy(self) -> ActionResult:
        """Answers UpdateAssumeRolePolicy."""
        self._check_trust("PolicyDocument")
        return super().update_assume_role_policy()

    def put_role_policy(self) -> ActionResult:
        """Answers PutRolePolicy."""
        name = self._get_param("RoleName")
        self._check_inline("role", name, self.backend.get_role(name).policies)
        return super().put_role_policy()

    def create_policy(self) -> ActionResult:
        """Answers CreatePolicy."""
        check_managed(self._get_param("PolicyDocument"))
        return super().create_policy()

    def create_policy_version(self) -> ActionResult:
        """Answers CreatePolicyVersion."""
        check_managed(self._get_param("PolicyDocument"))
        return super().create_policy_version()

    def put_role_permissions_boundary(self) -> ActionResult:
        """Answers PutRolePermissionsBoundary."""
        self._know("PermissionsBoundary")
        return super().put_role_permissions_boundary()

    def _check_trust(self, parameter: str) -> None:
        check_trust(self._get_param(parameter), account=self.current_account, partition=self.partition)

    def _check_inline(self, kind: str, name: str, there: Mapping[str, str]) -> None:
        new = {self._get_param("PolicyName"): self._get_param("PolicyDocument")}
        check_inline(kind, name, {**there, **new}.values())

    def _know(self, parameter: str) -> None:
        """Puts the policy that a parameter names into moto's records, if AWS has it."""
        arn = self._get_param(parameter) or ""
        marker = ":iam::aws:policy"
        known = self.backend.managed_policies
        data = _policies().get(arn.partition(marker)[2]) if marker in arn else None
        if data is not None and arn not in known:
            name = arn.rsplit("/", 1)[1]
            known[arn] = AWSManagedPolicy.from_data(name, self.current_account, self.partition, data)


@functools.cache
def _policies() -> dict[str, Any]:
    """Gives moto's copies of the AWS-managed policies by path and name."""
    return {f"{data['Path']}{name}": data for name, data in json.loads(aws_managed_policies_data).items()}
