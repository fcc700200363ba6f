"""Asks an account for the custom AMIs that it has built, and puts them in a lock."""

import dataclasses
from collections.abc import Hashable, Mapping
from functools import partial
from typing import NamedTuple

from account.calls import pages
from ami.custom import image_version
from ami.pins import (
    ENVIRONMENT_TAG,
    NOT_BUILT,
    RECIPE_TAG,
    RECIPE_VERSION_TAG,
    UNRESOLVED,
    BuiltImage,
    ImagePin,
    Lock,
)
from ami.resolve.asking import Question
from ami.resolve.aws import Aws
from ami.resolve.questions import Answers

#: A custom image in a region: its recipe, its parent's release version, the region.
Place = tuple[str, str, str]


class Built(NamedTuple):
    """A custom AMI that exists.

    Attributes:
        image_id: Its id.
        owner: The account that built it.
    """

    image_id: str
    owner: str


def places(lock: Lock) -> dict[Place, tuple[ImagePin, BuiltImage]]:
    """Returns the custom images to look for: one in each region for each recipe and parent."""
    return {place: (pin, pin.custom) for pin in lock.images.values() if pin.custom for place in places_of(pin).values()}


def places_of(pin: ImagePin) -> dict[str, Place]:
    """Returns where a node group's custom image is, by region; empty without one."""
    custom = pin.custom
    return {region: (custom.recipe, pin.release_version, region) for region in custom.image_ids} if custom else {}


def pinned(lock: Lock, place: Place) -> dict[str, str]:
    """Returns the AMIs that a lock pins in a place, each with the version that it was pinned for."""
    return {
        pin.custom.image_ids[place[2]]: pin.custom.version
        for pin in lock.images.values()
        if pin.custom and place in places_of(pin).values()
    }


def questions(lock: Lock, aws: Aws) -> dict[Hashable, Question]:
    """Returns what is asked for a lock's custom images, as far as their versions are known."""
    wanted = {
        key: (image.recipe, image_version(lock, parent, image), key[2]) for key, (parent, image) in places(lock).items()
    }
    return {
        key: Question(
            f"image {recipe} in {region}",
            partial(_builds, aws, lock.inputs.environment, recipe, version, region),
        )
        for key, (recipe, version, region) in wanted.items()
        if version != UNRESOLVED
    }


def with_custom(lock: Lock, built: Answers) -> Lock:
    """Returns the lock with the custom images that were found, or ``not built``.

    What is pinned stays for as long as it is available, and where nothing is pinned the newest is taken. Node groups of
    one recipe start from one image: one that is new takes what is pinned for the others.

    Args:
        lock: The lock, with the container's digest, from which versions follow.
        built: The AMIs that there are in each place, newest first.
    """
    taken = {place: _taken(pinned(lock, place), built[place]) for place in places(lock)}
    images = {name: _with_custom(lock, pin, taken) for name, pin in lock.images.items()}
    return dataclasses.replace(lock, images=images)


def _taken(pins: Mapping[str, str], builds: tuple[Built, ...]) -> Built | None:
    kept = [build for image_id in pins for build in builds if build.image_id == image_id]
    return next(iter([*kept, *builds]), None)


def _with_custom(lock: Lock, pin: ImagePin, taken: Mapping[Place, Built | None]) -> ImagePin:
    if pin.custom is None:
        return pin
    found = {region: taken[place] for region, place in places_of(pin).items()}
    owners = [image.owner for image in found.values() if image]
    custom = dataclasses.replace(
        pin.custom,
        version=image_version(lock, pin, pin.custom),
        image_ids={region: image.image_id if image else NOT_BUILT for region, image in found.items()},
        owner=owners[0] if owners else NOT_BUILT,
    )
    return dataclasses.replace(pin, custom=custom)


def _builds(aws: Aws, environment: str, recipe: str, version: str, region: str) -> tuple[Built, ...]:
    """Returns the account's own AMIs of a recipe's version that are available in a region, newest first.

    Those of another environment are none of this one's: it rebuilds them when it likes, and by a key of its own.

    Raises:
        AccountError: AWS gave no answer.
    """
    tags = {ENVIRONMENT_TAG: environment, RECIPE_TAG: recipe, RECIPE_VERSION_TAG: version}
    filters = {**{f"tag:{key}": value for key, value in tags.items()}, "state": "available"}
    wanted = [{"Name": name, "Values": [value]} for name, value in filters.items()]
    answers = pages(aws.client("ec2", region), "describe_images", Owners=["self"], Filters=wanted)
    images = [image for answer in answers for image in answer["Images"]]
    newest_first = sorted(images, key=lambda image: (image["CreationDate"], image["ImageId"]), reverse=True)
    return tuple(Built(image["ImageId"], image["OwnerId"]) for image in newest_first)
