"""Puts together what is published, from the offline tables and from locks."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ami.pins import NOT_BUILT, UNRESOLVED, ImagePin, Lock
from ami.registry.names import Name, chart_name, image_name
from ami.tables import (
    add_on_versions,
    ami_releases,
    chart_images,
    charts,
    eks_registries,
    kube_schedulers,
    sdk_releases,
)
from ami.variants import VARIANTS
from rehearsal.pins.records import ArchivedChart, Artefact, CustomImage, NodeImage, Published, variant_of

_UNKNOWN = (UNRESOLVED, NOT_BUILT)
#: A chart with its version and digest, then the images that it starts.
_Chart = tuple[str, str, str | None]


def put_together(locks: Sequence[Lock]) -> Published:
    """Gives what the tables and some locks name; of what is named twice, the last lock decides."""
    named = [*_charts_of_tables(), *(chart for lock in locks for chart in _charts_of(lock))]
    return Published(
        node_images=_node_images(locks),
        custom_images=tuple(_custom_images(locks)),
        add_ons=_add_ons(locks),
        artefacts=_by_name([*_images(locks), *_pushed(named)]),
        charts=tuple(_archived(named)),
    )


def _node_images(locks: Iterable[Lock]) -> tuple[NodeImage, ...]:
    """Gives the AMIs, newest first; the AMI of a lock has the lock's id in the lock's region."""
    images = {
        (minor, variant, release.release): NodeImage(
            minor=minor, variant=variant, release=release.release, release_version=release_version
        )
        for release in ami_releases().values()
        for minor, release_version in release.release_versions.items()
        for variant in VARIANTS.values()
    }
    for lock in locks:
        for pin in lock.images.values():
            variant = variant_of(pin.ami_type)
            if variant is not None:
                minor = ".".join(pin.release_version.split(".")[:2])
                key = (minor, variant, pin.release)
                images[key] = NodeImage(
                    minor=minor,
                    variant=variant,
                    release=pin.release,
                    release_version=pin.release_version,
                    known_ids={**(images[key].known_ids if key in images else {}), **_known_id(lock, pin)},
                )
    return tuple(sorted(images.values(), key=lambda image: image.day, reverse=True))


def _known_id(lock: Lock, pin: ImagePin) -> dict[str, str]:
    return {} if pin.image_id in _UNKNOWN else {lock.inputs.region: pin.image_id}


def _custom_images(locks: Iterable[Lock]) -> Iterator[CustomImage]:
    for lock in locks:
        for pin in lock.images.values():
            for region, image_id in (pin.custom.image_ids if pin.custom else {}).items():
                if pin.custom and image_id not in _UNKNOWN and pin.custom.owner not in _UNKNOWN:
                    yield CustomImage(
                        image_id=image_id,
                        region=region,
                        owner=pin.custom.owner,
                        environment=lock.inputs.environment,
                        recipe=pin.custom.recipe,
                        version=pin.custom.version,
                    )


def _add_ons(locks: Iterable[Lock]) -> Mapping[str, Mapping[str, Sequence[str]]]:
    versions: dict[str, dict[str, list[str]]] = {
        name: {minor: [row.version] for minor, row in rows.items()} for name, rows in add_on_versions().items()
    }
    for lock in locks:
        for name, version in lock.add_ons.items():
            known = versions.setdefault(name, {}).setdefault(lock.inputs.kubernetes_version, [])
            known[:] = [version, *(one for one in known if one != version)]
    return versions


def _images(locks: Iterable[Lock]) -> Iterator[Artefact]:
    """Gives the container images; those of the locks come last, with the digests that they name."""
    for sdk in sdk_releases().values():
        yield from (_image(name) for name in sdk.training_containers.values() if name)
    for row in charts().values():
        for region, minor in itertools.product(eks_registries(), kube_schedulers()):
            for name in chart_images(row, region, minor, settings=row.optional_images):
                yield _image(name)
    for lock in locks:
        if lock.neuron.container:
            yield _image(lock.neuron.container.image, lock.neuron.container.digest)
        for chart in lock.charts.values():
            yield from (_image(name, digest) for name, digest in chart.images.items())


def _image(name: str, digest: str | None = None) -> Artefact:
    return _artefact(image_name(name), digest, chart=False)


def _artefact(name: Name, digest: str | None, *, chart: bool) -> Artefact:
    known = None if digest in _UNKNOWN else digest
    return Artefact(host=name.host, repository=name.repository, tag=name.tag, chart=chart, digest=known)


def _by_name(artefacts: Iterable[Artefact]) -> dict[tuple[str, str, str], Artefact]:
    """Gives each artefact once; one without a digest does not hide one that has it."""
    found: dict[tuple[str, str, str], Artefact] = {}
    for one in artefacts:
        key = (one.host, one.repository, one.tag)
        if one.digest or key not in found:
            found[key] = one
    return found


def _charts_of_tables() -> Iterator[_Chart]:
    yield from ((row.location, row.version, row.digest) for row in charts().values())


def _charts_of(lock: Lock) -> Iterator[_Chart]:
    yield from ((chart.location, chart.version, chart.digest) for chart in lock.charts.values())


def _pushed(named: Iterable[_Chart]) -> Iterator[Artefact]:
    """Gives the charts that are in OCI registries."""
    for location, version, digest in named:
        name = chart_name(location, version)
        if isinstance(name, Name):
            yield _artefact(name, digest, chart=True)


def _archived(named: Iterable[_Chart]) -> Iterator[ArchivedChart]:
    """Gives the charts that are in HTTP repositories, each version once."""
    found: dict[tuple[str, str], ArchivedChart] = {}
    for location, version, digest in named:
        name, known = chart_name(location, version), None if digest in _UNKNOWN else digest
        if not isinstance(name, Name) and (known or (location, version) not in found):
            found[location, version] = ArchivedChart(
                host=name.host, path=name.path, name=name.name, version=version, digest=known
            )
    yield from found.values()
