"""What EC2 refuses of a launch template's volumes, name and type, of what it names, and of instances' metadata."""

from typing import Any

from tests.rehearsal.refusals.bases import launch_template
from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource
from tests.rehearsal.refusals.rows.launch_templates import refused, trn1, volume

_PREFLIGHT = "badmintoncryer/cdk-preflight, rules/ec2"
_KINDS = "EC2 API reference, EbsBlockDevice"
_KEY = "arn:aws:kms:us-east-2:123456789012:key/11111111-2222-3333-4444-555555555555"
_OTHER_VPC = {
    "OtherVpc": resource("AWS::EC2::VPC", CidrBlock="10.9.0.0/16"),
    "OtherGroup": resource("AWS::EC2::SecurityGroup", GroupDescription="elsewhere", VpcId=ref("OtherVpc")),
}


def devices(*names: str) -> Resources:
    """A node of trn1.32xlarge with volumes of 100 GiB."""
    return trn1(BlockDeviceMappings=[{"DeviceName": name, "Ebs": {"VolumeSize": 100}} for name in names])


def grouped(group: str) -> Resources:
    """A node in a security group, beside another VPC with one."""
    return {**trn1(SecurityGroupIds=[ref(group)]), **_OTHER_VPC}


def at_once(name: str, words: str, code: str, source: str, *, good: Resources | None = None, **mistake: Any) -> Row:
    """Gives a row of what CreateLaunchTemplate refuses already."""
    good = trn1() if good is None else good
    return Row(
        name=f"template-{name}",
        good=good,
        bad=changed(good, "Template", **mistake),
        refused="Template",
        code=code,
        words=words,
        source=source,
    )


_BOTH = {
    "InstanceType": "trn1.32xlarge",
    "InstanceRequirements": {"VCpuCount": {"Min": 1}, "MemoryMiB": {"Min": 1024}},
}

ROWS = (
    at_once(
        "with-a-name-of-two-letters",
        "A launch template name must be between 3 and 128 characters",
        "InvalidLaunchTemplateName.MalformedException",
        f"{_PREFLIGHT}, pf-ec2-launch-template-name",
        LaunchTemplateName="tr",
    ),
    at_once(
        "with-a-type-and-requirements",
        "Either the instance type or the instance requirements can be specified in the request, but not both",
        "InvalidParameterCombination",
        f"{_PREFLIGHT}, pf-ec2-instance-requirements-exclusive",
        LaunchTemplateData=_BOTH,
    ),
    refused(
        "template-with-io2-without-iops",
        volume(VolumeType="io2", Iops=1000),
        volume(VolumeType="io2"),
        "The parameter iops must be specified for io2 volumes.",
        f"{_PREFLIGHT}, pf-ec2-volume-iops-required",
    ),
    refused(
        "template-with-a-small-st1",
        volume(VolumeType="st1", VolumeSize=125),
        volume(VolumeType="st1", VolumeSize=124),
        "st1 volumes must be at least 125 GiB in size",
        f"{_PREFLIGHT}, pf-ec2-volume-size-minimum",
    ),
    refused(
        "template-with-too-large-a-volume",
        volume(VolumeSize=65_536),
        volume(VolumeSize=65_537),
        "gp3 volumes must be at most 65536 GiB in size",
        f"{_KINDS}, VolumeSize; the words are unconfirmed",
    ),
    refused(
        "template-with-too-few-iops",
        volume(Iops=3000),
        volume(Iops=2999),
        "Volume iops of 2999 is too low; minimum is 3000.",
        f"{_KINDS}, Iops; the words are fog/fog-aws's",
    ),
    refused(
        "template-with-too-many-iops",
        volume(Iops=80_000, VolumeSize=1000),
        volume(Iops=80_001, VolumeSize=1000),
        "Volume iops of 80001 is too high; maximum is 80000.",
        f"{_KINDS}, Iops; the words are fog/fog-aws's",
    ),
    refused(
        "template-with-too-much-throughput",
        volume(Throughput=2000, Iops=16_000),
        volume(Throughput=2001, Iops=16_000),
        "Volume throughput of 2001 is too high; maximum is 2000.",
        f"{_KINDS}, Throughput; the words are unconfirmed",
    ),
    refused(
        "template-with-a-key-and-no-encryption",
        volume(Encrypted=True),
        volume(KmsKeyId=_KEY),
        "The parameter [KmsKeyId] requires the parameter Encrypted to be set.",
        f"{_PREFLIGHT}, pf-ec2-volume-kms-encrypted",
    ),
    refused(
        "template-with-a-device-twice",
        devices("/dev/xvda", "/dev/xvdb"),
        devices("/dev/xvda", "xvda"),
        "The device 'xvda' is used in more than one block-device mapping",
        "aws/containers-roadmap issue 1523",
    ),
    refused(
        "template-with-a-volume-smaller-than-its-image",
        volume(VolumeSize=20),
        volume(VolumeSize=19),
        "Volume of size 19GB is smaller than snapshot 'snap-",
        "cilium/cilium pull request 43051",
    ),
    refused(
        "template-with-a-key-pair-that-is-not-there",
        trn1(),
        trn1(KeyName="nobody"),
        "The key pair 'nobody' does not exist",
        "EC2 API reference, error codes, InvalidKeyPair.NotFound",
    ),
    refused(
        "template-with-a-group-that-is-not-there",
        trn1(SecurityGroupIds=[ref("Group")]),
        trn1(SecurityGroupIds=["sg-0123456789abcdef0"]),
        "The security group 'sg-0123456789abcdef0' does not exist",
        "EC2 API reference, error codes, InvalidGroup.NotFound",
    ),
    refused(
        "template-with-a-group-of-another-vpc",
        grouped("Group"),
        grouped("OtherGroup"),
        "belong to different networks.",
        "philschmid/efsync pull request 16; QT-DevOps/DevOpsIssues issue 256",
    ),
    refused(
        "template-with-tags-in-the-metadata",
        trn1(MetadataOptions={"InstanceMetadataTags": "disabled"}),
        trn1(MetadataOptions={"InstanceMetadataTags": "enabled"}),
        "is not a valid tag key. Tag keys must match pattern",
        "terraform-aws-modules/terraform-aws-eks issue 1785; eksctl-io/eksctl issue 8446; "
        "kubernetes-sigs/cluster-api-provider-aws issue 4995",
    ),
    Row(
        name="template-of-a-size-that-is-none",
        good=trn1(),
        bad=launch_template({"InstanceType": "trn1.32xlrage"}),
        refused="Nodes",
        code="InvalidParameterException",
        words="The following supplied instance types do not exist: [trn1.32xlrage]",
        source="terraform-aws-modules/terraform-aws-eks issue 1279",
    ),
)
