"""``bench.scaling``: how growth is told, and that what is measured is a valid environment."""

from bench.environments import of_node_groups, with_further_node_groups
from bench.measure import Taken
from bench.scaling import growth, plot
from trnstack.rules import check
from trnstack.source import parse
from trnstack.spec.load import load

TAKEN = {count: Taken(seconds, seconds) for count, seconds in ((1, 0.2), (10, 0.209), (100, 0.299), (1000, 1.199))}


class TestGrowth:
    def test_each_step(self):
        """Each step tells what a node group takes, and the last is compared with the one before."""
        assert growth(TAKEN) == [
            "from 1 to 10: 1.00 ms a node group",
            "from 10 to 100: 1.00 ms a node group",
            "from 100 to 1,000: 1.00 ms a node group",
            "the last step takes 1.00 times as long a node group as the one before",
        ]

    def test_noise(self):
        """Where the step before took no time at all, nothing is compared with it."""
        taken = TAKEN | {100: TAKEN[10]}

        assert len(growth(taken)) == 3


class TestPlot:
    def test_bars(self):
        """The longest time has the longest bar, and the numbers stand below each other."""
        lines = plot(TAKEN)

        assert [line.partition("█")[0] for line in lines] == ["    1  ", "   10  ", "  100  ", "1,000  "]
        assert lines[-1].count("█") == 60
        assert lines[0].count("█") == 10


class TestEnvironments:
    def test_are_valid(self):
        """What is measured is read, and has as many node groups as it says."""
        assert len(load(parse(of_node_groups(100), "x.yaml")).node_groups) == 100
        further = load(parse(with_further_node_groups(30), "x.yaml"))

        assert len(further.node_groups) == 31
        assert not [finding for finding in check(further) if finding.severity == "error"]
