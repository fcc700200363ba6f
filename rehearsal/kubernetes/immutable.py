"""What of an object can't be changed once it is there."""

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from rehearsal.kubernetes.kinds import Object


def refusals(old: Object, new: Object) -> Iterator[str]:
    """Yields what an API server says to a change of an object, where it refuses it; each refusal once."""
    rows = _table().get(f"{new['apiVersion']} {new['kind']}", ())
    yield from dict.fromkeys(row["says"] for row in rows if _is_refused(row, old, new))


def _is_refused(row: Mapping[str, Any], old: Object, new: Object) -> bool:
    if "if" in row and not _at(old, row["if"]):
        return False
    if "unless" in row and _at(old, row["unless"]):
        return False
    before, after = (_without(_at(each, row["path"]), row.get("but", ())) for each in (old, new))
    return bool(before != after)


def _without(value: Any, names: tuple[str, ...]) -> Any:
    return {key: part for key, part in value.items() if key not in names} if isinstance(value, Mapping) else value


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


@functools.cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("immutable.yaml").read_text(encoding="utf-8"))
    return table
