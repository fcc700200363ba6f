"""Tells whether AMIs that are gone are missed: nodes with a custom image start from what was built on them."""

from ami.pins import ImagePin, Lock
from ami.resolve.asking import Failure
from ami.resolve.custom_images import places_of
from ami.resolve.questions import Answers, node_image_key


def gone_images(chosen: Lock, heard: Answers, built: Answers) -> tuple[list[Failure], list[str]]:
    """Returns why AMIs that are gone fail a lock, and a sentence for each of the others.

    Args:
        chosen: The lock that AMIs were asked for.
        heard: What was heard of them.
        built: The custom images that there are in each place, as far as they could be asked for.

    Source: Amazon EC2 API reference, DeregisterImage: an AMI that is deregistered starts no further instances.
    """
    keys = {name: node_image_key(pin) for name, pin in chosen.images.items()}
    failures, notes = [], []
    for key in dict.fromkeys(keys.values()):
        gone = heard[key].gone if key in heard else None
        if gone is None:
            continue
        if any(_is_missed(chosen.images[name], chosen.inputs.region, built) for name in keys if keys[name] == key):
            failures.append(gone)
        else:
            start = "nodes start from the custom image that was built on it"
            notes.append(f"{gone.message}; {start}; before another one is built: {gone.hint}")
    return failures, notes


def _is_missed(pin: ImagePin, region: str, built: Answers) -> bool:
    """Tells whether nodes, or a build, have to start from the AMI; of an image that was not asked for nobody knows."""
    return pin.custom is None or built.get(places_of(pin)[region]) == ()
