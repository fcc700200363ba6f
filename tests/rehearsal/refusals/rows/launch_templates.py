"""What EC2 refuses of a launch template: at once, or of the node group that is to start from it, by EKS's mouth."""

import base64
from typing import Any

from tests.rehearsal.refusals.bases import interface, launch_template
from tests.rehearsal.refusals.harness import Resources, Row, ref, resource

_GUIDE = "EC2 user guide, Elastic Fabric Adapter, limitations and network cards"
#: EKS asks EC2 before it makes a node group, and says what EC2 says.
_EKS = "eksctl-io/eksctl issue 7520 (EKS says what EC2 says)"
_GOOD = [interface(0, 0, "efa"), interface(1, 1)]
_SYSTEM = {"AmiType": "AL2023_x86_64_STANDARD"}


def trn1(**data: Any) -> Resources:
    """A node of trn1.32xlarge."""
    return launch_template({"InstanceType": "trn1.32xlarge", **data})


def volume(**members: Any) -> Resources:
    """A node of trn1.32xlarge with a volume of 100 GiB, gp3 where nothing else is said."""
    ebs = {"VolumeSize": 100, "VolumeType": "gp3", **members}
    return trn1(BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": ebs}])


def m5(*interfaces: dict[str, Any]) -> Resources:
    """A node of m5.large."""
    return launch_template({"InstanceType": "m5.large", "NetworkInterfaces": list(interfaces)}, **_SYSTEM)


def refused(name: str, good: Resources, bad: Resources, words: str, source: str) -> Row:
    """Gives a row of a launch template that stands, and whose node group is refused."""
    return Row(
        name=name,
        good=good,
        bad=bad,
        refused="Nodes",
        code="InvalidRequestException",
        words=words,
        source=f"{source}; {_EKS}",
    )


ROWS = (
    refused(
        "template-with-groups-in-both-places",
        trn1(NetworkInterfaces=[interface(0, 0, "efa", Groups=[ref("Group")])]),
        trn1(NetworkInterfaces=[interface(0, 0, "efa", Groups=[ref("Group")])], SecurityGroupIds=[ref("Group")]),
        "Network interfaces and an instance-level security groups may not be specified on the same request",
        "aws/aws-sdk-ruby issue 662; badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-instance-eni-exclusive",
    ),
    refused(
        "template-with-a-public-address-and-two-interfaces",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[interface(0, 0, "efa", AssociatePublicIpAddress=True), interface(1, 1)]),
        "The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces",
        "zalando-incubator/kubernetes-on-aws pull request 8733",
    ),
    refused(
        "template-with-two-interfaces-in-a-place",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[*_GOOD, interface(1, 1, "interface")]),
        "have device index 1 on network card 1",
        "cilium/cilium pull request 42512 (of an attachment); the words are unconfirmed",
    ),
    refused(
        "template-with-a-card-that-the-type-lacks",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[interface(0, 0, "efa"), interface(8, 1)]),
        "Network card index 8 is not valid for trn1.32xlarge",
        f"{_GUIDE}; the words are unconfirmed",
    ),
    refused(
        "template-with-a-device-that-the-card-lacks",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[*_GOOD, interface(2, 5)]),
        "The specified number '5' for the device index exceeds the maximum number of network interfaces supported",
        "eksctl-io/eksctl issue 7520",
    ),
    refused(
        "template-with-too-many-interfaces",
        m5(*(interface(0, device, "interface") for device in range(3))),
        m5(*(interface(0, device, "interface") for device in range(4))),
        "Interface count 4 exceeds the limit for m5.large",
        "cilium/cilium issue 15877; chef/knife-ec2 pull request 375",
    ),
    refused(
        "template-without-primary-interface",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[interface(0, 1, "efa"), interface(1, 1)]),
        "you must include a device at index 0 and network card at index 0.",
        "aws/aws-parallelcluster pull request 5984",
    ),
    refused(
        "template-with-an-efa-only-primary-interface",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[interface(0, 0), interface(1, 1)]),
        "An EFA-only network interface can't be the primary network interface",
        f"{_GUIDE}; the words are unconfirmed",
    ),
    refused(
        "template-with-efa-on-a-type-without",
        m5(interface(0, 0, "interface")),
        m5(interface(0, 0, "efa")),
        "m5.large instances do not support Elastic Fabric Adapters.",
        "devopsacademyau/academy pull request 277",
    ),
    refused(
        "template-with-two-efa-interfaces-on-a-card",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[*_GOOD, interface(0, 1)]),
        "Network card 0 takes one EFA interface",
        f"{_GUIDE}; the words are unconfirmed",
    ),
    refused(
        "template-with-an-interface-of-no-type",
        trn1(NetworkInterfaces=_GOOD),
        trn1(NetworkInterfaces=[interface(0, 0, "ena")]),
        "for parameter interfaceType is invalid",
        "EC2 API reference, LaunchTemplateInstanceNetworkInterfaceSpecificationRequest; the words are unconfirmed",
    ),
    refused(
        "template-with-65-hops",
        trn1(MetadataOptions={"HttpPutResponseHopLimit": 64}),
        trn1(MetadataOptions={"HttpPutResponseHopLimit": 65}),
        "for parameter httpPutResponseHopLimit is invalid",
        "EC2 API reference, LaunchTemplateInstanceMetadataOptionsRequest; the words are unconfirmed",
    ),
    refused(
        "template-with-too-many-iops-a-gib",
        volume(Iops=16_000),
        volume(Iops=16_000, VolumeSize=20),
        "Iops to volume size ratio of 800.000000 is too high; maximum is 500",
        "rocicorp/mono pull request 4410; badmintoncryer/cdk-preflight, rules/ec2, pf-ec2-volume-iops",
    ),
    refused(
        "template-with-too-much-throughput-an-iops",
        volume(Throughput=1000, Iops=4000),
        volume(Throughput=1000),
        "Throughput (MiBps) to iops ratio of 0.333333 is too high; maximum is 0.250000 MiBps per iops",
        "runs-on/runs-on issue 260",
    ),
    refused(
        "template-with-throughput-on-gp2",
        volume(VolumeType="gp2"),
        volume(VolumeType="gp2", Throughput=500),
        "throughput can only be specified for volumeType gp3.",
        "runs-on/runs-on issue 426",
    ),
    refused(
        "template-with-iops-on-gp2",
        volume(VolumeType="gp2"),
        volume(VolumeType="gp2", Iops=1000),
        "The parameter iops is not supported for gp2 volumes.",
        "boto/boto3 issue 2474",
    ),
    Row(
        name="template-with-17-kilobytes-of-user-data",
        good=trn1(UserData=base64.b64encode(b"#" * 16_384).decode()),
        bad=trn1(UserData=base64.b64encode(b"#" * 16_385).decode()),
        refused="Template",
        code="InvalidUserData.Malformed",
        words="User data is limited to 16384 bytes",
        source="github-aws-runners/terraform-aws-github-runner issue 3700; badmintoncryer/cdk-preflight, rules/ec2, "
        "pf-ec2-userdata-size (CloudFormation)",
    ),
    Row(
        name="template-with-a-placement-group-and-a-capacity-block",
        good=launch_template(
            {
                "InstanceType": "trn1.32xlarge",
                "InstanceMarketOptions": {"MarketType": "capacity-block"},
                "CapacityReservationSpecification": {
                    "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
                },
            },
            CapacityType="CAPACITY_BLOCK",
            ScalingConfig={"MinSize": 0, "DesiredSize": 0, "MaxSize": 2},
        ),
        bad={
            **launch_template(
                {
                    "InstanceType": "trn1.32xlarge",
                    "InstanceMarketOptions": {"MarketType": "capacity-block"},
                    "CapacityReservationSpecification": {
                        "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
                    },
                    "Placement": {"GroupName": ref("Placement")},
                },
                CapacityType="CAPACITY_BLOCK",
                ScalingConfig={"MinSize": 0, "DesiredSize": 0, "MaxSize": 2},
            ),
            "Placement": resource("AWS::EC2::PlacementGroup", Strategy="cluster"),
        },
        refused="Nodes",
        code="InvalidRequestException",
        words="A placement group can't be specified with a Capacity Block",
        source=f"EC2 user guide, Capacity Blocks for ML; aws/aws-parallelcluster pull request 6311; the words are "
        f"unconfirmed; {_EKS}",
        uncounted="moto has no placement groups",
    ),
)
