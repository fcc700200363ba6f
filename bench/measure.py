"""Runs whole processes and measures them: wall time in alternating rounds, memory with that of all children.

Times vary with whatever else the machine does, so commands that are compared take turns within each round, every other
round in reverse order, and a command's figure is the median of its rounds.
"""

import os
import resource
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PROC = Path("/proc")
_MIB = 1024 * 1024


class BenchError(Exception):
    """Says why a benchmark could not be run."""


@dataclass(frozen=True, slots=True)
class Command:
    """A process to measure.

    Attributes:
        label: How it is called in the table.
        words: The program and its arguments.
        environment: Variables on top of the caller's.
        code: The exit code with which it has to end.
    """

    label: str
    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    code: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run took.

    Attributes:
        seconds: Wall time.
        cpu_seconds: Processor time, with that of everything that it started and waited for. A busy machine changes
            it less than wall time.
    """

    seconds: float
    cpu_seconds: float


def medians(commands: Sequence[Command], rounds: int) -> dict[str, Taken]:
    """Returns each command's median times, by label, after a round that is not counted.

    Raises:
        BenchError: A command failed.
    """
    taken: dict[str, list[Taken]] = {command.label: [] for command in commands}
    for number in range(rounds + 1):
        for command in commands if number % 2 else reversed(commands):
            each = run(command)
            if number:
                taken[command.label].append(each)
    return {label: median(each) for label, each in taken.items()}


def median(taken: Sequence[Taken]) -> Taken:
    """Returns the median of each of the times."""
    return Taken(
        seconds=statistics.median(each.seconds for each in taken),
        cpu_seconds=statistics.median(each.cpu_seconds for each in taken),
    )


def run(command: Command) -> Taken:
    """Runs a command to its end.

    Raises:
        BenchError: It failed; the message ends with the last lines that it printed.
    """
    with tempfile.TemporaryFile() as printed:
        started, cpu_before = time.perf_counter(), _cpu_seconds()
        done = subprocess.run(
            command.words,
            cwd=ROOT,
            env={**os.environ, **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            check=False,
        )
        taken = Taken(time.perf_counter() - started, _cpu_seconds() - cpu_before)
        if done.returncode != command.code:
            printed.seek(0)
            raise BenchError(_failure(command, done.returncode, printed.read()))
    return taken


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


@dataclass(frozen=True, slots=True)
class Watched:
    """What one watched run took.

    Attributes:
        seconds: Wall time.
        peak_mib: The largest sum of resident memory over the process and everything that it started; pages that
            processes share count for each of them. None where there is no ``/proc`` to read it from.
    """

    seconds: float
    peak_mib: float | None


def watch(command: Command, *, every_seconds: float) -> Watched:
    """Runs a command once and samples its memory.

    Raises:
        BenchError: It failed; the message ends with the last lines that it printed.
    """
    with tempfile.TemporaryFile() as printed:
        started = time.perf_counter()
        # A session of its own: whatever it starts can be told by it, even when a parent in between has ended.
        process = subprocess.Popen(
            command.words,
            cwd=ROOT,
            env={**os.environ, **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            start_new_session=True,
        )
        sampler = _Sampler(process.pid, every_seconds)
        sampler.start()
        try:
            code = process.wait()
            seconds = time.perf_counter() - started
        finally:
            sampler.finish()
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait()
        if code != command.code:
            printed.seek(0)
            raise BenchError(_failure(command, code, printed.read()))
    return Watched(seconds, sampler.peak_bytes / _MIB if sampler.peak_bytes else None)


class _Sampler(threading.Thread):
    """Keeps the highest sum of a process tree's memory while the process runs."""

    def __init__(self, root_pid: int, every_seconds: float) -> None:
        super().__init__(daemon=True)
        self.peak_bytes = 0
        self._root_pid = root_pid
        self._every_seconds = every_seconds
        self._finished = threading.Event()

    def run(self) -> None:
        while not self._finished.is_set():
            self.peak_bytes = max(self.peak_bytes, tree_rss_bytes(self._root_pid))
            self._finished.wait(self._every_seconds)

    def finish(self) -> None:
        self._finished.set()
        self.join()


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """What ``/proc/PID/stat`` says of a process: who started it, its session, and its resident memory in pages."""

    parent_pid: int
    session: int
    rss_pages: int


def parse_stat(text: str) -> ProcessStat:
    """Returns what a line of ``/proc/PID/stat`` says.

    The second field is the program's name in parentheses, which may hold blanks and parentheses itself.

    Source: proc_pid_stat(5): fields 4 (ppid), 6 (session) and 24 (rss).
    """
    fields = text.rpartition(")")[2].split()
    return ProcessStat(parent_pid=int(fields[1]), session=int(fields[3]), rss_pages=int(fields[21]))


def tree_pids(root_pid: int, processes: Mapping[int, ProcessStat]) -> set[int]:
    """Returns a process, its descendants, and everything else in the session that it leads."""
    found = {pid for pid, stat in processes.items() if root_pid in (pid, stat.session)}
    while True:
        more = {pid for pid, stat in processes.items() if stat.parent_pid in found} - found
        if not more:
            return found
        found |= more


def tree_rss_bytes(root_pid: int) -> int:
    """Returns the resident memory of a process and everything that it started; 0 where there is no ``/proc``."""
    processes: dict[int, ProcessStat] = {}
    for entry in _PROC.glob("[0-9]*"):
        try:
            processes[int(entry.name)] = parse_stat((entry / "stat").read_text())
        except (FileNotFoundError, ProcessLookupError):  # it has ended in between
            continue
    pages = sum(processes[pid].rss_pages for pid in tree_pids(root_pid, processes))
    return pages * os.sysconf("SC_PAGE_SIZE")


def _failure(command: Command, code: int, printed: bytes) -> str:
    last = "\n".join(f"    {line}" for line in printed.decode(errors="replace").strip().splitlines()[-8:])
    return f"{' '.join(command.words)} ended with {code}:\n{last}"
