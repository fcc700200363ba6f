"""The edits that `trnstack diff` is tested with, each as two templates that can be deployed."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_HERE = Path(__file__).parent
TABLE = yaml.safe_load((_HERE.parents[2] / "trnstack" / "advice" / "impact" / "edits.yaml").read_text())
_CREATE_ONLY = yaml.safe_load((_HERE / "create_only.yaml").read_text())
_EDITS = yaml.safe_load((_HERE / "edits.yaml").read_text())
SUBJECT, BESIDE = "Thing", "Beside"
#: Another resource, which no edit touches: a template must have one.
_BESIDE = {"Type": "AWS::SNS::Topic", "Properties": {}}


@dataclass(frozen=True, slots=True)
class Row:
    """An edit.

    Attributes:
        name: What it is called.
        type: The resource's type.
        old: The template before; names of what stands around it are still in it.
        new: The template after.
        table: The row of the table of edits; empty for a create-only property.
        stand_in: Why a stand-in makes the resource; empty where the rehearsal's own handler does.
        refused: Why the old template can't be deployed at all; empty where it can.
    """

    name: str
    type: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    table: Mapping[str, Any]
    stand_in: str = ""
    refused: str = ""

    def __str__(self) -> str:
        return self.name


def create_only() -> Iterator[Row]:
    """Yields a row for each create-only property of the table."""
    for kind, paths in TABLE["create_only"].items():
        for path in paths:
            given = _CREATE_ONLY[kind][path]
            more = {"values": given} if isinstance(given, list) else given
            sides = []
            for place, side in enumerate(("old", "new")):
                properties = laid(laid(_CREATE_ONLY[kind]["base"], more.get("both", {})), more.get(side, {}))
                if "values" in more:
                    properties = laid(properties, _at(path, more["values"][place]))
                sides.append(_template({"Type": kind, "Properties": properties}))
            yield Row(f"{kind} {path}", kind, *sides, {}, more.get("stand_in", ""))


def edits() -> Iterator[Row]:
    """Yields the rows of the table's edits."""
    for row in TABLE["edits"]:
        kind, more = row["type"], _EDITS["edits"].get(row["what"], {})
        base = _EDITS["bases"][kind] if kind in _EDITS["bases"] else _CREATE_ONLY[kind]["base"]
        sides = []
        for side in ("old", "new"):
            subject = None
            if side in row:
                properties = laid(laid(laid(base, row[side]), more.get("both", {})), more.get(side, {}))
                subject = {"Type": kind, "Properties": properties, **row.get("policies", {})}
            sides.append(_template(subject))
        yield Row(row["what"], kind, *sides, row, more.get("stand_in", ""), more.get("refused", ""))


def unused() -> set[str]:
    """Gives what the files of this folder say of edits that the table does not have."""
    known = {row["what"] for row in TABLE["edits"]} | {
        f"{kind} {path}" for kind, paths in TABLE["create_only"].items() for path in paths
    }
    said = {f"{kind} {path}" for kind, rows in _CREATE_ONLY.items() for path in rows if path != "base"}
    return {*_EDITS["edits"], *said} - known


def laid(base: Any, over: Any) -> Any:
    """Gives properties with others laid over them; None takes one away, lists are taken as they are."""
    if not isinstance(over, Mapping):
        return copy.deepcopy(over)
    under = base if isinstance(base, Mapping) else {}
    merged = {name: part for name, part in under.items() if name not in over}
    return merged | {name: laid(under.get(name), part) for name, part in over.items() if part is not None}


def _at(path: str, value: Any) -> Any:
    for key in reversed(path.split("/")):
        value = {key: value}
    return value


def _template(subject: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"Resources": {BESIDE: _BESIDE, **({} if subject is None else {SUBJECT: subject})}}
