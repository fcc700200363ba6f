"""What the benchmarks show, as aligned text and as JSON."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing.

    Attributes:
        what: What was measured.
        seconds: Its median wall time.
        cpu_seconds: Its median processor time, children included.
        ratio: Its time as a multiple of the section's base.
        memory_mib: The peak of its resident memory, children included.
        target: What was aimed at; printed beside the figures, never asserted.
    """

    what: str
    seconds: float | None = None
    cpu_seconds: float | None = None
    ratio: float | None = None
    memory_mib: float | None = None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A group of rows.

    Attributes:
        title: What the rows have in common.
        rows: The figures.
        notes: Sentences below them.
    """

    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


#: From here on, a time is shown in tenths of a second.
_LONG_SECONDS = 10
_HEADINGS = ("", "seconds", "CPU s", "ratio", "MiB", "target")


def render(machine: Sequence[str], sections: Sequence[Section]) -> str:
    """Returns everything as one table whose columns are aligned across the sections."""
    cells = {section.title: [_cells(row) for row in section.rows] for section in sections}
    lines = [_HEADINGS, *(row for rows in cells.values() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    text = [*machine, "", _line(_HEADINGS, widths)]
    for section in sections:
        text += ["", section.title, *(_line(row, widths) for row in cells[section.title])]
        text += [f"  {note}" for note in section.notes]
    return "\n".join(text)


def to_json(machine: Sequence[str], sections: Sequence[Section]) -> str:
    """Returns everything as JSON."""
    return json.dumps(
        {"version": 1, "machine": list(machine), "sections": [dataclasses.asdict(section) for section in sections]},
        indent=2,
    )


def _cells(row: Row) -> tuple[str, ...]:
    return (
        f"  {row.what}",
        _seconds(row.seconds),
        _seconds(row.cpu_seconds),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        "" if row.memory_mib is None else f"{row.memory_mib:.0f}",
        row.target,
    )


def _seconds(seconds: float | None) -> str:
    """Returns seconds to the millisecond, or to a tenth where milliseconds say nothing any more."""
    if seconds is None:
        return ""
    return f"{seconds:.3f}" if seconds < _LONG_SECONDS else f"{seconds:.1f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers, last = cells
    padded = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True))]
    return "  ".join([*padded, last]).rstrip()
