"""``bench.table``: what the benchmarks show."""

import json

from bench.table import Row, Section, render, to_json

_SECTIONS = [
    Section("Commands", (Row("check", 0.1984, 0.19, 11.8, 37.2, "0.30 s"), Row("a long name", 0.5)), ("a note",)),
    Section("Rehearsal", (Row("rehearse", 41.26),)),
]


class TestRender:
    def test_aligned(self):
        """Columns are aligned across the sections, and no line ends in blanks."""
        assert render(["2 cores"], _SECTIONS).splitlines() == [
            "2 cores",
            "",
            "               seconds  CPU s  ratio  MiB  target",
            "",
            "Commands",
            "  check          0.198  0.190  11.80   37  0.30 s",
            "  a long name    0.500",
            "  a note",
            "",
            "Rehearsal",
            "  rehearse        41.3",
        ]


class TestToJson:
    def test_unrounded(self):
        """JSON holds the figures as they were measured, and null for those that were not."""
        shown = json.loads(to_json(["2 cores"], _SECTIONS))

        assert shown["machine"] == ["2 cores"]
        assert shown["sections"][0]["rows"][0]["seconds"] == 0.1984
        assert shown["sections"][1]["rows"][0]["ratio"] is None
