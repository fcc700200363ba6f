"""Asks for the AMIs that nodes start from: their ids in Systems Manager, and whether they still exist in EC2."""

import datetime as dt
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from ami.pins import UNRESOLVED, ImagePin
from ami.resolve.asking import Failure, UnansweredError, calls_of
from ami.resolve.aws import Aws
from ami.tables import ami_releases

_VARIANTS = {"AL2023_x86_64_NEURON": "neuron", "AL2023_x86_64_STANDARD": "standard"}
#: Source: Amazon EC2 API reference, "Error codes for the Amazon EC2 API".
_GONE = frozenset(("InvalidAMIID.NotFound", "InvalidAMIID.Unavailable"))
_AVAILABLE = "available"


class Found(NamedTuple):
    """An AMI that exists, or one that did when it was pinned.

    Attributes:
        image_id: Its id.
        owner: The account that published it.
        notes: What is to be known about it.
        gone: Why no instance starts from it any more; None where one does. Whether that matters is for the lock to say:
            under a custom image that is built already, nobody starts from it.
    """

    image_id: str
    owner: str
    notes: tuple[str, ...]
    gone: Failure | None = None


def node_image(aws: Aws, pin: ImagePin, minor: str, *, now: dt.datetime) -> Found:
    """Returns the AMI of a release; its id is asked for where it is unresolved, and must exist then.

    Args:
        aws: The account.
        pin: The release.
        minor: The Kubernetes minor.
        now: The time, by which an AMI is deprecated or not.

    Raises:
        UnansweredError: The region has no such release, calls it otherwise, or has no such AMI any more and never told
            whose it was.
        AccountError: AWS gave no answer.
    """
    notes: tuple[str, ...] = ()
    image_id = pin.image_id
    if image_id == UNRESOLVED:
        image_id, notes = _published(aws, pin, minor)
    try:
        image = _available(aws, pin, image_id)
    except UnansweredError as error:
        if UNRESOLVED in {pin.image_id, pin.owner}:
            raise
        return Found(image_id, pin.owner, notes, gone=error.failure)
    return Found(image_id, image["OwnerId"], (*notes, *_deprecated(image, pin, aws.region, now)))


def _available(aws: Aws, pin: ImagePin, image_id: str) -> dict[str, Any]:
    """Returns EC2's record of an AMI from which instances start."""
    image = _described(aws, pin, image_id)
    if image["State"] != _AVAILABLE:
        raise UnansweredError(
            f"{image_id}, {_named(pin)}, is {image['State']} in {aws.region}, not available",
            "take another release: trnstack lock --upgrade FILE",
        )
    return image


def _named(pin: ImagePin) -> str:
    return f"the {pin.ami_type} AMI of release {pin.release}"


def _path(ami_type: str, minor: str) -> str:
    """Returns where the parameters of an AMI type's releases are.

    Source: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs".
    """
    return f"/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023/x86_64/{_VARIANTS[ami_type]}"


def _published(aws: Aws, pin: ImagePin, minor: str) -> tuple[str, tuple[str, ...]]:
    """Returns the AMI's id, and what Systems Manager leaves open.

    The parameters stand below the AMI's own name and never change, other than those below ``recommended``. That
    ``release_version`` stands there as well no source says; without it the offline table's is taken as it is.

    Source: awslabs/amazon-eks-ami issue 1843; aws/karpenter-provider-aws, pkg/providers/amifamily/al2023.go.
    """
    folder = (
        f"{_path(pin.ami_type, minor)}/amazon-eks-node-al2023-x86_64-{_VARIANTS[pin.ami_type]}-{minor}-{pin.release}"
    )
    id_name, version_name = f"{folder}/image_id", f"{folder}/release_version"
    with calls_of("SSM", aws.region):
        answer = aws.client("ssm").get_parameters(Names=[id_name, version_name])
    values = {parameter["Name"]: parameter["Value"] for parameter in answer["Parameters"]}
    if id_name not in values:
        raise _never_published(aws, pin, minor)
    said = values.get(version_name)
    if said is None:
        return values[id_name], (
            f"AWS does not say that {_named(pin)} is {pin.release_version}: the offline tables say so",
        )
    if said != pin.release_version:
        raise UnansweredError(
            f"{_named(pin)} is {said} in {aws.region}, and the offline tables have it as {pin.release_version}",
            "correct the release's row in ami/releases.yaml, or take another: trnstack lock --ami-release RELEASE FILE",
        )
    return values[id_name], ()


def _never_published(aws: Aws, pin: ImagePin, minor: str) -> UnansweredError:
    """Returns the error, with the releases that the region does have."""
    there = _releases(aws, pin, minor)
    missing = f"{aws.region} has no {pin.ami_type} AMI of release {pin.release} for Kubernetes {minor}"
    if not there:
        return UnansweredError(
            f"{missing}, nor of any other release",
            "look at the region and eks.kubernetes_version in the environment file",
        )
    fitting = next((name for name in there if _same_driver(name, pin, minor)), None)
    return UnansweredError(
        f"{missing}; it has {', '.join(there)}",
        f"with the same driver: trnstack lock --ami-release {fitting} FILE"
        if fitting
        else "none of them is known to have the same driver: use another neuron.sdk or another region",
    )


def _same_driver(name: str, pin: ImagePin, minor: str) -> bool:
    """Tells whether a release is one for the minor with the driver of another, as far as the tables know."""
    known = ami_releases()
    return (
        name in known
        and pin.release in known
        and minor in known[name].release_versions
        and known[name].neuron_driver == known[pin.release].neuron_driver
    )


def recommended_release_version(aws: Aws, ami_type: str, minor: str) -> str:
    """Returns the release version that EKS recommends for an AMI type now, such as ``1.35.6-20260714``.

    Raises:
        UnansweredError: The region recommends none.
        AccountError: AWS gave no answer.

    Source: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs".
    """
    name = f"{_path(ami_type, minor)}/recommended/release_version"
    with calls_of("SSM", aws.region):
        found = aws.client("ssm").get_parameters(Names=[name])["Parameters"]
    if not found:
        raise UnansweredError(
            f"{aws.region} recommends no {ami_type} AMI for Kubernetes {minor}",
            "look at the region and eks.kubernetes_version in the environment file",
        )
    value: str = found[0]["Value"]
    return value


def _releases(aws: Aws, pin: ImagePin, minor: str) -> list[str]:
    """Returns the names of the releases that a region has, newest first."""
    with calls_of("SSM", aws.region):
        pages = (
            aws.client("ssm")
            .get_paginator("get_parameters_by_path")
            .paginate(Path=_path(pin.ami_type, minor), Recursive=True)
        )
        names = [parameter["Name"] for page in pages for parameter in page["Parameters"]]
    images = {name.split("/")[-2] for name in names if name.endswith("/image_id")}
    return sorted({image.rpartition("-")[2] for image in images if image != "recommended"}, reverse=True)


def _described(aws: Aws, pin: ImagePin, image_id: str) -> dict[str, Any]:
    """Returns EC2's record of an AMI. One that is named by its id is described although it is deprecated.

    What was deregistered is shown for a while, then nothing is, and in the end the id is not known any more.

    Source: Amazon EC2 user guide, "Deprecate an Amazon EC2 AMI"; Amazon EC2 API reference, DescribeImages.
    """
    try:
        with calls_of("EC2", aws.region):
            try:
                images = aws.client("ec2").describe_images(ImageIds=[image_id], IncludeDeprecated=True)["Images"]
            except ClientError as error:
                if error.response["Error"]["Code"] not in _GONE:
                    raise
                images = []
        image: dict[str, Any] = images[0]
    except IndexError:
        raise UnansweredError(
            f"{aws.region} has no {image_id} any more, {_named(pin)}: it was deregistered",
            "take a newer release: trnstack lock --upgrade FILE; where the account allows certain AMIs only (EC2's "
            "Allowed AMIs), allow those of the owner amazon",
        ) from None
    return image


def _deprecated(image: dict[str, Any], pin: ImagePin, region: str, now: dt.datetime) -> tuple[str, ...]:
    text = image.get("DeprecationTime")
    if not text or dt.datetime.fromisoformat(text) > now:
        return ()
    note = (
        f"{image['ImageId']}, {_named(pin)}, is deprecated in {region} since {text[:10]}: nodes start from it until it "
        "is deregistered; trnstack lock --outdated FILE says what is newer"
    )
    return (note,)
