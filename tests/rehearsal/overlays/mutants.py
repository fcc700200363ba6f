"""What becomes of a document when somebody writes something else into it: anything, anywhere."""

import copy
from collections.abc import Iterator
from typing import Any

ANYTHING: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 10**30, "", "x", "*", "a:b", "é", "${x}", "arn:aws:iam::123456789012:role/nobody"),
    *([], {}, [[]], [{}], [None], {"a": 1}, {"a": {"b": ["c"]}}, ["x", "x"]),
)


def mutants(document: Any) -> Iterator[Any]:
    """Gives a document with each of its parts left out, written twice, and replaced by anything."""
    for path in _paths(document):
        part = document
        for step in path:
            part = part[step]
        for other in (*ANYTHING, [part, part]):
            yield _with(document, path, other)
        if path:
            changed = copy.deepcopy(document)
            del _at(changed, path[:-1])[path[-1]]
            yield changed


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from _paths(member, (*path, step))


def _with(document: Any, path: tuple[Any, ...], part: Any) -> Any:
    if not path:
        return part
    changed = copy.deepcopy(document)
    _at(changed, path[:-1])[path[-1]] = part
    return changed


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document
