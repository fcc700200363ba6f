"""How a container of the lock is written into a chart's values."""

from dataclasses import dataclass

from ami.pins import UNRESOLVED, ChartPin
from trnstack.layout.images import mirrored


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container, in the two parts that every chart joins by a colon.

    Attributes:
        repository: Its name, in the mirror where there is one.
        tag: Its tag and digest, ``1.2@sha256:...``: the digest decides, and the tag says to people what it is. The tag
            alone while nobody has asked for the digest.
    """

    repository: str
    tag: str

    @property
    def image(self) -> dict[str, str]:
        """The two parts, as most charts call them."""
        return {"repository": self.repository, "tag": self.tag}

    @property
    def registry_image(self) -> dict[str, str]:
        """Three parts, for charts that take the registry by itself."""
        registry, _, repository = self.repository.partition("/")
        return {"registry": registry, "repository": repository, "tag": self.tag}


def container(pin: ChartPin, name: str, image_mirror: str | None) -> Container:
    """Returns the container of that name, the last part of its repository, from those that a chart's pin holds.

    Raises:
        LookupError: The pin holds no such container.

    Source: containerd/containerd, ``reference/docker``: a reference with tag and digest is pulled by the digest.
    """
    for image, digest in pin.images.items():
        repository, _, tag = image.rpartition(":")
        if repository.rpartition("/")[2] == name:
            tag = tag if digest == UNRESOLVED else f"{tag}@{digest}"
            return Container(repository=mirrored(f"{repository}:", image_mirror).removesuffix(":"), tag=tag)
    raise LookupError(f"chart {pin.location} {pin.version} pins no container {name!r}: {', '.join(pin.images)}")
