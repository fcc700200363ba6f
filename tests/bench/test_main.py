"""``python -m bench``: what is measured, and what is shown when it can't be."""

import json

import pytest

from bench import __main__ as bench
from bench.measure import BenchError
from bench.table import Row, Section


@pytest.fixture
def stand_ins(monkeypatch):
    """Benchmarks that take no time; the second can't be run."""

    def fails(_rounds: int) -> Section:
        raise BenchError("no such command")

    benchmarks = {"one": lambda rounds: Section("One", (Row("first", rounds),)), "two": fails}
    monkeypatch.setattr(bench, "_BENCHMARKS", benchmarks)


@pytest.mark.usefixtures("stand_ins")
class TestMain:
    def test_chosen(self, capsys):
        """Only what was named is measured, with the rounds that were asked for."""
        assert bench.main(["one", "--rounds", "3", "--json"]) == 0

        (section,) = json.loads(capsys.readouterr().out)["sections"]
        assert section["rows"][0]["seconds"] == 3

    def test_failure(self, capsys):
        """A benchmark that can't be run is said to be so, and the others are shown."""
        assert bench.main([]) == 1

        shown = capsys.readouterr()
        assert "two could not be measured: no such command" in shown.err
        assert "first" in shown.out

    @pytest.mark.parametrize("arguments", [["three"], ["one", "--rounds", "0"]])
    def test_refused(self, arguments, capsys):
        """What can't be meant is answered with what can."""
        with pytest.raises(SystemExit):
            bench.main(arguments)

        assert "choose from one, two" in (error := capsys.readouterr().err) or "1 or more" in error
