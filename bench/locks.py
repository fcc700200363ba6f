"""Locks as an account would have resolved them, made up from the names of what they pin; stand-ins for charts."""

import dataclasses
import hashlib
from pathlib import Path

from ami import archives
from ami.lock import path_for, read, write
from ami.pins import UNRESOLVED, BuiltImage, ChartPin, ContainerPin, ImagePin, Lock
from rehearsal.charts import archive

OWNER = "602401143452"
BUILDER = "111122223333"


def resolved(lock: Lock) -> Lock:
    """Returns the lock with nothing left unresolved; the same names give the same digests and ids."""
    container = lock.neuron.container
    return dataclasses.replace(
        lock,
        made_from=f"AWS in {lock.inputs.region}",
        neuron=dataclasses.replace(lock.neuron, container=container and _container(container)),
        images={name: _image(pin) for name, pin in lock.images.items()},
        charts={
            name: dataclasses.replace(
                pin,
                digest=_chart_digest(name, pin),
                archive=archives.digest_of(archive(name, pin.version)),
                images={image: digest_of(image) for image in pin.images},
            )
            for name, pin in lock.charts.items()
        },
    )


def copy_resolved(environment_file: Path, folder: Path) -> Path:
    """Copies an environment and its lock to a folder, the lock resolved, with charts; returns the copy of the file."""
    copy = folder / environment_file.name
    copy.write_bytes(environment_file.read_bytes())
    write_resolved(read(path_for(environment_file)), copy)
    return copy


def write_resolved(lock: Lock, environment_file: Path) -> None:
    """Writes a lock beside an environment file, resolved, and the charts that stand in for those that it pins."""
    write(resolved(lock), path_for(environment_file))
    charts = {archives.file_name(name, pin.version): archive(name, pin.version) for name, pin in lock.charts.items()}
    archives.write(archives.folder_of(path_for(environment_file)), charts)


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
