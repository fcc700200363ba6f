"""What EKS refuses of access entries, add-ons and pod identities, of which moto has no API."""

from typing import Any

from tests.rehearsal.refusals.bases import cluster, trust
from tests.rehearsal.refusals.harness import Resources, Row, att, changed, ref, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/eks, pf-eks-"
_INVALID, _REFUSED = "InvalidParameterException", "InvalidRequestException"
_VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


def entry(**properties: Any) -> Resources:
    """A cluster that takes access entries, and one for the nodes' role."""
    made = {"ClusterName": ref("Cluster"), "PrincipalArn": att("NodeRole", "Arn"), **properties}
    return {
        **cluster(AccessConfig={"AuthenticationMode": "API"}),
        "Entry": resource("AWS::EKS::AccessEntry", **made),
    }


def addon(**properties: Any) -> Resources:
    """A cluster with an add-on."""
    made = {"ClusterName": ref("Cluster"), "AddonName": "vpc-cni", **properties}
    return {**cluster(), "Addon": resource("AWS::EKS::Addon", **made)}


def association(**properties: Any) -> Resources:
    """A cluster with a pod identity association, and the role of the pods."""
    trusted = trust("pods.eks.amazonaws.com")
    trusted["Statement"][0]["Action"] = ["sts:AssumeRole", "sts:TagSession"]
    made = {
        "ClusterName": ref("Cluster"),
        "Namespace": "training",
        "ServiceAccount": "trainer",
        "RoleArn": att("PodRole", "Arn"),
        **properties,
    }
    return {
        **cluster(),
        "PodRole": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trusted),
        "Association": resource("AWS::EKS::PodIdentityAssociation", **made),
    }


def row(
    name: str, good: Resources, refused: str, words: str, source: str, *, code: str = _INVALID, **mistake: Any
) -> Row:
    """Gives a row whose mistake is properties of one resource, of which moto has no API."""
    return Row(
        name=name,
        good=good,
        bad=changed(good, refused, **mistake),
        refused=refused,
        code=code,
        words=words,
        source=source,
        uncounted="moto has no such API",
    )


def policy(scope: dict[str, Any], arn: str = _VIEW) -> list[dict[str, Any]]:
    """Gives one access policy in a scope."""
    return [{"PolicyArn": arn, "AccessScope": scope}]


def trusts_too_little() -> Row:
    """A row whose mistake is that pods may not tag the sessions of their role."""
    good = association()
    return Row(
        name="pods-role-without-tag-session",
        good=good,
        bad=changed(good, "PodRole", AssumeRolePolicyDocument=trust("pods.eks.amazonaws.com")),
        refused="Association",
        code=_INVALID,
        words="Trust policy of the role provided is invalid",
        source="hashicorp/terraform-provider-aws issue 41483; aws/aws-cdk issue 31522",
        uncounted="moto has no such API",
    )


ROWS = (
    row(
        "entry-of-nobody",
        entry(),
        "Entry",
        "The specified principalArn is invalid: invalid principal.",
        "terraform-aws-modules/terraform-aws-eks issue 2969",
        PrincipalArn="arn:aws:iam::123456789012:role/nobody",
    ),
    row(
        "entry-of-a-service",
        entry(),
        "Entry",
        "The specified principalArn is invalid: invalid principal.",
        f"{_MEASURED}accessentry-principal-arn-service-linked-role",
        PrincipalArn="arn:aws:iam::111122223333:role/aws-service-role/eks.amazonaws.com/AWSServiceRoleForAmazonEKS",
    ),
    row(
        "entry-in-group-of-kubernetes",
        entry(),
        "Entry",
        "The kubernetes group name system:masters is invalid, it cannot start with system:",
        f"{_MEASURED}accessentry-groups-reserved-prefix; terraform-aws-modules/terraform-aws-eks issue 2915",
        KubernetesGroups=["system:masters"],
    ),
    row(
        "entry-with-name-of-kubernetes",
        entry(),
        "Entry",
        "The username must not begin with system:",
        f"{_MEASURED}accessentry-username-reserved-prefix; aws-ia/terraform-aws-eks-blueprints pull request 1920",
        Username="system:node:a",
    ),
    row(
        "entry-of-nodes-with-groups",
        entry(Type="EC2_LINUX"),
        "Entry",
        "The specified kubernetesGroups is invalid: setting kubernetesGroups is not allowed when the type is",
        f"{_MEASURED}accessentry-node-type-forbids-groups",
        KubernetesGroups=["readers"],
    ),
    row(
        "entry-of-nodes-with-policy",
        entry(Type="EC2_LINUX"),
        "Entry",
        'This operation can only be performed on Access Entries with a type of "STANDARD"',
        f"{_MEASURED}accessentry-node-type-forbids-policies",
        code=_REFUSED,
        AccessPolicies=policy({"Type": "cluster"}),
    ),
    row(
        "entry-with-policy-of-iam",
        entry(),
        "Entry",
        "The policyArn parameter format is not valid",
        f"{_MEASURED}accessentry-policy-arn-form",
        AccessPolicies=policy({"Type": "cluster"}, "arn:aws:iam::aws:policy/AdministratorAccess"),
    ),
    row(
        "entry-in-no-namespace",
        entry(),
        "Entry",
        "At least 1 namespace must be provided if the type is set as namespace",
        f"{_MEASURED}accessentry-scope-namespace-requires-namespaces",
        AccessPolicies=policy({"Type": "namespace"}),
    ),
    row(
        "add-on-in-no-version",
        addon(),
        "Addon",
        "Addon version specified is not supported",
        f"{_MEASURED}addon-version-format; hashicorp/terraform-provider-aws issue 33385",
        AddonVersion="9.9.9",
    ),
    row(
        "add-on-with-unreadable-configuration",
        addon(ConfigurationValues='{"env": {}}'),
        "Addon",
        "The ConfigurationValues provided is not in valid YAML or JSON format.",
        f"{_MEASURED}addon-configuration-values-json; cookpad/terraform-aws-eks pull request 331",
        ConfigurationValues='{"env": {}',
    ),
    row(
        "pods-role-that-is-not-there",
        association(),
        "Association",
        "Role provided in the request does not exist.",
        "hashicorp/terraform-provider-aws, internal/service/eks/pod_identity_association.go",
        RoleArn="arn:aws:iam::123456789012:role/nobody",
    ),
    trusts_too_little(),
)
