"""What EKS refuses of clusters."""

from typing import Any

from tests.rehearsal.refusals.bases import cluster, trust
from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/eks, pf-eks-cluster-"
_INVALID = "InvalidParameterException"
_SUBNETS = [ref("SubnetA"), ref("SubnetB")]


def settings(**members: Any) -> dict[str, Any]:
    """Gives a cluster's network settings in two zones, with further members."""
    return {"SubnetIds": _SUBNETS, **members}


def row(name: str, words: str, source: str, *, more: Resources | None = None, **mistake: Any) -> Row:
    """Gives a row whose mistake is properties of the cluster, with further resources beside it."""
    good = {**cluster(), **(more or {})}
    return Row(
        name=f"cluster-{name}",
        good=good,
        bad=changed(good, "Cluster", **mistake),
        refused="Cluster",
        code=_INVALID,
        words=words,
        source=source,
    )


_OTHER_VPC = {
    "OtherVpc": resource("AWS::EC2::VPC", CidrBlock="10.9.0.0/16"),
    "OtherSubnet": resource(
        "AWS::EC2::Subnet", VpcId=ref("OtherVpc"), CidrBlock="10.9.0.0/20", AvailabilityZone="us-east-2b"
    ),
    "OtherGroup": resource("AWS::EC2::SecurityGroup", GroupDescription="elsewhere", VpcId=ref("OtherVpc")),
}
_SAME_ZONE = {
    "SubnetC": resource("AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.32.0/20", AvailabilityZone="us-east-2a")
}
_ABSENT_KEY = "arn:aws:kms:us-east-2:123456789012:key/11111111-2222-3333-4444-555555555555"
_FOREIGN_KEY = "arn:aws:kms:us-west-2:123456789012:key/11111111-2222-3333-4444-555555555555"


def encrypted(key: str) -> list[dict[str, Any]]:
    """Gives the encryption of secrets by a key."""
    return [{"Provider": {"KeyArn": key}, "Resources": ["secrets"]}]


def in_a_zone_without_control_planes() -> Row:
    """A row in us-east-1, one of whose zones has no control planes."""
    good = dict(cluster())
    for name, zone in (("SubnetA", "use1-az1"), ("SubnetB", "use1-az2")):
        good = dict(changed(good, name, AvailabilityZone=None, AvailabilityZoneId=zone))
    return Row(
        name="cluster-zone-without-control-planes",
        good=good,
        bad=changed(good, "SubnetB", AvailabilityZoneId="use1-az3"),
        refused="Cluster",
        code="UnsupportedAvailabilityZoneException",
        words="the targeted availability zone, does not currently have sufficient capacity to support the cluster",
        source="eksctl-io/eksctl issue 817; EKS user guide, Troubleshoot problems with Amazon EKS clusters and nodes",
        region="us-east-1",
    )


def trusted_by_others() -> Row:
    """A row whose mistake is whom the cluster's role trusts."""
    good = cluster()
    return Row(
        name="cluster-role-trusts-others",
        good=good,
        bad=changed(good, "ClusterRole", AssumeRolePolicyDocument=trust("ec2.amazonaws.com")),
        refused="Cluster",
        code=_INVALID,
        words="could not be assumed because it does not exist or the trusted entity is not correct",
        source="terraform-aws-modules/terraform-aws-eks issue 2406; aws-samples/karpenter-blueprints issue 20",
    )


ROWS = (
    row(
        "version-retired",
        "unsupported Kubernetes version 1.29",
        f"{_MEASURED}version-unsupported; terraform-aws-modules/terraform-aws-eks issue 3164",
        Version="1.29",
    ),
    row(
        "version-with-patch",
        "unsupported Kubernetes version 1.34.1",
        f"{_MEASURED}version-unsupported",
        Version="1.34.1",
    ),
    row(
        "without-endpoint",
        "Private and public endpoint access cannot be false",
        f"{_MEASURED}endpoint-both-disabled; rancher/rancher issue 28158",
        ResourcesVpcConfig=settings(EndpointPublicAccess=False, EndpointPrivateAccess=False),
    ),
    row(
        "public-range-of-ipv6",
        "The following CIDRs are invalid in publicAccessCidrs: [2001:db8::/32]",
        "EKS user guide, Cluster API server endpoint",
        ResourcesVpcConfig=settings(PublicAccessCidrs=["2001:db8::/32"]),
    ),
    row(
        "public-range-that-is-private",
        "The following CIDRs are invalid in publicAccessCidrs: [10.0.0.0/8]",
        "AWS re:Post knowledge center, lock down API access to specific IP addresses in an Amazon EKS cluster",
        ResourcesVpcConfig=settings(PublicAccessCidrs=["203.0.113.0/24", "10.0.0.0/8"]),
    ),
    row(
        "services-in-public-range",
        "Invalid Cluster Service Ipv4 CIDR 11.0.0.0/16 for the cluster demo, must be within RFC1918 range",
        f"{_MEASURED}service-ipv4-cidr-private-range",
        KubernetesNetworkConfig={"ServiceIpv4Cidr": "11.0.0.0/16"},
    ),
    row(
        "services-in-too-small-range",
        "must have netmask size between /12 and /24 inclusive",
        f"{_MEASURED}service-ipv4-cidr-prefix-range",
        KubernetesNetworkConfig={"ServiceIpv4Cidr": "10.100.0.0/25"},
    ),
    row(
        "services-in-vpcs-range",
        "Invalid Cluster Service Ipv4 CIDR 10.0.0.0/16",
        "EKS API reference, KubernetesNetworkConfigRequest, serviceIpv4Cidr",
        KubernetesNetworkConfig={"ServiceIpv4Cidr": "10.0.0.0/16"},
    ),
    row(
        "services-of-ipv4-in-ipv6",
        'serviceIpv4Cidr cannot be specified when creating an "ipv6" cluster',
        f"{_MEASURED}ipv6-forbids-service-ipv4-cidr",
        KubernetesNetworkConfig={"IpFamily": "ipv6", "ServiceIpv4Cidr": "10.100.0.0/16"},
    ),
    row(
        "one-zone",
        "Subnets specified must be in at least two different AZs",
        f"{_MEASURED}subnets-two-azs; pulumi/pulumi-eks issue 311",
        more=_SAME_ZONE,
        ResourcesVpcConfig={"SubnetIds": [ref("SubnetA"), ref("SubnetC")]},
    ),
    row(
        "two-vpcs",
        "Subnets specified must belong to the same VPC",
        "EKS user guide, View Amazon EKS networking requirements for VPC and subnets",
        more=_OTHER_VPC,
        ResourcesVpcConfig={"SubnetIds": [ref("SubnetA"), ref("OtherSubnet")]},
    ),
    row(
        "group-of-another-vpc",
        "are not (in/associated to) the same VPC as the subnets",
        f"{_MEASURED}sg-and-subnets-same-vpc; pulumi/pulumi-eks issue 517",
        more=_OTHER_VPC,
        ResourcesVpcConfig=settings(SecurityGroupIds=[ref("OtherGroup")]),
    ),
    row(
        "key-of-another-region",
        "The keyArn for encryptionConfig is scoped to invalid aws region.",
        f"{_MEASURED}encryption-kms-key-region",
        EncryptionConfig=encrypted(_FOREIGN_KEY),
    ),
    row(
        "key-that-is-not-there",
        "The KeyArn in encryptionConfig provider",
        "grucloud/grucloud, its client of EKS",
        EncryptionConfig=encrypted(_ABSENT_KEY),
    ),
    in_a_zone_without_control_planes(),
    trusted_by_others(),
)
