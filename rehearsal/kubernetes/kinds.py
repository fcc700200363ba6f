"""Which kinds an API server knows: its own, and those that resource definitions in it bring."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

Object = Mapping[str, Any]
DEFINITION = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of objects.

    Attributes:
        api_version: Such as ``v1`` or ``kueue.x-k8s.io/v1beta2``.
        name: Such as ``ClusterQueue``.
        plural: By what its objects are addressed, such as ``clusterqueues``.
        namespaced: Whether its objects are in namespaces.
        definition: The name of the resource definition that brings it; None of a kind that is always there.
    """

    api_version: str
    name: str
    plural: str
    namespaced: bool
    definition: str | None = None

    @property
    def group(self) -> str:
        """The group, such as ``kueue.x-k8s.io``; empty of Kubernetes' oldest kinds."""
        return self.api_version.rpartition("/")[0]

    @property
    def addressed(self) -> str:
        """What an API server calls it in messages, such as ``clusterqueues.kueue.x-k8s.io``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


def kinds(definitions: Iterable[Object]) -> Mapping[tuple[str, str], Kind]:
    """Returns the kinds by apiVersion and name.

    Args:
        definitions: The resource definitions that are there.
    """
    brought = {(kind.api_version, kind.name): kind for each in definitions for kind in _brought(each)}
    return MappingProxyType({**_built_in(), **brought})


def _brought(definition: Object) -> Iterator[Kind]:
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"]:
            yield Kind(
                api_version=f"{spec['group']}/{version['name']}",
                name=spec["names"]["kind"],
                plural=spec["names"]["plural"],
                namespaced=spec["scope"] == "Namespaced",
                definition=definition["metadata"]["name"],
            )


@functools.cache
def _built_in() -> Mapping[tuple[str, str], Kind]:
    tables = yaml.safe_load(Path(__file__).with_name("kinds.yaml").read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            (api_version, name): Kind(api_version, name, plural, scope == "Namespaced")
            for scope, table in tables.items()
            for api_version, rows in table.items()
            for name, plural in rows.items()
        }
    )
