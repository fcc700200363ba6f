"""Finds the line of the catalog on which a row says something, so that an edit can be named."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import trnstack.catalog

_ROWS = {"InstanceType", "Chip"}


@dataclass(frozen=True, slots=True)
class Row:
    """Where a row of the catalog stands.

    Attributes:
        file: The file.
        line: The row's first line.
        lines: The line of each field, and of a mapping's keys as ``field[key]``.
    """

    file: Path
    line: int
    lines: Mapping[str, int] = field(default_factory=dict)

    def of(self, name: str) -> int:
        """Returns the line of a field; of a key that the row has not, its field's line, and else the row's."""
        return self.lines.get(name) or self.lines.get(name.partition("[")[0]) or self.line


def rows() -> dict[str, Row]:
    """Returns where each instance type and each chip stands in the catalog, by name."""
    folder = Path(trnstack.catalog.__file__).parent
    return {
        name: Row(path, call.lineno, dict(_lines(call)))
        for path in sorted(folder.glob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and (name := _name(call))
    }


def _name(call: ast.Call) -> str:
    if not (isinstance(call.func, ast.Name) and call.func.id in _ROWS):
        return ""
    named = (word.value for word in call.keywords if word.arg == "name" and isinstance(word.value, ast.Constant))
    return next((str(constant.value) for constant in named), "")


def _lines(call: ast.Call) -> Iterator[tuple[str, int]]:
    for word in call.keywords:
        if word.arg is None:
            continue
        yield word.arg, word.lineno
        for node in ast.walk(word.value):
            if isinstance(node, ast.Dict):
                yield from (
                    (f"{word.arg}[{key.value!s}]", key.lineno) for key in node.keys if isinstance(key, ast.Constant)
                )
