"""How the time of ``trnstack check`` grows with the number of node groups: whole processes, from 1 to 1,000."""

import sys
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from bench.environments import of_node_groups
from bench.measure import Command, Taken, medians
from bench.table import Row, Section

COUNTS = (1, 10, 100, 1000)
_TARGETS = {100: "1.0 s"}
_PLOT_WIDTH = 60


def measure(rounds: int) -> Section:
    """Returns the figures for each number of node groups, as multiples of that for one.

    Raises:
        BenchError: A check failed.
    """
    with tempfile.TemporaryDirectory(prefix="trnstack-bench-") as folder:
        commands = {count: _check(count, Path(folder)) for count in COUNTS}
        by_label = medians(tuple(commands.values()), rounds)
    taken = {count: by_label[command.label] for count, command in commands.items()}
    rows = tuple(
        Row(
            what=commands[count].label,
            seconds=each.seconds,
            cpu_seconds=each.cpu_seconds,
            ratio=each.seconds / taken[COUNTS[0]].seconds,
            target=_TARGETS.get(count, ""),
        )
        for count, each in taken.items()
    )
    return Section("Check by node groups (ratio: to one node group)", rows, (*growth(taken), "", *plot(taken)))


def _check(count: int, folder: Path) -> Command:
    file = folder / f"{count}.yaml"
    file.write_text(of_node_groups(count), encoding="utf-8")
    words = (str(Path(sys.prefix) / "bin" / "trnstack"), "check", str(file))
    # There is no lock, and a thousand node groups fit into no VPC: each ends with findings, after all rules have run.
    return Command(f"check, {count:,} node group{'' if count == 1 else 's'}", words, code=1)


def growth(taken: Mapping[int, Taken]) -> list[str]:
    """Returns what a further node group takes in each step, and whether that stays the same."""
    steps = [
        (few, many, (taken[many].seconds - taken[few].seconds) / (many - few) * 1000) for few, many in pairwise(taken)
    ]
    lines = [f"from {few:,} to {many:,}: {each:.2f} ms a node group" for few, many, each in steps]
    before, last = steps[-2][2], steps[-1][2]
    if before > 0:
        lines.append(f"the last step takes {last / before:.2f} times as long a node group as the one before")
    return lines


def plot(taken: Mapping[int, Taken]) -> list[str]:
    """Returns a bar for each number of node groups, as long as its time."""
    longest = max(each.seconds for each in taken.values())
    width = len(f"{max(taken):,}")
    return [
        f"{count:>{width},}  {'█' * max(round(each.seconds / longest * _PLOT_WIDTH), 1)} {each.seconds:.2f} s"
        for count, each in taken.items()
    ]
