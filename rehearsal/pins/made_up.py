"""Locks as an account would have resolved them, made up from the names of what they pin; stand-ins for charts."""

import dataclasses
import hashlib

from ami import archives
from ami.pins import UNRESOLVED, BuiltImage, ChartPin, ContainerPin, ImagePin, Lock
from rehearsal.charts import archive
from rehearsal.pins.records import MAIN_ACCOUNT

OWNER = MAIN_ACCOUNT
BUILDER = "111122223333"


def resolved(lock: Lock) -> Lock:
    """Returns the lock with nothing left unresolved; the same names give the same digests and ids.

    Raises:
        rehearsal.charts.NoStandInError: It pins a chart for which nothing stands in.
    """
    container = lock.neuron.container
    return dataclasses.replace(
        lock,
        made_from=f"AWS in {lock.inputs.region}",
        neuron=dataclasses.replace(lock.neuron, container=container and _container(container)),
        images={name: _image(pin) for name, pin in lock.images.items()},
        charts={name: chart(name, pin) for name, pin in lock.charts.items()},
    )


def chart(name: str, pin: ChartPin) -> ChartPin:
    """Returns a chart's pin for the archive that stands in for the chart.

    Raises:
        rehearsal.charts.NoStandInError: Nothing stands in for it.
    """
    return dataclasses.replace(
        pin,
        digest=_chart_digest(name, pin),
        archive=archives.digest_of(archive(name, pin.version)),
        images={image: digest_of(image) for image in pin.images},
    )


def digest_of(name: str) -> str:
    """Returns a made-up digest."""
    return f"sha256:{hashlib.sha256(name.encode()).hexdigest()}"


def image_id_of(name: str) -> str:
    """Returns a made-up AMI id."""
    return f"ami-{hashlib.sha256(name.encode()).hexdigest()[:17]}"


def _chart_digest(name: str, pin: ChartPin) -> str:
    """Returns a chart's digest: in an HTTP repository that of the archive, which here is the stand-in's."""
    if not pin.location.startswith("oci://"):
        return archives.digest_of(archive(name, pin.version))
    return digest_of(pin.location) if pin.digest == UNRESOLVED else pin.digest


def _container(pin: ContainerPin) -> ContainerPin:
    return dataclasses.replace(pin, digest=digest_of(pin.image))


def _image(pin: ImagePin) -> ImagePin:
    name = f"{pin.ami_type} {pin.release_version}"
    return dataclasses.replace(pin, image_id=image_id_of(name), owner=OWNER, custom=pin.custom and _built(pin.custom))


def _built(pin: BuiltImage) -> BuiltImage:
    ids = {region: image_id_of(f"{pin.recipe} {region}") for region in pin.image_ids}
    return dataclasses.replace(pin, version=digest_of(pin.recipe)[7:19], image_ids=ids, owner=BUILDER)
