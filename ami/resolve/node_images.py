"""Asks for the AMIs that nodes start from: their ids in Systems Manager, and whether they still exist in EC2."""

import datetime as dt
from typing import Any, NamedTuple

from account.calls import call, pages
from account.refusals import AccountError
from ami.fit import numbers
from ami.pins import UNRESOLVED, ImagePin
from ami.resolve.asking import Failure, UnansweredError
from ami.resolve.aws import Aws
from ami.tables import ami_releases
from ami.variants import VARIANTS

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

    An id that is pinned stays for as long as the AMI is there. Once it is gone, the release's own id takes its place if
    AWS has it by another one.

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
    if pin.image_id == UNRESOLVED:
        return _published(aws, pin, minor, now)
    try:
        image = _available(aws, pin, pin.image_id, minor)
    except UnansweredError as error:
        return _in_its_place(aws, pin, minor, now, error)
    return Found(pin.image_id, image["OwnerId"], _deprecated(image, pin, aws.region, now))


def _published(aws: Aws, pin: ImagePin, minor: str, now: dt.datetime) -> Found:
    """Returns the AMI that AWS has for a release."""
    image_id, notes = _published_id(aws, pin, minor)
    image = _available(aws, pin, image_id, minor)
    return Found(image_id, image["OwnerId"], (*notes, *_deprecated(image, pin, aws.region, now)))


def _in_its_place(aws: Aws, pin: ImagePin, minor: str, now: dt.datetime, gone: UnansweredError) -> Found:
    """Returns what takes the place of a pinned AMI that is gone: the release's own, or else that one and why."""
    try:
        found = _published(aws, pin, minor, now)
    except (UnansweredError, AccountError):
        # Why the pinned one is gone is what a person has to know; a second reason would hide it.
        if pin.owner == UNRESOLVED:
            raise gone from None
        return Found(pin.image_id, pin.owner, (), gone=gone.failure)
    note = f"{gone.failure.message}; the lock takes {found.image_id} of the same release instead"
    return found._replace(notes=(note, *found.notes))


def _available(aws: Aws, pin: ImagePin, image_id: str, minor: str) -> dict[str, Any]:
    """Returns EC2's record of an AMI from which instances start.

    What was deregistered is shown for a while, then nothing is, and in the end the id is not known any more.

    Source: Amazon EC2 API reference, DescribeImages.
    """
    image = _described(aws, image_id)
    if image is None:
        raise UnansweredError(
            f"{aws.region} has no {image_id} any more, {_named(pin)}: it was deregistered",
            f"{_way_out(aws, pin, minor)}; where the account allows certain AMIs only (EC2's Allowed AMIs), allow "
            "those of the owner amazon",
        )
    if image["State"] != _AVAILABLE:
        raise UnansweredError(
            f"{image_id}, {_named(pin)}, is {image['State']} in {aws.region}, not available", _way_out(aws, pin, minor)
        )
    return image


def _way_out(aws: Aws, pin: ImagePin, minor: str) -> str:
    """Returns how to have another release in the place of one whose AMI is gone.

    Source: EKS API reference, UpdateNodegroupVersion: a node group can't be rolled back to an earlier AMI version.
    """
    others = [name for name in _there(aws, pin, minor) if name != pin.release and _may_replace(name, pin, minor)]
    if others and numbers(others[0]) > numbers(pin.release):
        return "take a newer release: trnstack lock --upgrade FILE"
    alike = "" if pin.custom else " with the same driver"
    if others:
        return (
            f"take an earlier release{alike}, to which EKS moves no node group that stands already: "
            f"trnstack lock --ami-release {others[0]} FILE"
        )
    return f"no other release{alike} is known for Kubernetes {minor}: trnstack lock --outdated FILE says what is newer"


def _there(aws: Aws, pin: ImagePin, minor: str) -> list[str]:
    """Returns the releases that the region has, newest first; those of the tables where it does not tell."""
    try:
        return _releases(aws, pin, minor)
    except AccountError:
        return sorted(ami_releases(), key=numbers, reverse=True)


def _may_replace(name: str, pin: ImagePin, minor: str) -> bool:
    """Tells whether a release will do in the place of another: as a custom image's parent any one for the minor."""
    if pin.custom is None:
        return _same_driver(name, pin, minor)
    return name in ami_releases() and minor in ami_releases()[name].release_versions


def _named(pin: ImagePin) -> str:
    return f"the {pin.ami_type} AMI of release {pin.release}"


def _path(ami_type: str, minor: str) -> str:
    """Returns where the parameters of an AMI type's releases are.

    Source: EKS user guide, "Retrieve recommended Amazon Linux AMI IDs".
    """
    return f"/aws/service/eks/optimized-ami/{minor}/amazon-linux-2023/x86_64/{VARIANTS[ami_type]}"


def _published_id(aws: Aws, pin: ImagePin, minor: str) -> tuple[str, tuple[str, ...]]:
    """Returns the AMI's id, and what Systems Manager leaves open.

    The parameters stand below the AMI's own name and never change, other than those below ``recommended``. That
    ``release_version`` stands there as well no source says; without it the offline table's is taken as it is.

    Source: awslabs/amazon-eks-ami issue 1843; aws/karpenter-provider-aws, pkg/providers/amifamily/al2023.go.
    """
    folder = (
        f"{_path(pin.ami_type, minor)}/amazon-eks-node-al2023-x86_64-{VARIANTS[pin.ami_type]}-{minor}-{pin.release}"
    )
    id_name, version_name = f"{folder}/image_id", f"{folder}/release_version"
    answer = call(aws.client("ssm"), "get_parameters", Names=[id_name, version_name])
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
    found = call(aws.client("ssm"), "get_parameters", Names=[name])["Parameters"]
    if not found:
        raise UnansweredError(
            f"{aws.region} recommends no {ami_type} AMI for Kubernetes {minor}",
            "look at the region and eks.kubernetes_version in the environment file",
        )
    value: str = found[0]["Value"]
    return value


def _releases(aws: Aws, pin: ImagePin, minor: str) -> list[str]:
    """Returns the names of the releases that a region has, newest first."""
    answers = pages(aws.client("ssm"), "get_parameters_by_path", Path=_path(pin.ami_type, minor), Recursive=True)
    names = [parameter["Name"] for answer in answers for parameter in answer["Parameters"]]
    images = {name.split("/")[-2] for name in names if name.endswith("/image_id")}
    return sorted({image.rpartition("-")[2] for image in images if image != "recommended"}, reverse=True)


def _described(aws: Aws, image_id: str) -> dict[str, Any] | None:
    """Returns EC2's record of an AMI, None where there is none; one that is deprecated has one by its id.

    Source: Amazon EC2 user guide, "Deprecate an Amazon EC2 AMI".
    """
    try:
        images = call(aws.client("ec2"), "describe_images", ImageIds=[image_id], IncludeDeprecated=True)["Images"]
    except AccountError as error:
        if error.code not in _GONE:
            raise
        return None
    return next(iter(images), None)


def _deprecated(image: dict[str, Any], pin: ImagePin, region: str, now: dt.datetime) -> tuple[str, ...]:
    text = image.get("DeprecationTime")
    if not text or dt.datetime.fromisoformat(text) > now:
        return ()
    note = (
        f"{image['ImageId']}, {_named(pin)}, is deprecated in {region} since {text[:10]}: nodes start from it until it "
        "is deregistered; trnstack lock --outdated FILE says what is newer"
    )
    return (note,)
