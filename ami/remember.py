"""Carries over from an older lock what an account or a registry told of pins that are the same."""

import dataclasses

from ami.pins import UNRESOLVED, BuiltImage, ChartPin, ContainerPin, ImagePin, Lock, archive_of
from ami.tables import charts


def remembered(lock: Lock, old: Lock) -> Lock:
    """Returns the lock with its unresolved values filled from an older one, as far as they are of the same pins.

    Nothing is carried from a rehearsal's lock into one that may reach AWS. A lock whose every pin is the older one's
    keeps its origin too, so that making a lock anew changes no line.
    """
    if old.rehearsal_account != lock.rehearsal_account:
        return lock
    container = _container(lock.neuron.container, old.neuron.container)
    # With the container's digest, which is in a custom image: only with it is an image that was built seen to be alike.
    lock = dataclasses.replace(lock, neuron=dataclasses.replace(lock.neuron, container=container))
    filled = dataclasses.replace(
        lock,
        images=_images(lock, old),
        charts={name: _chart(pin, old.charts.get(name)) for name, pin in lock.charts.items()},
    )
    same = dataclasses.replace(filled, made_from=old.made_from, toolkit=old.toolkit, inputs=old.inputs) == old
    return dataclasses.replace(filled, made_from=old.made_from) if same else filled


def forgotten(lock: Lock) -> Lock:
    """Returns the lock with everything unresolved again that only an account or a registry tells.

    A chart's digest becomes the tables', where they know it. Add-ons stay: a person may have named their versions.
    """
    container = lock.neuron.container
    return dataclasses.replace(
        lock,
        neuron=dataclasses.replace(
            lock.neuron, container=container and dataclasses.replace(container, digest=UNRESOLVED)
        ),
        images={name: forgotten_image(pin) for name, pin in lock.images.items()},
        charts={name: _forgotten_chart(name, pin) for name, pin in lock.charts.items()},
    )


def forgotten_image(pin: ImagePin) -> ImagePin:
    """Returns the pin without the ids and owners that only an account can tell."""
    custom = pin.custom and dataclasses.replace(
        pin.custom, version=UNRESOLVED, image_ids=dict.fromkeys(pin.custom.image_ids, UNRESOLVED), owner=UNRESOLVED
    )
    return dataclasses.replace(pin, image_id=UNRESOLVED, owner=UNRESOLVED, custom=custom)


def forgotten_builds(lock: Lock) -> Lock:
    """Returns the lock without the ids of its custom images, so that the newest builds of them are taken."""
    return dataclasses.replace(lock, images={name: _forgotten_build(pin) for name, pin in lock.images.items()})


def holds_answers(lock: Lock) -> bool:
    """Tells whether an account or a registry told any of a lock that the tables can't know."""
    container = lock.neuron.container
    told = [
        *((container.digest,) if container else ()),
        *(pin.image_id for pin in lock.images.values()),
        *(digest for chart in lock.charts.values() for digest in chart.images.values()),
    ]
    return any(value != UNRESOLVED for value in told)


def _forgotten_build(pin: ImagePin) -> ImagePin:
    if pin.custom is None:
        return pin
    ids = dict.fromkeys(pin.custom.image_ids, UNRESOLVED)
    return dataclasses.replace(pin, custom=dataclasses.replace(pin.custom, image_ids=ids, owner=UNRESOLVED))


def without_charts(lock: Lock) -> Lock:
    """Returns the lock with nothing known of its charts but their versions: a rehearsal serves charts of its own."""
    charts = {
        name: dataclasses.replace(pin, digest=UNRESOLVED, archive=UNRESOLVED) for name, pin in lock.charts.items()
    }
    return dataclasses.replace(lock, charts=charts)


def _forgotten_chart(name: str, pin: ChartPin) -> ChartPin:
    row = charts().get(name)
    of_the_table = row is not None and (row.version, row.location) == (pin.version, pin.location)
    digest = (row.digest if row and of_the_table else None) or UNRESOLVED
    return dataclasses.replace(
        pin,
        digest=digest,
        archive=archive_of(pin.location, digest),
        images=dict.fromkeys(pin.images, UNRESOLVED),
    )


def _container(pin: ContainerPin | None, old: ContainerPin | None) -> ContainerPin | None:
    if pin and old and pin.image == old.image and pin.digest == UNRESOLVED:
        return old
    return pin


def _images(lock: Lock, old: Lock) -> dict[str, ImagePin]:
    if lock.inputs.region != old.inputs.region:
        return dict(lock.images)
    return {name: _image(lock, old, name) for name in lock.images}


def _image(lock: Lock, old: Lock, name: str) -> ImagePin:
    pin = lock.images[name]
    known = (each for each in old.images.values() if _names_alike(each, pin) and each.image_id != UNRESOLVED)
    same = next(known, None)
    if same and pin.image_id == UNRESOLVED:
        pin = dataclasses.replace(pin, image_id=same.image_id, owner=same.owner)
    before = old.images.get(name)
    if pin.custom and before and before.custom and _built_alike(lock, old, name):
        pin = dataclasses.replace(pin, custom=_built(pin.custom, before.custom))
    return pin


def _names_alike(one: ImagePin, other: ImagePin) -> bool:
    return (one.ami_type, one.release_version) == (other.ami_type, other.release_version)


def _built_alike(lock: Lock, old: Lock, name: str) -> bool:
    """Tells whether all that goes into a custom image is what it was."""
    return (
        lock.inputs.images[name] == old.inputs.images.get(name)
        and lock.images[name].release_version == old.images[name].release_version
        and lock.neuron == old.neuron
    )


def _built(pin: BuiltImage, old: BuiltImage) -> BuiltImage:
    ids = {region: old.image_ids.get(region, UNRESOLVED) for region in pin.image_ids}
    return dataclasses.replace(pin, version=old.version, owner=old.owner, image_ids=ids)


def _chart(pin: ChartPin, old: ChartPin | None) -> ChartPin:
    if old is None:
        return pin
    same = (pin.version, pin.location) == (old.version, old.location)
    images = {
        image: old.images.get(image, digest) if digest == UNRESOLVED else digest for image, digest in pin.images.items()
    }
    return dataclasses.replace(
        pin,
        digest=old.digest if same and pin.digest == UNRESOLVED else pin.digest,
        archive=old.archive if same and pin.archive == UNRESOLVED else pin.archive,
        images=images,
    )
