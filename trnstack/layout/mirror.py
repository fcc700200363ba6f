"""What a mirror has to hold for an environment: every container image and chart of its lock, by digest."""

from collections.abc import Iterator
from dataclasses import dataclass

from ami.pins import ChartPin, Lock
from trnstack.layout.images import mirrored

_OCI = "oci://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """An image or a chart, and where it goes.

    Attributes:
        kind: ``image``; ``chart`` of an OCI registry; ``archive``, a chart of an HTTP repository.
        source: Its name with tag, or the chart's location with version.
        digest: ``sha256:...``: of the manifest; of an archive, of its bytes.
        target: Its name in the mirror; empty without one.
    """

    kind: str
    source: str
    digest: str
    target: str


def mirror(lock: Lock, image_mirror: str | None) -> tuple[Mirrored, ...]:
    """Returns what a mirror has to hold, images before charts, each once.

    Args:
        lock: A lock in which every digest is resolved.
        image_mirror: The registry and prefix of the mirror; None lists without targets.
    """
    images = {image: digest for pin in lock.charts.values() for image, digest in pin.images.items()}
    if lock.neuron.container:
        images = {lock.neuron.container.image: lock.neuron.container.digest, **images}
    rows = [("image", image, digest) for image, digest in sorted(images.items())]
    rows += sorted(_chart(pin) for pin in lock.charts.values())
    return tuple(
        Mirrored(kind=kind, source=source, digest=digest, target=_target(source, image_mirror))
        for kind, source, digest in rows
    )


def _chart(pin: ChartPin) -> tuple[str, str, str]:
    kind = "chart" if pin.location.startswith(_OCI) else "archive"
    return kind, f"{pin.location.removeprefix(_OCI)}:{pin.version}", pin.digest


def _target(source: str, image_mirror: str | None) -> str:
    """Returns the name in the mirror; a tag holds no plus, in whose place Helm writes an underscore.

    Source: Helm, "Use OCI-based registries".
    """
    return mirrored(source.removeprefix("https://"), image_mirror).replace("+", "_") if image_mirror else ""


def as_lines(rows: tuple[Mirrored, ...]) -> Iterator[str]:
    """Yields a line each: kind, source, digest and target with a blank between; ``-`` for no target."""
    for row in rows:
        yield f"{row.kind} {row.source} {row.digest} {row.target or '-'}"
