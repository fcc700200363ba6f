"""Reads what CloudFormation publishes of every resource type: its properties, and which of them replace the resource.

The schemas ship with cfn-lint and are read from its files, without importing it, which costs 0.6 s. The types that
CloudFormation has not yet moved to its registry say too little in their schemas; ``types.yaml`` adds what their
documentation pages say.

Source: CloudFormation resource type schemas; the "Update requires" lines of the template reference.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import yaml

Pointer = tuple[str, ...]

EACH: Final = "*"
ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Schema:
    """What is known of a resource type.

    Attributes:
        type: The type's name.
        properties: The JSON schemas of its top-level properties, writable or not.
        create_only: The paths of properties whose change replaces the resource; ``*`` stands for every list member.
        conditional_create_only: The paths of properties whose change replaces it where it can't be made in place.
        read_only: The paths of properties that only the service sets, which is what ``Fn::GetAtt`` offers.
        primary_identifier: The paths of the properties that identify a resource.
        tag_property: The path of its tags; None where it has none, or where they can't change.
        taggable: Whether it carries tags at all, if only from its creation.
        system_tags: Whether CloudFormation puts tags of its own on it.
        snapshots: Whether its deletion policy may be ``Snapshot``.
        capability_property: The property that decides between the IAM capabilities; None for a type that needs none.
        open_attributes: Whether its attributes are whatever the resource answers, as a nested stack's outputs are.
    """

    type: str
    properties: Mapping[str, Any]
    create_only: tuple[Pointer, ...] = ()
    conditional_create_only: tuple[Pointer, ...] = ()
    read_only: tuple[Pointer, ...] = ()
    primary_identifier: tuple[Pointer, ...] = ()
    tag_property: Pointer | None = None
    taggable: bool = False
    system_tags: bool = False
    snapshots: bool = False
    capability_property: str | None = None
    open_attributes: bool = False

    def offers(self, attribute: str) -> bool:
        """Says whether ``Fn::GetAtt`` may name an attribute: a read-only path, or one within or around it."""
        path = tuple(attribute.split("."))
        if self.open_attributes or any(_overlap(path, known) for known in self.read_only):
            return True
        return len(path) == 1 and attribute in self.properties

    def replaced_by(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Pointer, ...]:
        """Gives the create-only paths whose values differ, which means that the resource must be replaced."""
        return tuple(path for path in self.create_only if not same(_at(old, path), _at(new, path)))

    def perhaps_replaced_by(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Pointer, ...]:
        """Gives the conditionally create-only paths whose values differ."""
        return tuple(path for path in self.conditional_create_only if not same(_at(old, path), _at(new, path)))


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
    path = _folder() / "providers" / f"{region}.json"
    if not path.is_file():
        raise LookupError(f"the resource schemas know no region {region}")
    return Schemas(json.loads(path.read_text(encoding="utf-8")))


def same(old: Any, new: Any) -> bool:
    """Says whether two values are equal to CloudFormation, to which 8 and "8", and true and "true", are the same."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, str | int | float) and isinstance(new, str | int | float):
        return old == new or _scalar(old) == _scalar(new)
    return old is new


def _scalar(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _overlap(path: Pointer, known: Pointer) -> bool:
    """Says whether one path lies within the other."""
    shorter = min(len(path), len(known))
    return all(EACH in pair or pair[0] == pair[1] for pair in zip(path[:shorter], known[:shorter], strict=True))


def _at(value: Any, path: Pointer) -> Any:
    for position, key in enumerate(path):
        if key == EACH:
            members = value if isinstance(value, list) else []
            return [_at(member, path[position + 1 :]) for member in members]
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = value[key]
    return value


def _folder() -> Path:
    spec = find_spec("cfnlint")
    if spec is None or not spec.submodule_search_locations:
        raise LookupError("cfn-lint, whose files hold the resource schemas, is not installed")
    return Path(spec.submodule_search_locations[0]) / "data" / "schemas"


@cache
def _schema(resource_type: str, name: str) -> Schema:
    source = json.loads((_folder() / "resources" / f"{name}.json").read_text(encoding="utf-8"))
    facts = _facts()
    return Schema(
        type=resource_type,
        properties=source["properties"],
        create_only=_paths(source.get("createOnlyProperties", []), facts["create_only"].get(resource_type, [])),
        conditional_create_only=_paths(source.get("conditionalCreateOnlyProperties", []), []),
        read_only=_paths(source.get("readOnlyProperties", []), []),
        primary_identifier=_paths(source["primaryIdentifier"], []),
        tag_property=_tag_property(source),
        taggable="Tags" in source["properties"] and bool(source.get("tagging", {}).get("taggable", True)),
        system_tags=bool(source.get("tagging", {}).get("cloudFormationSystemTags", "tagging" not in source)),
        snapshots=resource_type in facts["snapshots"],
        capability_property=facts["capabilities"].get(resource_type),
        open_attributes=resource_type in facts["open_attributes"],
    )


def _tag_property(source: Mapping[str, Any]) -> Pointer | None:
    tagging = source.get("tagging", {"tagUpdatable": "Tags" in source["properties"]})
    return _pointer(tagging.get("tagProperty", "/properties/Tags")) if tagging.get("tagUpdatable") else None


@cache
def _facts() -> Mapping[str, Any]:
    facts: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("types.yaml").read_text(encoding="utf-8"))
    return facts


def _paths(pointers: list[str], added: list[str]) -> tuple[Pointer, ...]:
    return tuple(dict.fromkeys([*map(_pointer, pointers), *(tuple(path.split("/")) for path in added)]))


def _pointer(text: str) -> Pointer:
    return tuple(part for part in text.removeprefix("/properties/").split("/") if part != "properties")
