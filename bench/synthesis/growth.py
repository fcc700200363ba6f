"""What a further node group costs: how the time of synthesis grows with thirty of them, in Python and in JavaScript."""

import dataclasses
import tempfile
from pathlib import Path

from bench.environments import by_gitops, locked, with_further_node_groups
from bench.measure import Command, Taken, medians
from bench.synthesis.compare import programs, prove_same
from bench.table import Row, Section

_FURTHER = 30
_TARGET_MS = 10


def measure(rounds: int) -> Section:
    """Returns both sides' figures with one node group and with thirty more, and what one more takes.

    Raises:
        BenchError: A synthesis failed, or the two give different templates.
    """
    with tempfile.TemporaryDirectory(prefix="trnstack-bench-") as folder:
        few = _programs(Path(folder), 0)
        many = _programs(Path(folder), _FURTHER)
        _, resources = prove_same(many[1], many[0])
        taken = medians((*few, *many), rounds)
    growth = {
        first.label.partition(",")[0]: (taken[last.label].seconds - taken[first.label].seconds) / _FURTHER * 1000
        for first, last in zip(few, many, strict=True)
    }
    javascript, python = growth.values()
    target = f"at most {_TARGET_MS} ms a group beyond JavaScript"
    rows = (
        *_rows((few[0], many[0]), taken),
        *_rows((few[1], many[1]), taken, target=target),
    )
    note = (
        f"One more node group: {javascript:.1f} ms in JavaScript, {python:.1f} ms in Python, {python - javascript:.1f} "
        f"ms beyond. The same {resources:,} resources."
    )
    return Section(f"Growth of synthesis by {_FURTHER} node groups (ratio: to one node group)", rows, (note,))


def _programs(folder: Path, further: int) -> tuple[Command, Command]:
    place = folder / str(further)
    place.mkdir()
    file = locked(place / "environment.yaml", by_gitops(with_further_node_groups(further)))
    words = f"{further + 1} node group{'s' if further else ''}"
    javascript, python = programs(place, str(file), further_node_groups=further)
    return (
        dataclasses.replace(javascript, label=f"JavaScript, {words}"),
        dataclasses.replace(python, label=f"Python, {words}"),
    )


def _rows(commands: tuple[Command, Command], taken: dict[str, Taken], *, target: str = "") -> list[Row]:
    base = taken[commands[0].label].seconds
    return [
        Row(
            what=command.label,
            seconds=taken[command.label].seconds,
            cpu_seconds=taken[command.label].cpu_seconds,
            ratio=taken[command.label].seconds / base,
            target=target if command is commands[-1] else "",
        )
        for command in commands
    ]
