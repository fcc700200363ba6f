"""What EKS refuses of node groups, and of the launch templates that they start from."""

from typing import Any

from tests.rehearsal.refusals.bases import interface, launch_template, node_group, trust
from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/eks, pf-eks-nodegroup-"
_INVALID, _REFUSED, _FAILED = "InvalidParameterException", "InvalidRequestException", "GeneralServiceException"
_TRN1 = {"InstanceType": "trn1.32xlarge"}
_MOTO_TOO = "moto refuses it too"


def row(
    name: str,
    words: str,
    source: str,
    *,
    good: Resources | None = None,
    code: str = _INVALID,
    uncounted: str = "",
    update: bool = False,
    **mistake: Any,
) -> Row:
    """Gives a row whose mistake is properties of the node group."""
    good = node_group() if good is None else good
    return Row(
        name=f"nodes-{name}",
        good=good,
        bad=changed(good, "Nodes", **mistake),
        refused="Nodes",
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
        update=update,
    )


def template_row(name: str, words: str, source: str, *, code: str = _INVALID, **mistake: Any) -> Row:
    """Gives a row whose mistake is in the launch template, of which the node group is refused."""
    return Row(
        name=f"nodes-template-{name}",
        good=launch_template(_TRN1),
        bad=launch_template({**_TRN1, **mistake}),
        refused="Nodes",
        code=code,
        words=words,
        source=source,
    )


def other(name: str, resource_name: str, words: str, source: str, *, good: Resources, **mistake: Any) -> Row:
    """Gives a row whose mistake is in a resource that the node group names."""
    return Row(
        name=f"nodes-{name}",
        good=good,
        bad=changed(good, resource_name, **mistake),
        refused="Nodes",
        code=_INVALID,
        words=words,
        source=source,
    )


_OTHER_VPC = {
    "OtherVpc": resource("AWS::EC2::VPC", CidrBlock="10.9.0.0/16"),
    "OtherSubnet": resource(
        "AWS::EC2::Subnet", VpcId=ref("OtherVpc"), CidrBlock="10.9.0.0/20", AvailabilityZone="us-east-2a"
    ),
}
_TINY = {
    "Tiny": resource("AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.64.0/28", AvailabilityZone="us-east-2a")
}
_GUIDE = "EKS user guide, Customize managed nodes with launch templates"

ROWS = (
    row(
        "label-of-eks",
        "Label cannot start with reserved prefixes [kubernetes.io/, k8s.io/, eks.amazonaws.com/]",
        f"{_MEASURED}label-reserved-prefix; eksctl-io/eksctl issue 4007",
        Labels={"eks.amazonaws.com/pool": "a"},
    ),
    row(
        "two-ways-of-updating",
        "Either provide max-unavailable or max-unavailable-percentage in the request.",
        f"{_MEASURED}update-config-xor",
        UpdateConfig={"MaxUnavailable": 1, "MaxUnavailablePercentage": 10},
    ),
    row(
        "ami-of-another-architecture",
        "[m5.large] is not a valid instance type for requested amiType AL2023_ARM_64_STANDARD",
        f"{_MEASURED}ami-type-arch-match; eksctl-io/eksctl issue 7754",
        AmiType="AL2023_ARM_64_STANDARD",
    ),
    row(
        "newer-than-the-cluster",
        "supports the following Nodegroup Kubernetes versions: [1.34, 1.33, 1.32, 1.31]",
        f"{_MEASURED}version-matches-cluster",
        Version="1.35",
    ),
    row(
        "release-of-another-minor",
        "Requested release version 1.33.5-20251112 is not valid for kubernetes version 1.34.",
        "eksctl-io/eksctl issue 7976; hashicorp/terraform-provider-aws issue 14492",
        ReleaseVersion="1.33.5-20251112",
    ),
    row(
        "release-of-another-minor-later",
        "Requested release version 1.35.0-20251112 is not valid for kubernetes version 1.34.",
        "eksctl-io/eksctl issue 7976",
        good=node_group(ReleaseVersion="1.34.1-20251112"),
        uncounted="moto lacks UpdateNodegroupVersion",
        update=True,
        ReleaseVersion="1.35.0-20251112",
    ),
    row(
        "in-another-vpc",
        "Subnets specified must belong to the VPC: vpc-",
        f"{_MEASURED}subnets-match-cluster-vpc; rancher/rancher issue 28144",
        good={**node_group(), **_OTHER_VPC},
        Subnets=[ref("OtherSubnet")],
    ),
    row(
        "of-a-role-that-is-not-there",
        "could not be assumed because it does not exist",
        "EKS API reference, CreateNodegroup, nodeRole",
        NodeRole="arn:aws:iam::123456789012:role/nobody",
    ),
    row(
        "more-wanted-than-allowed",
        "desired capacity 5 can't be greater than max size 4",
        f"{_MEASURED}scaling-desired-le-max",
        ScalingConfig={"MinSize": 1, "DesiredSize": 5, "MaxSize": 4},
    ),
    row(
        "fewer-wanted-than-allowed",
        "Minimum capacity 3 can't be greater than desired size 1",
        f"{_MEASURED}scaling-min-le-desired",
        ScalingConfig={"MinSize": 3, "DesiredSize": 1, "MaxSize": 4},
    ),
    row(
        "more-than-the-subnet-holds",
        "InsufficientFreeAddresses",
        "EKS API reference, Issue, code",
        good={**node_group(Subnets=[ref("Tiny")]), **_TINY},
        code=_FAILED,
        ScalingConfig={"MinSize": 1, "DesiredSize": 20, "MaxSize": 20},
    ),
    row(
        "type-that-the-region-lacks",
        "Ec2LaunchTemplateInvalidConfiguration, Message=The specified instance type p3dn.24xlarge is not valid",
        "terraform-aws-modules/terraform-aws-eks issue 3648",
        code=_FAILED,
        InstanceTypes=["p3dn.24xlarge"],
    ),
    row(
        "type-that-a-zone-lacks",
        "Your requested instance type (trn1.32xlarge) is not supported in your requested Availability Zone",
        "awslabs/ec2-spot-workshops issue 154; eksctl-io/eksctl issue 6461",
        good=launch_template(_TRN1),
        code=_REFUSED,
        Subnets=[ref("SubnetA")],
    ),
    row(
        "disk-beside-a-template",
        "Disk size must be specified within the launch template.",
        f"{_MEASURED}lt-forbids-disk-size; crossplane-contrib/provider-upjet-aws issue 866",
        good=launch_template(_TRN1),
        uncounted=_MOTO_TOO,
        DiskSize=50,
    ),
    row(
        "access-beside-a-template",
        "Remote access configuration cannot be specified with a launch template.",
        f"{_MEASURED}lt-forbids-remote-access",
        good=launch_template(_TRN1),
        uncounted=_MOTO_TOO,
        RemoteAccess={"Ec2SshKey": "key"},
    ),
    row(
        "types-in-both-places",
        "Cannot specify instance types in launch template and API request",
        f"{_MEASURED}lt-forbids-lt-instance-type; terraform-aws-modules/terraform-aws-eks issue 1545",
        good=launch_template(_TRN1),
        code=_REFUSED,
        InstanceTypes=["trn1.32xlarge"],
    ),
    row(
        "custom-without-a-template",
        "Launch template details can't be null for Custom ami type node group",
        f"{_MEASURED}custom-ami-type-needs-lt",
        AmiType="CUSTOM",
    ),
    row(
        "block-without-its-template",
        "Capacity type CAPACITY_BLOCK does not go with the launch template's market type None",
        "EKS user guide, Create a managed node group with Capacity Blocks for ML",
        good=launch_template(_TRN1),
        CapacityType="CAPACITY_BLOCK",
    ),
    template_row(
        "with-instance-profile",
        "should not specify an instance profile. The noderole in your request will be used",
        f"{_GUIDE}; vumdao/aws-eks-the-hard-way and others quote it",
        IamInstanceProfile={"Name": "nodes"},
    ),
    template_row(
        "with-subnet",
        "You must not specify a subnet in your launch template. All subnets must be specified in the API.",
        f"{_MEASURED}lt-forbids-subnet-id",
        NetworkInterfaces=[interface(0, 0, "efa", SubnetId=ref("SubnetA"))],
    ),
    template_row(
        "with-shutdown-behaviour",
        "should not specify shutdown behavior",
        f"{_GUIDE}: the setting is prohibited; the words are unconfirmed",
        InstanceInitiatedShutdownBehavior="stop",
    ),
    template_row(
        "of-spot",
        "InstanceMarketOptions spot is not supported",
        "EKS user guide, Create a managed node group with Capacity Blocks for ML",
        InstanceMarketOptions={"MarketType": "spot"},
    ),
    template_row(
        "with-unknown-placement-group",
        "The Placement Group 'nowhere' is unknown.",
        "EC2 API reference, Error codes, InvalidPlacementGroup.Unknown",
        code=_REFUSED,
        Placement={"GroupName": "nowhere"},
    ),
    other(
        "role-trusts-others",
        "NodeRole",
        "Following required service principals [ec2.amazonaws.com] were not found in the trust relationships of",
        "eksctl-io/eksctl issue 3290; bottlerocket-os/bottlerocket-update-operator issue 316",
        good=node_group(),
        AssumeRolePolicyDocument=trust("lambda.amazonaws.com"),
    ),
)
