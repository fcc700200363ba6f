"""What is asked for a lock, and where the answers go in it."""

import dataclasses
import datetime as dt
from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

from ami.pins import ChartPin, ImagePin, Lock, NeuronPin
from ami.registry import Registry
from ami.resolve.add_ons import add_on_version
from ami.resolve.asking import Question
from ami.resolve.aws import Aws
from ami.resolve.digests import chart_digest, image_digest
from ami.resolve.node_images import node_image

#: What was heard, by what was asked.
Answers = Mapping[Hashable, Any]


def questions(lock: Lock, aws: Aws, registry: Registry, now: dt.datetime) -> dict[Hashable, Question]:
    """Returns what is asked for a lock, other than for its custom images."""
    return {**_about_node_images(lock, aws, now), **_about_add_ons(lock, aws), **_about_digests(lock, registry)}


def _about_node_images(lock: Lock, aws: Aws, now: dt.datetime) -> dict[Hashable, Question]:
    minor = lock.inputs.kubernetes_version
    return {
        node_image_key(pin): Question(
            f"AMI {pin.release_version} ({pin.ami_type})", partial(node_image, aws, pin, minor, now=now)
        )
        for pin in lock.images.values()
    }


def node_image_key(pin: ImagePin) -> Hashable:
    """Returns what the answer about an AMI is found by."""
    return "AMI", pin.ami_type, pin.release_version, pin.image_id


def _about_add_ons(lock: Lock, aws: Aws) -> dict[Hashable, Question]:
    minor = lock.inputs.kubernetes_version
    return {
        ("add-on", name): Question(
            f"add-on {name}",
            partial(add_on_version, aws, name, minor, version),
        )
        for name, version in lock.add_ons.items()
    }


def _about_digests(lock: Lock, registry: Registry) -> dict[Hashable, Question]:
    container = lock.neuron.container
    pinned = [(container.image, container.digest)] if container else []
    pinned += [item for chart in lock.charts.values() for item in chart.images.items()]
    images: dict[Hashable, Question] = {
        ("image", image, digest): Question(f"image {image}", partial(image_digest, registry, image, digest))
        for image, digest in pinned
    }
    charts: dict[Hashable, Question] = {
        ("chart", name): Question(
            f"chart {name}",
            partial(chart_digest, registry, chart.location, chart.version, chart.digest),
        )
        for name, chart in lock.charts.items()
    }
    return {**images, **charts}


def filled(lock: Lock, heard: Answers) -> Lock:
    """Returns the lock with the answers in their places; what has none stays as it is."""
    return dataclasses.replace(
        lock,
        neuron=_neuron(lock.neuron, heard),
        images={name: _image(pin, heard) for name, pin in lock.images.items()},
        add_ons={name: heard.get(("add-on", name), version) for name, version in lock.add_ons.items()},
        charts={name: _chart(name, pin, heard) for name, pin in lock.charts.items()},
    )


def _neuron(pin: NeuronPin, heard: Answers) -> NeuronPin:
    container = pin.container
    if container is None:
        return pin
    digest = _digest(container.image, container.digest, heard)
    return dataclasses.replace(pin, container=dataclasses.replace(container, digest=digest))


def _digest(image: str, pinned: str, heard: Answers) -> str:
    answer = heard.get(("image", image, pinned))
    return answer.value if answer else pinned


def _image(pin: ImagePin, heard: Answers) -> ImagePin:
    found = heard.get(node_image_key(pin))
    return dataclasses.replace(pin, image_id=found.image_id, owner=found.owner) if found else pin


def _chart(name: str, pin: ChartPin, heard: Answers) -> ChartPin:
    answer = heard.get(("chart", name))
    images = {image: _digest(image, digest, heard) for image, digest in pin.images.items()}
    return dataclasses.replace(pin, digest=answer.value if answer else pin.digest, images=images)
