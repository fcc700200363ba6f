"""What a person waits for the quick commands: ``trnstack check`` and ``trnstack plan`` as whole processes.

Beside them stand a Python that does nothing and one that imports the libraries which every command needs: what remains
is trnstack's own.
"""

import sys
from pathlib import Path

from bench.measure import ROOT, Command, medians, watch
from bench.table import Row, Section

_TARGETS = {"check": "0.30 s", "plan": "0.40 s"}
_BARE = Command("python -c pass", (sys.executable, "-c", "pass"))
_LIBRARIES = Command('python -c "import typer, pydantic"', (sys.executable, "-c", "import typer, pydantic"))


def measure(rounds: int) -> Section:
    """Returns the commands' figures on each environment, as multiples of a bare Python.

    Raises:
        BenchError: A command failed.
    """
    commands = [_BARE, _LIBRARIES, *(_command(verb, file) for verb in _TARGETS for file in environments())]
    taken = medians(commands, rounds)
    rows = (
        Row(
            what=command.label,
            seconds=taken[command.label].seconds,
            cpu_seconds=taken[command.label].cpu_seconds,
            ratio=taken[command.label].seconds / taken[_BARE.label].seconds,
            memory_mib=watch(command, every_seconds=0.01).peak_mib,
            target=_TARGETS.get(command.label.split()[0], ""),
        )
        for command in commands
    )
    return Section("Commands (ratio: to a bare Python)", tuple(rows))


def environments() -> list[str]:
    """Returns the environment files, as a person would type them."""
    return [f"environments/{path.name}" for path in sorted((ROOT / "environments").glob("*.yaml"))]


def _command(verb: str, file: str) -> Command:
    return Command(f"{verb} {Path(file).stem}", (str(Path(sys.prefix) / "bin" / "trnstack"), verb, file))
