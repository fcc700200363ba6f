"""``bench.measure``: medians, failures, and the memory of a process with everything that it started."""

import os
import subprocess
import sys

import pytest

from bench.measure import (
    BenchError,
    Command,
    ProcessStat,
    Taken,
    median,
    parse_stat,
    run,
    tree_pids,
    tree_rss_bytes,
    watch,
)

#: Holds 64 MiB in a child process until its input ends.
_CHILD = "import sys; held = bytearray(64 * 2**20); print('ready', flush=True); sys.stdin.read()"
_PARENT = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {_CHILD!r}]))"
_SIXTY_MIB = 60 * 2**20

needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="memory is read from /proc")  # noqa: PTH110


def _stat(parent_pid: int, session: int = 0) -> ProcessStat:
    return ProcessStat(parent_pid=parent_pid, session=session, rss_pages=1)


class TestMedian:
    def test_each_time_by_itself(self):
        """The medians of wall and processor time may come from different rounds."""
        taken = [Taken(1.0, 0.9), Taken(3.0, 0.1), Taken(2.0, 0.5)]

        assert median(taken) == Taken(2.0, 0.5)


class TestParseStat:
    def test_a_name_with_blanks_and_parentheses(self):
        """A program may call itself anything; the fields are counted from the last parenthesis."""
        after_name = ["S", "41", "42", "43", *["0"] * 17, "1234", "0"]

        stat = parse_stat(f"77 (a (b) c) {' '.join(after_name)}")

        assert stat == ProcessStat(parent_pid=41, session=43, rss_pages=1234)


class TestTreePids:
    def test_descendants(self):
        """Children's children belong to the tree; its parent and its siblings do not."""
        processes = {1: _stat(0), 10: _stat(1), 11: _stat(10), 12: _stat(11), 20: _stat(1)}

        assert tree_pids(10, processes) == {10, 11, 12}

    def test_orphans_of_its_session(self):
        """A process whose parent has ended is still known by the session."""
        processes = {1: _stat(0), 10: _stat(1, session=10), 12: _stat(1, session=10), 13: _stat(12, session=13)}

        assert tree_pids(10, processes) == {10, 12, 13}


@needs_proc
class TestTreeRssBytes:
    def test_counts_a_grandchild(self):
        """What a child of a child holds is part of the sum."""
        with subprocess.Popen(
            [sys.executable, "-c", _PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            process.stdout.readline()
            held = tree_rss_bytes(process.pid)
            process.stdin.close()

        assert held > _SIXTY_MIB

    def test_nothing_is_left(self):
        """A process that has ended holds nothing."""
        process = subprocess.Popen([sys.executable, "-c", "pass"])
        process.wait()

        assert tree_rss_bytes(process.pid) == 0


class TestWatch:
    @needs_proc
    def test_peak(self):
        """The peak includes what a child held for a while."""
        child = "import time; held = bytearray(64 * 2**20); time.sleep(0.5)"
        parent = f"import subprocess, sys; subprocess.check_call([sys.executable, '-c', {child!r}])"

        watched = watch(Command("parent", (sys.executable, "-c", parent)), every_seconds=0.02)

        assert watched.peak_mib is not None
        assert watched.peak_mib > 60

    def test_failure(self):
        """A command that fails is answered with its exit code and last words."""
        with pytest.raises(BenchError, match=r"ended with 3:\n    no such thing"):
            watch(Command("fails", (sys.executable, "-c", _FAILS)), every_seconds=0.2)


class TestRun:
    def test_variables(self):
        """A command gets its variables on top of the caller's."""
        check = "import os; assert os.environ['TRNSTACK_BENCH'] == 'x' and 'PATH' in os.environ"

        taken = run(Command("checks", (sys.executable, "-c", check), {"TRNSTACK_BENCH": "x"}))

        assert taken.cpu_seconds > 0

    def test_failure(self):
        """A command that fails is answered with its exit code and last words."""
        with pytest.raises(BenchError, match=r"ended with 3:\n    no such thing"):
            run(Command("fails", (sys.executable, "-c", _FAILS)))


_FAILS = "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"
