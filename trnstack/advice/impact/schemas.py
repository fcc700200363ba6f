"""Reads what CloudFormation publishes of every resource type: its properties, and which of them replace the resource.

The schemas ship with cfn-lint and are read from its files, without importing it, which costs 0.6 s. The types that
CloudFormation has not yet moved to its registry say too little in their schemas; ``impact_overlay.yaml`` adds what
their documentation pages say. The embedded AWS of a rehearsal reads the same.

Source: CloudFormation resource type schemas; the "Update requires" lines of the template reference.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from trnstack.advice.impact.overlay import overlay

Pointer = tuple[str, ...]

EACH: Final = "*"
ABSENT: Final = object()
#: Where a schema says what one property may be: in any of these.
_CHOICES = ("oneOf", "anyOf", "allOf")


@dataclass(frozen=True, slots=True)
class Schema:
    """What is published of a resource type.

    Attributes:
        type: The type's name.
        properties: The JSON schemas of its top-level properties, writable or not.
        create_only: The paths of properties whose change replaces the resource; ``*`` stands for every list member.
        conditional_create_only: The paths of properties whose change replaces it where it can't be made in place.
        in_place_to: Of those of which it is known, the values to which the change is made in place.
        read_only: The paths of properties that only the service sets, which is what ``Fn::GetAtt`` offers.
        primary_identifier: The paths of the properties that identify a resource.
        tag_property: The path of its tags; None where it has none, or where they can't change.
        taggable: Whether it carries tags at all, if only from its creation.
        system_tags: Whether CloudFormation puts tags of its own on it.
        definitions: The JSON schemas to which those of the properties refer, by name.
    """

    type: str
    properties: Mapping[str, Any]
    create_only: tuple[Pointer, ...] = ()
    conditional_create_only: tuple[Pointer, ...] = ()
    in_place_to: Mapping[Pointer, frozenset[str]] = field(default_factory=dict)
    read_only: tuple[Pointer, ...] = ()
    primary_identifier: tuple[Pointer, ...] = ()
    tag_property: Pointer | None = None
    taggable: bool = False
    system_tags: bool = False
    definitions: Mapping[str, Any] = field(default_factory=dict)

    def replaced_by(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Pointer, ...]:
        """Gives the create-only paths whose values differ, which means that the resource must be replaced."""
        return tuple(path for path in self.create_only if not same(at(old, path), at(new, path)))

    def perhaps_replaced_by(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Pointer, ...]:
        """Gives the conditionally create-only paths whose values differ."""
        return tuple(path for path in self.conditional_create_only if not same(at(old, path), at(new, path)))

    def replaces(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Says whether CloudFormation replaces the resource; where only the service can know, it does not."""
        decided = (
            path
            for path in self.perhaps_replaced_by(old, new)
            if path in self.in_place_to and _scalar(at(new, path)) not in self.in_place_to[path]
        )
        return bool(self.replaced_by(old, new)) or any(decided)

    @property
    def replaced_by_tags(self) -> bool:
        """Whether other tags of the stack, which CloudFormation hands on, replace the resource.

        Source: aws-cloudformation/cloudformation-coverage-roadmap issue 538, where a stack's tag alone began the
        replacement of what can't be tagged later.
        """
        return self.taggable and self.tag_property is None and ("Tags",) in self.create_only

    def kept_name(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
        """Gives the custom name that a resource keeps, with which CloudFormation replaces it by no other one.

        A name is custom where the template gives the one property that identifies the resource. Where a service gives
        the identifier, or several properties make it up, the service itself refuses what is there already.

        Source: CloudFormation template reference, "CloudFormation resource custom naming"; of which types the engine
        refuses it by itself is not published: ministackorg/ministack issue 1433, awsdocs/aws-cloudformation-user-guide
        issue 927 and convox/rack pull request 1530 have it of types that are identified by their name, aws/aws-cdk
        issue 26931 has EKS's own refusal of a node group, which is not.
        """
        if len(self.primary_identifier) != 1 or self.primary_identifier[0] in self.read_only:
            return None
        name = at(new, self.primary_identifier[0])
        return name if isinstance(name, str) and same(at(old, self.primary_identifier[0]), name) else None

    def knows(self, path: tuple[str | int, ...]) -> bool:
        """Says whether there is a property at a path; below one whose members are not spelled out, there is."""
        return _knows({"properties": self.properties}, path, self.definitions)


@cache
def index(region: str) -> Mapping[str, str]:
    """Gives the name of the schema's file by resource type, of the types that a region offers.

    Raises:
        LookupError: cfn-lint knows no such region, or is not installed.
    """
    path = _folder() / "providers" / f"{region}.json"
    if not path.is_file():
        raise LookupError(f"the resource schemas know no region {region}")
    names: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return names


def schema(region: str, resource_type: str) -> Schema | None:
    """Gives a type's schema; None for a type that the region does not offer, and that is no known custom resource.

    Raises:
        LookupError: cfn-lint knows no such region, or is not installed.
    """
    name = index(region).get(resource_type)
    return _custom(resource_type) if name is None else published(resource_type, name)


def _custom(resource_type: str) -> Schema | None:
    """Gives what the overlay says of a custom resource, whose properties are whatever its function reads."""
    rows = (row for row in overlay().custom if row.type == resource_type)
    return next(
        (
            Schema(type=row.type, properties={name: {} for name in sorted(row.properties)}, create_only=row.paths)
            for row in rows
        ),
        None,
    )


@cache
def published(resource_type: str, name: str) -> Schema:
    """Gives a type's schema by its file's name."""
    source = document(name)
    return Schema(
        type=resource_type,
        properties=source["properties"],
        create_only=_paths(source.get("createOnlyProperties", []), overlay().create_only(resource_type)),
        conditional_create_only=_paths(source.get("conditionalCreateOnlyProperties", []), ()),
        in_place_to={
            path: frozenset(row.names)
            for row in overlay().conditional
            if row.type == resource_type
            for path in row.paths
        },
        read_only=_paths(source.get("readOnlyProperties", []), ()),
        primary_identifier=_paths(source["primaryIdentifier"], ()),
        tag_property=_tag_property(source),
        taggable="Tags" in source["properties"] and bool(source.get("tagging", {}).get("taggable", True)),
        system_tags=bool(source.get("tagging", {}).get("cloudFormationSystemTags", "tagging" not in source)),
        definitions=source.get("definitions", {}),
    )


@cache
def document(name: str) -> Mapping[str, Any]:
    """Gives a type's whole JSON schema, as CloudFormation publishes it, by its file's name."""
    source: Mapping[str, Any] = json.loads((_folder() / "resources" / f"{name}.json").read_text(encoding="utf-8"))
    return source


def same(old: Any, new: Any) -> bool:
    """Says whether two values are equal to CloudFormation, to which 8 and "8", and true and "true", are the same."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, str | int | float) and isinstance(new, str | int | float):
        return old == new or _scalar(old) == _scalar(new)
    return old is new


def at(value: Any, path: Pointer) -> Any:
    """Gives what stands at a path of a resource's properties; ``ABSENT`` where there is nothing."""
    for position, key in enumerate(path):
        if key == EACH:
            members = value if isinstance(value, list) else []
            return [at(member, path[position + 1 :]) for member in members]
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = value[key]
    return value


def _scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _folder() -> Path:
    spec = find_spec("cfnlint")
    if spec is None or not spec.submodule_search_locations:
        raise LookupError("cfn-lint, whose files hold the resource schemas, is not installed")
    return Path(spec.submodule_search_locations[0]) / "data" / "schemas"


def _tag_property(source: Mapping[str, Any]) -> Pointer | None:
    tagging = source.get("tagging", {"tagUpdatable": "Tags" in source["properties"]})
    return pointer(tagging.get("tagProperty", "/properties/Tags")) if tagging.get("tagUpdatable") else None


def _paths(pointers: list[str], added: tuple[Pointer, ...]) -> tuple[Pointer, ...]:
    return tuple(dict.fromkeys([*map(pointer, pointers), *added]))


def pointer(text: str) -> Pointer:
    """Gives the path that a schema's pointer names, such as ``/properties/Nodes/*/Name``."""
    return tuple(part for part in text.removeprefix("/properties/").split("/") if part != "properties")


def _knows(node: Mapping[str, Any], path: tuple[str | int, ...], definitions: Mapping[str, Any]) -> bool:
    """Says whether a JSON schema spells out what is at a path, or leaves open what may be there."""
    if "$ref" in node:
        return _knows(definitions.get(node["$ref"].rpartition("/")[2], {}), path, definitions)
    if not path:
        return True
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return _knows(node.get("items", {}), rest, definitions)
    members = node.get("properties", {})
    if first in members:
        return _knows(members[first], rest, definitions)
    choices = [choice for name in _CHOICES for choice in node.get(name, ())]
    if any("properties" in choice or "$ref" in choice for choice in choices):
        return any(_knows(choice, path, definitions) for choice in choices)
    return not members
