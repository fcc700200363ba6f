"""Says in words what the format's text types allow, since nobody reads a regular expression in an error."""

import re
from collections.abc import Callable
from typing import Any, get_args

from pydantic import StringConstraints

from trnstack.spec import TagKey, TagValue, base, eks, network, neuron, node_groups, operations, storage


def _pattern(text_type: Any) -> str:
    constraint = next(part for part in get_args(text_type) if isinstance(part, StringConstraints))
    return str(constraint.pattern)


#: What each text type allows, by its pattern.
ALLOWED = {
    _pattern(text_type): words
    for text_type, words in (
        (base.Name, "2 to 32 lower-case letters, digits and hyphens, starting with a letter, not ending with a hyphen"),
        (base.AccountId, 'twelve digits in quotes, such as "111122223333"'),
        (base.ZoneId, "an availability zone id, such as use2-az3 (not a zone name such as us-east-2c)"),
        (base.RegionName, "a region's name, such as us-east-2"),
        (base.Cidr, "an IPv4 range, such as 10.0.0.0/16"),
        (base.RoleArn, "a role's ARN, such as arn:aws:iam::111122223333:role/ml-platform-admin"),
        (base.KeyArn, "a KMS key's ARN, such as arn:aws:kms:us-east-2:111122223333:key/1234abcd-..."),
        (base.CapacityReservationId, "a reservation's id, such as cr-0123456789abcdef0"),
        (network.VpcId, "a VPC's id, such as vpc-0123456789abcdef0"),
        (network.SubnetId, "a subnet's id, such as subnet-0123456789abcdef0"),
        (network.RouteTableId, "a route table's id, such as rtb-0123456789abcdef0"),
        (network.ServiceName, "an AWS service's endpoint name, such as ecr.api"),
        (
            network.ImageMirror,
            "an ECR registry and prefix, such as 111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror",
        ),
        (eks.KubernetesVersion, 'a minor version in quotes, such as "1.35"'),
        (eks.InstanceTypeName, "an instance type, such as trn1.32xlarge"),
        (neuron.SdkVersion, 'a Neuron SDK release in quotes, such as "2.30.0"'),
        (neuron.VariableName, "the name of a NEURON_* or FI_* variable"),
        (node_groups.LabelKey, "a Kubernetes label key, such as team or example.com/team"),
        (node_groups.LabelValue, "a Kubernetes label value: up to 63 letters, digits, '-', '_' and '.'"),
        (node_groups.PlacementGroupName, "auto, none, or the name of a placement group"),
        (
            node_groups.ResourceGroupArn,
            "a resource group's ARN, such as arn:aws:resource-groups:us-east-2:111122223333:group/blocks",
        ),
        (storage.BucketName, "a bucket's name: 3 to 63 lower-case letters, digits, '-' and '.'"),
        (storage.Prefix, "a key prefix without a leading slash and without '*', such as runs/llama3"),
        (storage.FileSystemPath, "an absolute path, such as /checkpoints"),
        (storage.FileSystemId, "a file system's id, such as fs-0123456789abcdef0"),
        (storage.MountName, "a file system's mount name: up to 8 letters, digits, '-' and '_'"),
        (storage.SecurityGroupId, "a security group's id, such as sg-0123456789abcdef0"),
        (storage.RootSquash, "a user's and a group's number, neither of them 0, such as 65534:65534"),
        (storage.WeeklyTime, "a day from 1 (Monday) to 7 and a time in UTC, such as 7:03:30"),
        (operations.Email, "an e-mail address"),
        (TagKey, "a tag key of up to 128 letters, digits, spaces and _ . : / = + - @"),
        (TagValue, "a tag value of up to 256 letters, digits, spaces and _ . : / = + - @"),
    )
}


def _name_like(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).lstrip("-0123456789")[:32].strip("-")
    return f"for example {words}" if len(words) > 1 else ""


def _sdk_like(text: str) -> str:
    from ami.tables import sdk_releases  # noqa: PLC0415 - reads a file that only this answer needs

    newest = next((sdk for sdk in sdk_releases() if sdk.startswith(f"{text}.")), None)
    return f'write it in full, in quotes: "{newest}"' if newest else "see the releases with: trnstack releases"


#: What to do about a text that a type does not allow, by the type's pattern; most speak for themselves.
ADVICE: dict[str, Callable[[str], str]] = {
    _pattern(base.Name): _name_like,
    _pattern(base.ZoneId): lambda _: "aws ec2 describe-availability-zones shows each zone's name and id",
    _pattern(base.AccountId): lambda _: "write all twelve digits, in quotes and without hyphens",
    _pattern(neuron.SdkVersion): _sdk_like,
}
