"""The lines of a text tree: how they hang below each other, and how they are aligned."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SEPARATOR = " · "


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree with the lines below it.

    Attributes:
        cells: The line's parts; all but the last are aligned with those of its siblings.
        branches: What hangs below it.
    """

    cells: tuple[str, ...]
    branches: tuple["Branch", ...] = ()


def lines(branches: Sequence[Branch], indent: str) -> Iterator[str]:
    """Gives the lines of branches with all that hangs below them, each line after an indent."""
    columns = max((len(branch.cells) for branch in branches), default=1) - 1
    widths = [
        max(len(branch.cells[column]) for branch in branches if len(branch.cells) - 1 > column)
        for column in range(columns)
    ]
    for number, branch in enumerate(branches, start=1):
        last = number == len(branches)
        *aligned, end = branch.cells
        cells = [cell.ljust(width) for cell, width in zip(aligned, widths, strict=False)]
        yield f"{indent}{'└─' if last else '├─'} {'  '.join([*cells, end])}".rstrip()
        yield from lines(branch.branches, f"{indent}{'   ' if last else '│  '}")


def listed(title: str, branches: Sequence[Branch]) -> list[Branch]:
    """Gives a branch of that title over others; nothing where there are none."""
    return [Branch((title,), tuple(branches))] if branches else []


def joined(*parts: str | None) -> str:
    """Gives the parts that say something, one after the other."""
    return SEPARATOR.join(part for part in parts if part)
