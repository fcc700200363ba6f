"""What is to be known of a lock's custom images: what is to be built, what is gone, and what is newer than a pin."""

from collections.abc import Iterator

from ami.pins import NOT_BUILT, UNRESOLVED, BuiltImage, ImagePin, Lock, rebuild_output
from ami.resolve.custom_images import pinned, places_of
from ami.resolve.questions import Answers


def custom_notes(before: Lock, lock: Lock, built: Answers) -> Iterator[str]:
    """Yields a sentence for each thing to be known, with the commands in their order.

    Args:
        before: The lock with what was pinned.
        lock: The same lock with what was found.
        built: The AMIs that there are in each place, newest first.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for name, pin in lock.images.items():
        if pin.custom:
            groups.setdefault((pin.custom.recipe, pin.release_version), []).append(name)
    for names in groups.values():
        pin = lock.images[names[0]]
        if pin.custom:
            named = f"image {pin.custom.recipe} {pin.custom.version} of {', '.join(names)}"
            yield from _awaited(lock, pin.custom, named)
            yield from _gone(before, pin, pin.custom, built, named)
            yield from _newer(pin, pin.custom, built, named)


def _awaited(lock: Lock, image: BuiltImage, named: str) -> Iterator[str]:
    """Yields a sentence for an image that is to be built or copied.

    A stack that stands already builds nothing by a deploy that finds it unchanged, however gone its AMI is, and where
    only a region was added it changes where the next build goes.
    """
    own = lock.inputs.region
    missing = [region for region, found in image.image_ids.items() if found == NOT_BUILT]
    if missing:
        what = f"AMI in {own}" if own in missing else f"copy in {', '.join(missing)}"
        yield (
            f"{named} has no {what}: run cdk deploy {lock.inputs.environment}-images -c environment=FILE, and if that "
            "builds nothing, since the stack stands already, the command in its output "
            f"{rebuild_output(image.recipe)}; once it is built, trnstack lock FILE"
        )


def _gone(before: Lock, pin: ImagePin, image: BuiltImage, built: Answers, named: str) -> Iterator[str]:
    for region, place in places_of(pin).items():
        there = {build.image_id for build in built[place]}
        for image_id, version in pinned(before, place).items():
            if version == image.version and there and image_id not in {UNRESOLVED, NOT_BUILT, *there}:
                yield f"{image_id}, {named}, is gone from {region}: the lock takes {image.image_ids[region]} instead"


def _newer(pin: ImagePin, image: BuiltImage, built: Answers, named: str) -> Iterator[str]:
    newest = {region: built[place][0].image_id for region, place in places_of(pin).items() if built[place]}
    newer = [f"{found} in {region}" for region, found in newest.items() if found != image.image_ids[region]]
    if newer:
        yield f"{named} has a newer build, {', '.join(newer)}: take it by trnstack lock --upgrade FILE"
