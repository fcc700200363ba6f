"""``bench.rehearsal``, with a command that stands in for the rehearsal."""

import sys

from bench import rehearsal
from bench.measure import Command


class TestMeasure:
    def test_one_row(self):
        """The rehearsal's time and memory stand beside what was aimed at."""
        (row,) = rehearsal.measure(Command("stand-in", (sys.executable, "-c", "pass"))).rows

        assert (row.what, row.target) == ("stand-in", "45 s, 1536 MiB")
        assert row.seconds is not None
