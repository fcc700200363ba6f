"""Reads what CloudFormation publishes of every resource type, and what its engine knows of some of them besides.

What a change of a property does is read where ``trnstack diff`` reads it; ``types.yaml`` says which types need a
capability, may be snapshotted, or answer whatever attribute is asked for.

Source: CloudFormation user guide; see ``types.yaml``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trnstack.advice.impact import schemas as published
from trnstack.advice.impact.schemas import EACH, Pointer, same

__all__ = ["Schema", "Schemas", "same", "schemas"]


@dataclass(frozen=True, slots=True)
class Schema(published.Schema):
    """What is known of a resource type.

    Attributes:
        snapshots: Whether its deletion policy may be ``Snapshot``.
        capability_property: The property that decides between the IAM capabilities; None for a type that needs none.
        open_attributes: Whether its attributes are whatever the resource answers, as a nested stack's outputs are.
        in_registry: Whether CloudFormation makes it by a handler of its registry, as it does all but the oldest types.
    """

    snapshots: bool = False
    capability_property: str | None = None
    open_attributes: bool = False
    in_registry: bool = True

    def offers(self, attribute: str) -> bool:
        """Says whether ``Fn::GetAtt`` may name an attribute: a read-only path, or one within or around it."""
        path = tuple(attribute.split("."))
        if self.open_attributes or any(_overlap(path, known) for known in self.read_only):
            return True
        return len(path) == 1 and attribute in self.properties


@dataclass(frozen=True, slots=True)
class Schemas:
    """The resource types that a region offers.

    Attributes:
        index: The name of the schema's file by resource type.
    """

    index: Mapping[str, str]

    def get(self, resource_type: str) -> Schema | None:
        """Gives a type's schema; None for a type that the region does not offer."""
        name = self.index.get(resource_type)
        return None if name is None else _schema(resource_type, name)


@cache
def schemas(region: str) -> Schemas:
    """Gives the resource types of a region.

    Raises:
        LookupError: cfn-lint knows no such region.
    """
    return Schemas(published.index(region))


def _overlap(path: Pointer, known: Pointer) -> bool:
    """Says whether one path lies within the other."""
    shorter = min(len(path), len(known))
    return all(EACH in pair or pair[0] == pair[1] for pair in zip(path[:shorter], known[:shorter], strict=True))


@cache
def _schema(resource_type: str, name: str) -> Schema:
    base, facts = published.published(resource_type, name), _facts()
    return Schema(
        **{each.name: getattr(base, each.name) for each in fields(base)},
        snapshots=resource_type in facts["snapshots"],
        capability_property=facts["capabilities"].get(resource_type),
        open_attributes=resource_type in facts["open_attributes"],
        in_registry="handlers" in published.document(name),
    )


@cache
def _facts() -> Mapping[str, Any]:
    facts: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("types.yaml").read_text(encoding="utf-8"))
    return facts
