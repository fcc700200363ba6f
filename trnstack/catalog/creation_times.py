"""How long AWS takes to make, change and delete what an environment consists of, from ``creation_times.yaml``.

Source: each row's own ``found``. Few are AWS's own words: most were measured by third parties, and some are assumed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FILE = Path(__file__).with_suffix(".yaml")

#: What a source's figure is: said, seen, the longest that a tool waits, or set here for want of any.
BASES = ("documented", "measured", "limit", "assumed")
ACTIONS = ("create", "update", "upgrade", "delete")
_OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What one source says of a duration.

    Attributes:
        low, high: Its bounds in minutes; None where it has none, as a limit has no lower one.
        basis: One of ``BASES``.
        confirmed: Whether AWS or the maintainers of the tool say it themselves.
        source: Where it stands.
        date: When it was written or measured.
    """

    low: float | None
    high: float
    basis: str
    confirmed: bool
    source: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """How long one action takes on one kind of thing.

    Attributes:
        key: The kind of thing, such as ``control_plane``.
        action: One of ``ACTIONS``.
        label: The kind in people's words.
        low, likely, high: Minutes.
        likely_from: Where ``likely`` comes from.
        found: What it rests on.
        applies: Whether the evidence is of this very thing; else it is of something like it, and confirms nothing.
    """

    key: str
    action: str
    label: str
    low: float
    likely: float
    high: float
    likely_from: str
    found: tuple[Evidence, ...]
    applies: bool = True

    @property
    def confirmed(self) -> bool:
        """Whether AWS itself says a duration of it, beside how long tools wait."""
        return self.applies and any(one.confirmed and one.basis != "limit" for one in self.found)


@cache
def durations() -> Mapping[tuple[str, str], Duration]:
    """Returns every row by its key and its action."""
    data = yaml.load(_FILE.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 - a safe loader, in C where there is one
    return {(row.key, row.action): row for row in map(_row, data["times"])}


def duration(key: str, action: str = "create") -> Duration:
    """Returns how long an action takes.

    What has no row of its own for an action takes as long as any other resource takes to be made.
    """
    rows = durations()
    return rows.get((key, action)) or rows[_OTHER, "create"]


def unconfirmed(rows: Iterable[Duration]) -> tuple[str, ...]:
    """Returns the labels of those of which AWS itself says nothing, in alphabetical order."""
    return tuple(sorted({row.label for row in rows if not row.confirmed}))


def _row(row: Mapping[str, Any]) -> Duration:
    minutes = row["minutes"]
    return Duration(
        key=row["key"],
        action=row["action"],
        label=row["label"],
        low=float(minutes["low"]),
        likely=float(minutes["likely"]),
        high=float(minutes["high"]),
        likely_from=row["likely_from"],
        found=tuple(_evidence(one) for one in row["found"]),
        applies=row.get("applies", True),
    )


def _evidence(found: Mapping[str, Any]) -> Evidence:
    low = found["low"]
    return Evidence(
        low=None if low is None else float(low),
        high=float(found["high"]),
        basis=found["basis"],
        confirmed=found["confirmed"],
        source=found["source"],
        date=str(found["date"]),
    )
