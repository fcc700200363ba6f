"""What differs between two plans, value by value."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from trnstack.plan.model import Plan

#: Prose about the values beside it, which says everything a second time.
_LEFT_OUT = frozenset({"decisions"})
#: By which of its fields an entry of a list is known, the first that all entries of the list have, each another one.
_NAMES = ("name", "path", "code", "service", "key", "subnet_id", "network_card_index")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A value that differs.

    Attributes:
        path: Where it is in the plan, such as ``node_groups.trn1.release_version``: list entries go by their names.
        before, after: The values as text; None where there is none.
    """

    path: str
    before: str | None
    after: str | None


def difference(old: Plan, new: Plan) -> tuple[Change, ...]:
    """Returns the values in which two plans differ, in the order of the plan."""
    before, after = _flat(old), _flat(new)
    return tuple(
        Change(path=path, before=before.get(path), after=after.get(path))
        for path in dict.fromkeys((*before, *after))
        if before.get(path) != after.get(path)
    )


def _flat(plan: Plan) -> dict[str, str]:
    data = {name: value for name, value in asdict(plan).items() if name not in _LEFT_OUT}
    return dict(_values(data, ""))


def _values(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _values(each, f"{path}.{key}" if path else str(key))
    elif (
        isinstance(value, list | tuple)
        and value
        and not any(isinstance(each, Mapping | list | tuple) for each in value)
    ):
        yield path, ", ".join(_text(each) for each in value)
    elif isinstance(value, list | tuple):
        for name, each in zip(_names(value), value, strict=True):
            yield from _values(each, f"{path}.{name}")
    elif value is not None:
        yield path, _text(value)


def _names(entries: Any) -> list[str]:
    """Returns what the entries of a list are called; without names, their positions."""
    for name in _NAMES:
        if all(isinstance(entry, Mapping) and name in entry for entry in entries):
            names = [str(entry[name]) for entry in entries]
            if max(Counter(names).values(), default=0) <= 1:
                return names
    return [str(position) for position in range(len(entries))]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
