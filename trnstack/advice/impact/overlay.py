"""Reads ``impact_overlay.yaml``: what is known of a change beyond CloudFormation's resource schemas, with sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Pointer = tuple[str, ...]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FILE = Path(__file__).parent.parent / "impact_overlay.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One reviewed fact.

    Attributes:
        type: The resource type.
        source: Where it is documented.
        paths: The properties that it is about; empty where it is about the whole resource.
        beside: Those that belong to them, where they are given.
        impact: The impact of their change, by its value; empty where the row says nothing of it.
        feels: What a running job notices; empty where it notices nothing.
        deleted: What it notices of a deletion, where that is not the same as of a replacement; else empty.
        names: Attributes or values that the row lists.
        properties: The properties that change the attributes it lists.
    """

    type: str
    source: str
    paths: tuple[Pointer, ...] = ()
    beside: tuple[Pointer, ...] = ()
    impact: str = ""
    feels: str = ""
    deleted: str = ""
    names: tuple[str, ...] = ()
    properties: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """The file's sections, each as its own comment there describes it."""

    create_only_rows: tuple[Row, ...]
    custom: tuple[Row, ...]
    conditional: tuple[Row, ...]
    effects: tuple[Row, ...]
    gone: tuple[Row, ...]
    holds_data: Mapping[str, str]
    names: tuple[Row, ...]
    volatile: tuple[Row, ...]
    stable: tuple[Row, ...]

    def create_only(self, resource_type: str) -> tuple[Pointer, ...]:
        """Returns the properties of a type whose change replaces it, beside those of its schema."""
        return tuple(path for row in self.create_only_rows if row.type == resource_type for path in row.paths)

    def source_of(self, resource_type: str, path: Pointer) -> str:
        """Returns where a create-only property of the overlay is documented; empty where it is the schema's."""
        rows = (row for row in self.create_only_rows if row.type == resource_type and path in row.paths)
        return next((row.source for row in rows), "")


@cache
def overlay() -> Overlay:
    """Returns the reviewed overlay."""
    data = yaml.load(_FILE.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 - a safe loader, in C where there is one
    return Overlay(
        create_only_rows=tuple(map(_row, data["create_only"])),
        custom=tuple(map(_row, data["custom"])),
        conditional=tuple(map(_row, data["conditional"])),
        effects=tuple(map(_row, data["effects"])),
        gone=tuple(map(_row, data["gone"])),
        holds_data=data["holds_data"],
        names=tuple(map(_row, data["names"])),
        volatile=tuple(map(_row, data["volatile"])),
        stable=tuple(map(_row, data["stable"])),
    )


def _row(data: Mapping[str, Any]) -> Row:
    paths = [*data.get("paths", ()), *([data["path"]] if "path" in data else ())]
    return Row(
        type=data["type"],
        source=data["source"],
        paths=tuple(tuple(path.split("/")) for path in paths),
        beside=tuple(tuple(path.split("/")) for path in data.get("beside", ())),
        impact=data.get("impact", ""),
        feels=data.get("feels", ""),
        deleted=data.get("deleted", ""),
        names=tuple(str(name) for key in ("attributes", "in_place_to") for name in data.get(key, ())),
        properties=frozenset(data.get("properties", ())),
    )
