"""What a person waits for the quick commands: ``trnstack check``, ``plan`` and ``diff`` as whole processes.

Beside them stand a Python that does nothing and one that imports the libraries which every command needs: what remains
is trnstack's own.
"""

import sys
import tempfile
from pathlib import Path

from bench.environments import FILE
from bench.locks import copy_resolved
from bench.measure import ROOT, Command, medians, watch
from bench.table import Row, Section

_TARGETS = {"check": "0.30 s", "plan": "0.40 s"}
_COLD, _KEPT = "diff, no templates kept", "diff, templates kept"
_DIFF_TARGETS = {_COLD: "4 s", _KEPT: "1 s"}
#: The edit that is compared: it replaces the file system, and what refers to it in two stacks.
_EDIT = ("throughput_mbps_per_tib: 250", "throughput_mbps_per_tib: 500")
_BARE = Command("python -c pass", (sys.executable, "-c", "pass"))
_LIBRARIES = Command('python -c "import typer, pydantic"', (sys.executable, "-c", "import typer, pydantic"))


def measure(rounds: int) -> Section:
    """Returns the commands' figures on each environment, as multiples of a bare Python.

    Raises:
        BenchError: A command failed.
    """
    with tempfile.TemporaryDirectory(prefix="trnstack-bench-") as folder:
        commands = [_BARE, _LIBRARIES, *(_command(verb, file) for verb in _TARGETS for file in environments())]
        commands += diffs(Path(folder))
        taken = medians(commands, rounds)
        rows = tuple(
            Row(
                what=command.label,
                seconds=taken[command.label].seconds,
                cpu_seconds=taken[command.label].cpu_seconds,
                ratio=taken[command.label].seconds / taken[_BARE.label].seconds,
                memory_mib=watch(command, every_seconds=0.01).peak_mib,
                target=_DIFF_TARGETS.get(command.label) or _TARGETS.get(command.label.split()[0], ""),
            )
            for command in commands
        )
    return Section("Commands (ratio: to a bare Python)", rows)


def diffs(folder: Path) -> tuple[Command, Command]:
    """Returns ``trnstack diff`` of an edit, once with neither side's templates kept and once with both.

    Each has a cache of its own below the folder. The first empties its own before it starts, which takes a
    millisecond; the second is filled by the round that is not counted.
    """
    for name in ("old", "new"):
        (folder / name).mkdir()
    old, new = (copy_resolved(ROOT / FILE, folder / name) for name in ("old", "new"))
    text = new.read_text(encoding="utf-8")
    assert _EDIT[0] in text, f"{FILE} has changed"  # noqa: S101 - a benchmark's own text
    new.write_text(text.replace(*_EDIT), encoding="utf-8")
    words = (str(Path(sys.prefix) / "bin" / "trnstack"), "diff", str(old), str(new))
    cold, kept = ({"XDG_CACHE_HOME": str(folder / name)} for name in ("cold", "kept"))
    emptied = ("sh", "-c", 'rm -rf "$XDG_CACHE_HOME" && exec "$@"', "sh", *words)
    return Command(_COLD, emptied, cold), Command(_KEPT, words, kept)


def environments() -> list[str]:
    """Returns the environment files, as a person would type them."""
    return [f"environments/{path.name}" for path in sorted((ROOT / "environments").glob("*.yaml"))]


def _command(verb: str, file: str) -> Command:
    return Command(f"{verb} {Path(file).stem}", (str(Path(sys.prefix) / "bin" / "trnstack"), verb, file))
