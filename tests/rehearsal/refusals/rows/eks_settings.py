"""What EKS refuses of the names and settings of clusters, node groups, Fargate profiles and of what is in a cluster."""

from typing import Any

from tests.rehearsal.refusals.bases import cluster, internet, node_group, trust
from tests.rehearsal.refusals.harness import Resources, Row, att, changed, ref, resource
from tests.rehearsal.refusals.rows.eks_inside import addon, association, entry
from tests.rehearsal.refusals.rows.eks_inside import row as inside

_MEASURED = "badmintoncryer/cdk-preflight, rules/eks, pf-eks-"
_INVALID, _DENIED = "InvalidParameterException", "AccessDeniedException"
_ELSEWHERE = "arn:aws:iam::999999999999:role/somebody"
_PASS = "Cross-account pass role is not allowed."  # noqa: S105 - what EKS says
_CONSIST = "must consist of alphanumeric characters, '-', '_' or '.'"
_AUTO = {
    "ComputeConfig": {"Enabled": True},
    "KubernetesNetworkConfig": {"ElasticLoadBalancing": {"Enabled": True}},
    "StorageConfig": {"BlockStorage": {"Enabled": True}},
    "AccessConfig": {"AuthenticationMode": "API"},
}


def row(
    name: str, good: Resources, refused: str, words: str, source: str, *, code: str = _INVALID, **mistake: Any
) -> Row:
    """Gives a row whose mistake is properties of one resource."""
    return Row(
        name=name,
        good=good,
        bad=changed(good, refused, **mistake),
        refused=refused,
        code=code,
        words=words,
        source=source,
    )


def nodes(name: str, words: str, source: str, *, update: bool = False, **mistake: Any) -> Row:
    """Gives a row of a node group."""
    return Row(
        name=f"nodes-{name}",
        good=node_group(),
        bad=changed(node_group(), "Nodes", **mistake),
        refused="Nodes",
        code=_INVALID,
        words=words,
        source=source,
        update=update,
        uncounted="moto has no DescribeUpdate" if update else "",
    )


def pods(**properties: Any) -> Resources:
    """A Fargate profile in a private subnet, beside a subnet that leads to the internet."""
    made = {
        "ClusterName": ref("Cluster"),
        "FargateProfileName": "pods",
        "PodExecutionRoleArn": att("PodRole", "Arn"),
        "Subnets": [ref("SubnetA")],
        "Selectors": [{"Namespace": f"team-{number}"} for number in range(5)],
        **properties,
    }
    public = {
        "Table": resource("AWS::EC2::RouteTable", VpcId=ref("Vpc")),
        "Route": {
            **resource(
                "AWS::EC2::Route",
                RouteTableId=ref("Table"),
                DestinationCidrBlock="0.0.0.0/0",
                GatewayId=ref("Gateway"),
            ),
            "DependsOn": "Attachment",
        },
        "Association": {
            **resource("AWS::EC2::SubnetRouteTableAssociation", SubnetId=ref("SubnetB"), RouteTableId=ref("Table")),
            "DependsOn": "Route",
        },
    }
    profile = resource("AWS::EKS::FargateProfile", **made)
    return {
        **cluster(),
        **internet(),
        **public,
        "PodRole": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trust("eks-fargate-pods.amazonaws.com")),
        "Pods": {**profile, "DependsOn": "Association"},
    }


def twice() -> Row:
    """A row of two associations of one service account."""
    good = association()
    return Row(
        name="pods-role-twice",
        good=good,
        bad={**good, "Second": {**good["Association"], "DependsOn": "Association"}},
        refused="Second",
        code="ResourceInUseException",
        words="Association already exists: a-",
        source=f"{_MEASURED}podidentity-duplicate",
        uncounted="moto has no such API",
    )


ROWS = (
    row(
        "cluster-encrypts-config-maps",
        cluster(),
        "Cluster",
        "Invalid k8s resource for encryption",
        f"{_MEASURED}cluster-encryption-resources-secrets-only",
        EncryptionConfig=[
            {"Provider": {"KeyArn": "arn:aws:kms:us-east-2:210987654321:key/a"}, "Resources": ["configmaps"]}
        ],
    ),
    row(
        "cluster-with-a-part-of-auto-mode",
        cluster(**_AUTO),
        "Cluster",
        "computeConfig, kubernetesNetworkConfig, and blockStorage are all either fully enabled or fully disabled",
        f"{_MEASURED}cluster-automode-all-three",
        StorageConfig=None,
    ),
    row(
        "cluster-with-auto-mode-without-entries",
        cluster(**_AUTO),
        "Cluster",
        "you must use an EKS access config authentication mode of API_AND_CONFIG_MAP or API",
        f"{_MEASURED}cluster-automode-requires-api-auth",
        AccessConfig=None,
    ),
    row(
        "cluster-with-node-pools-without-a-role",
        cluster(**_AUTO),
        "Cluster",
        "When Compute Config nodeRoleArn is null or empty, nodePool list cannot be populated.",
        f"{_MEASURED}cluster-automode-nodepools-need-noderole",
        ComputeConfig={"Enabled": True, "NodePools": ["general-purpose"]},
    ),
    row(
        "cluster-that-nobody-may-enter",
        cluster(AccessConfig={"AuthenticationMode": "API", "BootstrapClusterCreatorAdminPermissions": False}),
        "Cluster",
        "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to CONFIG_MAP",
        "kubernetes-sigs/cluster-api-provider-aws, awsmanagedcontrolplane_webhook.go",
        AccessConfig={"AuthenticationMode": "CONFIG_MAP", "BootstrapClusterCreatorAdminPermissions": False},
    ),
    row(
        "cluster-with-a-role-of-another-account",
        cluster(),
        "Cluster",
        _PASS,
        f"{_MEASURED}cluster-role-arn-account",
        code=_DENIED,
        RoleArn=_ELSEWHERE,
    ),
    Row(
        name="cluster-in-one-zone-later",
        good=cluster(),
        bad=changed(cluster(), "Cluster", ResourcesVpcConfig={"SubnetIds": [ref("SubnetA")]}),
        refused="Cluster",
        code=_INVALID,
        words="Subnets specified must be in at least two different AZs",
        source=f"{_MEASURED}cluster-subnets-two-azs; EKS API reference, UpdateClusterConfig",
        update=True,
        uncounted="moto has no UpdateClusterConfig",
    ),
    nodes(
        "named-with-a-dot",
        "The nodegroup name parameter contains invalid characters.",
        f"{_MEASURED}nodegroup-name-charset",
        NodegroupName="nodes.a",
    ),
    nodes(
        "named-in-64-letters",
        "nodeGroupName can't be longer than 63 characters!",
        f"{_MEASURED}nodegroup-name-length",
        NodegroupName="n" * 64,
    ),
    nodes(
        "labelled-in-other-letters",
        f"Invalid value: bad key! : field {_CONSIST}",
        f"{_MEASURED}nodegroup-label-key-format",
        Labels={"bad key!": "a"},
    ),
    nodes(
        "labelled-with-a-sentence",
        f"Invalid value: a team : field {_CONSIST}",
        f"{_MEASURED}nodegroup-label-key-format, of a key",
        Labels={"trnstack/team": "a team"},
    ),
    nodes(
        "tainted-in-other-letters",
        f"invalid taint spec: bad key!, a qualified name {_CONSIST}",
        f"{_MEASURED}nodegroup-taint-key-format",
        Taints=[{"Key": "bad key!", "Value": "a", "Effect": "NO_SCHEDULE"}],
    ),
    nodes(
        "all-away-at-a-time",
        "max-unavailable must be within the range 1 and max size of the node group",
        "hashicorp/terraform-provider-aws issue 26535",
        UpdateConfig={"MaxUnavailable": 3},
    ),
    nodes(
        "all-away-at-a-time-later",
        "max-unavailable must be within the range 1 and max size of the node group",
        "hashicorp/terraform-provider-aws issue 26535",
        update=True,
        UpdateConfig={"MaxUnavailable": 3},
    ),
    nodes(
        "repaired-by-number-and-share",
        "Either provide max parallel nodes to repair count or percentage in the request.",
        f"{_MEASURED}nodegroup-repair-parallel-xor",
        NodeRepairConfig={
            "Enabled": True,
            "MaxParallelNodesRepairedCount": 1,
            "MaxParallelNodesRepairedPercentage": 10,
        },
    ),
    nodes(
        "of-amazon-linux-2",
        "AMI Type AL2_x86_64 is only supported for kubernetes versions 1.32 or earlier",
        "scylladb/scylla-cluster-tests issue 12524",
        AmiType="AL2_x86_64",
    ),
    nodes(
        "of-a-release-that-is-none",
        "Requested release version newest is not valid for kubernetes version 1.34.",
        "eksctl-io/eksctl issue 7976",
        ReleaseVersion="newest",
    ),
    nodes(
        "of-a-size-that-is-none",
        "The following supplied instance types do not exist: [m5.lrage]",
        "terraform-aws-modules/terraform-aws-eks issue 1279",
        InstanceTypes=["m5.lrage"],
    ),
    row(
        "fargate-with-six-selectors",
        pods(),
        "Pods",
        "Request contains more than 5 Selectors",
        f"{_MEASURED}fargate-selectors-max-five",
        Selectors=[{"Namespace": f"team-{number}"} for number in range(6)],
    ),
    row(
        "fargate-in-a-public-subnet",
        pods(),
        "Pods",
        "provided in Fargate Profile is not a private subnet",
        f"{_MEASURED}fargate-subnets-private-only",
        Subnets=[ref("SubnetB")],
    ),
    Row(
        name="fargate-role-trusts-others",
        good=pods(),
        bad=changed(pods(), "PodRole", AssumeRolePolicyDocument=trust("ec2.amazonaws.com")),
        refused="Pods",
        code=_INVALID,
        words="Misconfigured PodExecutionRole Trust Policy; Please add the eks-fargate-pods.amazonaws.com Service",
        source="hashicorp/terraform-provider-aws, internal/service/eks/fargate_profile.go",
    ),
    inside(
        "add-on-in-no-namespace",
        addon(NamespaceConfig={"Namespace": "addons"}),
        "Addon",
        "Provided namespace value is not a valid RFC 1123 DNS label",
        f"{_MEASURED}addon-namespace-config-format",
        NamespaceConfig={"Namespace": "bad_ns"},
    ),
    inside(
        "add-on-with-a-role-of-another-account",
        addon(),
        "Addon",
        _PASS,
        f"{_MEASURED}addon-service-account-role-account",
        code=_DENIED,
        ServiceAccountRoleArn=_ELSEWHERE,
    ),
    inside(
        "entry-of-nodes-of-another-account",
        entry(Type="EC2_LINUX"),
        "Entry",
        "AccessEntry principalArn must be from the same account as the cluster when using types",
        f"{_MEASURED}accessentry-principal-arn-account",
        PrincipalArn=_ELSEWHERE,
    ),
    inside(
        "entry-of-nodes-for-a-user",
        entry(Type="EC2_LINUX"),
        "Entry",
        "AccessEntry principalArn must be IAM role when using types",
        f"{_MEASURED}accessentry-node-type-requires-role",
        PrincipalArn="arn:aws:iam::123456789012:user/somebody",
    ),
    inside(
        "entry-of-an-account",
        entry(),
        "Entry",
        "The specified principalArn is invalid: invalid principal.",
        "EKS user guide, Create access entries; the words are those of a role that is not there",
        PrincipalArn="arn:aws:iam::123456789012:root",
    ),
    inside(
        "pods-role-of-another-account",
        association(),
        "Association",
        _PASS,
        f"{_MEASURED}podidentity-role-arn-account",
        code=_DENIED,
        RoleArn=_ELSEWHERE,
    ),
    inside(
        "pods-role-in-no-namespace",
        association(),
        "Association",
        "The parameter namespace contains invalid characters.",
        f"{_MEASURED}podidentity-namespace-format",
        Namespace="bad_ns",
    ),
    inside(
        "pods-role-of-no-account",
        association(ServiceAccount="a.b"),
        "Association",
        "The parameter serviceAccount contains invalid characters.",
        f"{_MEASURED}podidentity-service-account-format",
        ServiceAccount="a..b",
    ),
    twice(),
)
