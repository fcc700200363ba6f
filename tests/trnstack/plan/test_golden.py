"""The plans in full: what changes in a decision is read in a review, however it came about."""

from pathlib import Path

import pytest

from trnstack.environment import plan_file
from trnstack.plan import to_json

ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))


class TestPlans:
    @pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
    def test_are_the_golden_ones(self, file, golden):
        """Nothing in a plan changes unseen."""
        golden(f"{file.stem}/plan.json", to_json(plan_file(file)))
