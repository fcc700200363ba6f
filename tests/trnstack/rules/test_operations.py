import pytest

from trnstack.rules.operations import alarm_emails_are_unique, budget_steps_rise


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


class TestAlarmEmailsAreUnique:
    @pytest.mark.parametrize("emails", [["a@example.com", "a@example.com"], ["a@example.com", "A@Example.com"]])
    def test_twice(self, environment, emails):
        """The same address twice is one subscription, in whatever case it is written."""
        (finding,) = alarm_emails_are_unique(environment(observability={"alarm_emails": emails}))

        assert finding.path == ("observability", "alarm_emails", 1)

    @pytest.mark.parametrize("emails", [[], ["a@example.com", "b@example.com"]])
    def test_once(self, environment, emails):
        """Any number of different ones is fine."""
        assert not list(alarm_emails_are_unique(environment(observability={"alarm_emails": emails})))
