"""IAM: what it refuses of policies, and AWS-managed policies, of which moto holds all or none.

Loading all 1,582 into every partition takes a second and 70 MiB at each reset, so a policy is put in when a request
first names it; a name that AWS doesn't have stays unknown, and the request fails as it does on AWS. Documents are
written past moto's own look at them, which refuses what IAM takes: numbers in conditions, an older version.

Source: IAM API reference, of each operation; what is refused has its sources where it is checked.
"""

import functools
import json
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.iam.aws_managed_policies import aws_managed_policies_data
from moto.iam.models import AWSManagedPolicy

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_documents import check_identity
from rehearsal.overlays.iam_quotas import check_attachments, check_inline, check_managed, check_name, check_path
from rehearsal.overlays.iam_trust import check_trust
from rehearsal.overlays.oidc import OidcProviders

#: A document that moto takes; the one that was asked for is put in its place.
_TAKEN = '{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}'


class Response(OidcProviders):
    """IAM's API, which knows every AWS-managed policy that a request names."""

    def attach_role_policy(self) -> ActionResult:
        """Answers AttachRolePolicy."""
        self._check_attachment("role", self.backend.get_role(self._get_param("RoleName")))
        return super().attach_role_policy()

    def attach_user_policy(self) -> ActionResult:
        """Answers AttachUserPolicy."""
        self._check_attachment("user", self.backend.get_user(self._get_param("UserName")))
        return super().attach_user_policy()

    def attach_group_policy(self) -> ActionResult:
        """Answers AttachGroupPolicy."""
        self._check_attachment("group", self.backend.get_group(self._get_param("GroupName")))
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
        self._check_entity("RoleName")
        self._check_boundary()
        self._check_trust("AssumeRolePolicyDocument")
        return super().create_role()

    def update_assume_role_policy(self) -> ActionResult:
        """Answers UpdateAssumeRolePolicy."""
        role = self.backend.get_role(self._get_param("RoleName"))
        self._check_trust("PolicyDocument")
        role.assume_role_policy_document = self._get_param("PolicyDocument")
        return EmptyResult()

    def put_role_policy(self) -> ActionResult:
        """Answers PutRolePolicy."""
        return self._put_inline("role", self.backend.get_role(self._get_param("RoleName")))

    def put_user_policy(self) -> ActionResult:
        """Answers PutUserPolicy."""
        return self._put_inline("user", self.backend.get_user(self._get_param("UserName")))

    def put_group_policy(self) -> ActionResult:
        """Answers PutGroupPolicy."""
        return self._put_inline("group", self.backend.get_group(self._get_param("GroupName")))

    def create_policy(self) -> ActionResult:
        """Answers CreatePolicy."""
        self._check_entity("PolicyName")
        document = self._managed_document()
        names = ("Description", "Path", "PolicyName")
        description, path, name = (self._get_param(parameter) for parameter in names)
        policy = self.backend.create_policy(description, path, _TAKEN, name, self._get_param("Tags", []))
        policy.versions[0].document = document
        return ActionResult({"Policy": policy})

    def create_policy_version(self) -> ActionResult:
        """Answers CreatePolicyVersion."""
        document = self._managed_document()
        default = bool(self._get_param("SetAsDefault"))
        version = self.backend.create_policy_version(self._get_param("PolicyArn"), _TAKEN, default)
        version.document = document
        return ActionResult({"PolicyVersion": version})

    def create_instance_profile(self) -> ActionResult:
        """Answers CreateInstanceProfile."""
        self._check_entity("InstanceProfileName")
        return super().create_instance_profile()

    def put_role_permissions_boundary(self) -> ActionResult:
        """Answers PutRolePermissionsBoundary."""
        self._check_boundary()
        return super().put_role_permissions_boundary()

    def _check_entity(self, parameter: str) -> None:
        """Refuses the name and the path of what is to be made."""
        check_name(f"{parameter[0].lower()}{parameter[1:]}", self._get_param(parameter))
        check_path(self._get_param("Path") or "/")

    def _check_trust(self, parameter: str) -> None:
        check_trust(self._get_param(parameter), account=self.current_account, partition=self.partition)

    def _check_boundary(self) -> None:
        """Refuses a permissions boundary that is no policy.

        Source: badmintoncryer/cdk-preflight, rules/iam, pf-iam-permissions-boundary-policy-arn, ``meta.yaml``.
        """
        arn = self._get_param("PermissionsBoundary")
        self._check_partition(arn)
        if arn and ":policy/" not in arn:
            raise OverlayError("InvalidInput", f"ARN {arn} is not valid.")
        self._know("PermissionsBoundary")

    def _check_partition(self, arn: str | None) -> None:
        """Refuses the ARN of a policy of another partition.

        Source: badmintoncryer/cdk-preflight, rules/iam, pf-iam-policy-arn-partition, ``meta.yaml``.
        """
        if arn and arn.startswith("arn:") and not arn.startswith(f"arn:{self.partition}:"):
            raise OverlayError("ValidationError", "Invalid ARN partition")

    def _check_attachment(self, kind: str, holder: Any) -> None:
        arn = self._get_param("PolicyArn")
        self._check_partition(arn)
        self._know("PolicyArn")
        check_attachments(kind, holder.managed_policies, arn)

    def _put_inline(self, kind: str, holder: Any) -> ActionResult:
        """Writes a policy into a role, a user or a group."""
        name, document = self._get_param("PolicyName"), self._get_param("PolicyDocument")
        check_name("policyName", name)
        check_identity(document, partition=self.partition)
        check_inline(kind, holder.name, {**holder.policies, name: document}.values())
        holder.put_policy(name, document)
        return EmptyResult()

    def _managed_document(self) -> str:
        document: str = self._get_param("PolicyDocument")
        check_identity(document, partition=self.partition, managed=True)
        check_managed(document)
        return document

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
