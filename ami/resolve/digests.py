"""Asks registries what the tags of containers and charts mean."""

from typing import NamedTuple

from ami.pins import UNRESOLVED
from ami.registry import Registry


class Digest(NamedTuple):
    """A digest that is pinned.

    Attributes:
        value: ``sha256:...``.
        notes: What is to be known about it.
    """

    value: str
    notes: tuple[str, ...]


def image_digest(registry: Registry, image: str, pinned: str) -> Digest:
    """Returns the digest of an image: the pinned one, although its tag may have been moved, or what the tag means.

    Raises:
        RegistryError: The registry gave none.
    """
    return _kept(image, pinned, registry.digest(image))


def chart_digest(registry: Registry, location: str, version: str, pinned: str) -> Digest:
    """Returns the digest of a chart: the pinned one, or what its version means.

    Raises:
        RegistryError: The registry or repository gave none.
    """
    return _kept(f"{location} {version}", pinned, registry.chart_digest(location, version))


def _kept(name: str, pinned: str, said: str) -> Digest:
    if pinned in {UNRESOLVED, said}:
        return Digest(said, ())
    return Digest(pinned, (f"{name} was moved: it means {said} now, and the lock keeps {pinned}",))
