"""What a survey finds in a cluster, as plain records."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HelmRelease:
    """A Helm release.

    Attributes:
        objects: How many objects it has.
        images: The images that they start.
        unrendered: Why its templates could not be rendered, and so were not looked at; empty if they were.
    """

    name: str
    namespace: str
    chart: str
    version: str
    revision: int
    values_hash: str
    objects: int
    images: tuple[str, ...]
    unrendered: str


@dataclass(frozen=True, slots=True)
class KubernetesObject:
    """An object that belongs to no release.

    Attributes:
        namespace: Its namespace; empty of kinds without.
        content: All of it, as its manifest has it.
    """

    kind: str
    namespace: str
    name: str
    content: Mapping[str, Any]
