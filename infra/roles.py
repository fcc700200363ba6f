"""IAM roles of the cluster: its own, its nodes', and those that pods get by EKS Pod Identity."""

from collections.abc import Mapping, Sequence

from aws_cdk import CfnResource
from constructs import Construct

from infra.resource import Properties, assumed_by, managed_policy, policy, resource

_MANAGED = "AWS keeps this policy in step with what {} needs; a copy would fall behind"


def _managed(names: Sequence[str], what: str) -> tuple[list[object], dict[str, str]]:
    """Returns the policies' ARNs, and why they are used."""
    reason = _MANAGED.format(what)
    rules = {f"AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{name}]": reason for name in names}
    return [managed_policy(name) for name in names], rules


def cluster_role(scope: Construct, construct_id: str, *, secrets_key_arn: object) -> CfnResource:
    """Defines the role by which EKS runs the control plane and encrypts its secrets."""
    policies, rules = _managed(["AmazonEKSClusterPolicy"], "the control plane")
    use_key = ["kms:CreateGrant", "kms:Decrypt", "kms:DescribeKey", "kms:Encrypt"]
    properties = {
        "AssumeRolePolicyDocument": assumed_by("eks.amazonaws.com"),
        "ManagedPolicyArns": policies,
        "Policies": [policy("secrets", [{"Action": use_key, "Resource": secrets_key_arn}])],
    }
    return resource(scope, construct_id, "AWS::IAM::Role", properties, acknowledge=rules)


def node_role(scope: Construct, construct_id: str) -> CfnResource:
    """Defines the role of every node: join the cluster, pull images, be reached by Session Manager.

    What the VPC CNI and jobs may do is not here: they have roles of their own.
    """
    names = ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore"]
    policies, rules = _managed(names, "a node")
    properties = {"AssumeRolePolicyDocument": assumed_by("ec2.amazonaws.com"), "ManagedPolicyArns": policies}
    return resource(scope, construct_id, "AWS::IAM::Role", properties, acknowledge=rules)


def pod_role(
    scope: Construct,
    construct_id: str,
    *,
    namespace: str,
    service_account: str,
    managed_policies: Sequence[str] = (),
    statements: Sequence[Properties] = (),
    acknowledge: Mapping[str, str] | None = None,
) -> CfnResource:
    """Defines a role that pods of one service account get by EKS Pod Identity.

    Source: EKS user guide, "EKS Pod Identity role": the principal, both actions, and the session tags in the condition.
    """
    policies, rules = _managed(managed_policies, "the add-on")
    condition = {
        "StringEquals": {
            "aws:RequestTag/kubernetes-namespace": namespace,
            "aws:RequestTag/kubernetes-service-account": service_account,
        }
    }
    actions = ("sts:AssumeRole", "sts:TagSession")
    properties = {
        "AssumeRolePolicyDocument": assumed_by("pods.eks.amazonaws.com", actions=actions, condition=condition),
        "ManagedPolicyArns": policies or None,
        "Policies": [policy("permissions", statements)] if statements else None,
    }
    return resource(scope, construct_id, "AWS::IAM::Role", properties, acknowledge={**rules, **(acknowledge or {})})
