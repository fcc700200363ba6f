"""What ``trnstack plan`` tells of capacity."""

from pathlib import Path

import pytest

from trnstack.cli.plan import as_text
from trnstack.environment import plan_file

ENVIRONMENTS = Path(__file__).parents[3] / "environments"


@pytest.fixture
def shown():
    """Returns the plan of one of the project's environments as lines of text."""
    return lambda name: as_text(plan_file(ENVIRONMENTS / f"{name}.yaml")).splitlines()


class TestBlock:
    @pytest.mark.parametrize(
        "line",
        [
            "  nodes             16 x trn2.48xlarge in use2-az3",
            "  capacity          capacity block cr-0123456789abcdef0; no node before it and none after",
            "  schedules         2027-09-06 11:30:00 UTC  scale-up: 16 nodes",
            "                    2027-09-13 10:00:00 UTC  notice: tells people, by SNS",
            "                    2027-09-13 10:00:00 UTC  event: tells programs, by EventBridge",
            "                    2027-09-13 10:50:00 UTC  scale-down: 0 nodes",
            "  node_groups[0].capacity.scale-up: 2027-09-06T11:30:00Z",
            "    the block starts, and 16 nodes with it: it is paid for from its first minute",
            "  node_groups[0].quota: not counted",
        ],
    )
    def test_times_and_reasons(self, shown, line):
        """CAP-03, CAP-04: When what happens stands beside the node group, and why among the decisions."""
        assert line in shown("llama3-8b-trn2-block")

    def test_others_have_no_schedules(self, shown):
        """Nothing is told of times where there are none."""
        assert not [line for line in shown("dev-trn1") if "schedules" in line]


class TestQuotas:
    def test_spot(self, shown):
        """A quota has its code, its name, the sum and what it is made of."""
        (line,) = (line for line in shown("dev-trn1") if "L-6B0D517C" in line)

        assert line.split("  ")[1:3] == ["L-6B0D517C", "All Trn Spot Instance Requests"]
        assert line.endswith(" 8  node group spot: 1 x 8")

    def test_several_groups(self, shown):
        """Groups that share a quota are added up in the open."""
        (line,) = (line for line in shown("trn2-eks-sample") if "L-2C3B7624" in line)

        assert line.endswith("768  node group trn2: 2 x 192 + node group trn2u: 2 x 192")
