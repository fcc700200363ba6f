import pytest

from trnstack.rules.operations import budget_steps_rise


class TestBudgetStepsRise:
    @pytest.mark.parametrize(
        ("steps", "hint"),
        [([80, 50], "write [50, 80]"), ([50, 50], "write [50]"), ([50, 100, 80], "write [50, 80, 100]")],
    )
    def test_falling_or_equal(self, environment, steps, hint):
        """The hint is the list in its order, each share once."""
        (finding,) = budget_steps_rise(environment(budget={"notify_at_percent": steps}))

        assert finding.hint == hint

    @pytest.mark.parametrize("steps", [[], [100], [50, 80, 100], [80, 120]])
    def test_rising(self, environment, steps):
        """More than all of the budget may be a step."""
        assert not list(budget_steps_rise(environment(budget={"notify_at_percent": steps})))

    def test_no_budget(self, environment):
        """The section is optional."""
        assert not list(budget_steps_rise(environment()))
