"""Asks an account for the custom AMIs that it has built, and puts them in a lock."""

import dataclasses
from collections.abc import Hashable
from functools import partial
from typing import Any, NamedTuple

from ami.custom import image_version
from ami.pins import NOT_BUILT, RECIPE_TAG, RECIPE_VERSION_TAG, UNRESOLVED, BuiltImage, ImagePin, Lock
from ami.resolve.asking import Question, calls_of
from ami.resolve.aws import Aws
from ami.resolve.questions import Answers


class Built(NamedTuple):
    """A custom AMI that exists.

    Attributes:
        image_id: Its id.
        owner: The account that built it.
    """

    image_id: str
    owner: str


def places(lock: Lock) -> dict[tuple[str, str, str], tuple[ImagePin, BuiltImage]]:
    """Returns the custom images to look for: one in each region for each recipe and parent."""
    return {
        (pin.custom.recipe, pin.release_version, region): (pin, pin.custom)
        for pin in lock.images.values()
        if pin.custom
        for region in pin.custom.image_ids
    }


def questions(lock: Lock, aws: Aws) -> dict[Hashable, Question]:
    """Returns what is asked for a lock's custom images, as far as their versions are known."""
    wanted = {
        key: (image.recipe, image_version(lock, parent, image), key[2]) for key, (parent, image) in places(lock).items()
    }
    return {
        key: Question(
            f"image {recipe} in {region}",
            partial(_newest, aws, recipe, version, region),
        )
        for key, (recipe, version, region) in wanted.items()
        if version != UNRESOLVED
    }


def with_custom(lock: Lock, pin: ImagePin, built: Answers) -> ImagePin:
    """Returns a node group's pin with the custom image that was found, or ``not built``."""
    if pin.custom is None:
        return pin
    found: dict[str, Built | None] = {
        region: built[pin.custom.recipe, pin.release_version, region] for region in pin.custom.image_ids
    }
    owners = [image.owner for image in found.values() if image]
    custom = dataclasses.replace(
        pin.custom,
        version=image_version(lock, pin, pin.custom),
        image_ids={region: image.image_id if image else NOT_BUILT for region, image in found.items()},
        owner=owners[0] if owners else NOT_BUILT,
    )
    return dataclasses.replace(pin, custom=custom)


def awaited(lock: Lock) -> tuple[str, ...]:
    """Returns a sentence for each custom image that is to be built or copied, with the commands in their order."""
    groups: dict[tuple[str, str], list[str]] = {}
    images: dict[tuple[str, str], BuiltImage] = {}
    for name, pin in lock.images.items():
        if pin.custom:
            key = pin.custom.recipe, pin.custom.version
            groups.setdefault(key, []).append(name)
            images[key] = pin.custom
    told = (_awaited(image, ", ".join(groups[key]), lock) for key, image in images.items())
    return tuple(sentence for sentence in told if sentence)


def _awaited(image: BuiltImage, groups: str, lock: Lock) -> str:
    stack, own = f"{lock.inputs.environment}-images", lock.inputs.region
    named = f"image {image.recipe} {image.version} of {groups}"
    missing = [region for region, found in image.image_ids.items() if found == NOT_BUILT]
    if own in missing:
        build = f"run cdk deploy {stack} -c environment=FILE, then trnstack lock FILE"
        return f"{named} is not built yet in {own}: {build}"
    return f"{named} is not in {', '.join(missing)} yet, where {stack} copies it" if missing else ""


def _newest(aws: Aws, recipe: str, version: str, region: str) -> Built | None:
    """Returns the account's own AMI of a recipe's version in a region, the newest that is available; None without one.

    Raises:
        AccountError: AWS gave no answer.
    """
    filters = {f"tag:{RECIPE_TAG}": recipe, f"tag:{RECIPE_VERSION_TAG}": version, "state": "available"}
    with calls_of("EC2", region):
        pages = (
            aws.client("ec2", region)
            .get_paginator("describe_images")
            .paginate(Owners=["self"], Filters=[{"Name": name, "Values": [value]} for name, value in filters.items()])
        )
        images = [image for page in pages for image in page["Images"]]
    if not images:
        return None
    newest: dict[str, Any] = max(images, key=lambda image: (image["CreationDate"], image["ImageId"]))
    return Built(newest["ImageId"], newest["OwnerId"])
