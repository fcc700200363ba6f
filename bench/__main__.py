"""``python -m bench``: measures, and prints one table or JSON."""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench import commands, deploys, in_process, rehearsal, scaling
from bench.measure import BenchError
from bench.synthesis import compare, growth
from bench.table import Section, render, to_json

#: What can be measured, each given the number of rounds.
_BENCHMARKS: dict[str, Callable[[int], Section]] = {
    "commands": commands.measure,
    "scaling": scaling.measure,
    "synthesis": compare.measure,
    "growth": growth.measure,
    "rehearsal": lambda _: rehearsal.measure(),
    "in-process": in_process.measure,
    "deploys": lambda _: deploys.measure(),
}


def machine(rounds: int) -> list[str]:
    """Returns what the figures were measured on."""
    node = subprocess.run(
        [Path(sys.prefix) / "bin" / "node", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return [
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {load} at the start",
        f"Python {platform.python_version()}, Node {node.removeprefix('v')}",
        f"medians of {rounds} rounds, whole processes, children included",
    ]


def main(arguments: list[str] | None = None) -> int:
    """Runs the benchmarks; returns 1 if one could not be run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures trnstack. See bench/README.md.")
    parser.add_argument("benchmarks", nargs="*", metavar="BENCHMARK", help=f"{', '.join(_BENCHMARKS)}; all if left out")
    parser.add_argument("--rounds", type=int, default=7, help="rounds that a median is taken of (default 7)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.benchmarks) - _BENCHMARKS.keys())
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r}: choose from {', '.join(_BENCHMARKS)}")
    if options.rounds < 1:
        parser.error("--rounds is 1 or more")
    header, sections, failed = machine(options.rounds), [], False
    for name in options.benchmarks or _BENCHMARKS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            sections.append(_BENCHMARKS[name](options.rounds))
        except BenchError as error:
            print(f"{name} could not be measured: {error}", file=sys.stderr)
            failed = True
    print((to_json if options.json else render)(header, sections))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
