"""EKS add-ons with the permissions of their service accounts."""

from collections.abc import Sequence

from aws_cdk import CfnResource
from constructs import Construct

from infra.resource import ACCOUNT_ID, PARTITION, Properties, attribute, resource
from infra.roles import pod_role
from trnstack.plan.model import AddOnPlan, PodIdentityPlan


class AddOn(Construct):
    """Defines an add-on of a pinned version.

    Attributes:
        resource: The add-on.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        add_on: AddOnPlan,
        cluster_name: str,
        region: str,
        after: Sequence[CfnResource],
    ) -> None:
        super().__init__(scope, construct_id)
        self.resource = resource(
            self,
            "AddOn",
            "AWS::EKS::Addon",
            {
                "AddonName": add_on.name,
                "AddonVersion": add_on.version,
                "ClusterName": cluster_name,
                "ConfigurationValues": add_on.configuration or None,
                "PodIdentityAssociations": self._pod_identity(add_on.pod_identity, region),
                "ResolveConflicts": "OVERWRITE",
            },
            after=after,
        )

    def _pod_identity(self, identity: PodIdentityPlan | None, region: str) -> list[Properties] | None:
        if identity is None:
            return None
        statements, rules = _on_file_systems(identity.actions, region)
        role = pod_role(
            self,
            "Role",
            namespace=identity.namespace,
            service_account=identity.service_account,
            managed_policies=identity.managed_policies,
            statements=statements,
            acknowledge=rules,
        )
        return [{"RoleArn": attribute(role, "Arn"), "ServiceAccount": identity.service_account}]


def _on_file_systems(actions: Sequence[str], region: str) -> tuple[list[Properties], dict[str, str]]:
    if not actions:
        return [], {}
    arn = ["arn:", PARTITION, f":fsx:{region}:", ACCOUNT_ID, ":file-system/*"]
    rule = f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:fsx:{region}:<AWS::AccountId>:file-system/*]"
    reason = "looking only; naming one file system would tie its stack to this one by an export that can't be dropped"
    return [{"Action": list(actions), "Resource": {"Fn::Join": ["", arn]}}], {rule: reason}
