from datetime import UTC, datetime

import pytest

from trnstack.findings import Severity
from trnstack.rules.unbuilt import (
    additions,
    the_additions_are_built,
    the_watch_is_built,
)

BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 2,
    "availability_zone_id": "use2-az3",
    "starts_at": datetime(2027, 3, 1, 11, 30, tzinfo=UTC),
    "ends_at": datetime(2027, 3, 8, 11, 30, tzinfo=UTC),
}


def unbuilt(finding):
    """Tells whether a finding has the one form of its kind."""
    return finding.message.startswith("not built yet: ") and bool(finding.hint)


class TestTheAdditionsAreBuilt:
    @pytest.mark.parametrize(
        ("section", "key", "value"),
        [
            ("kubernetes", "cloudwatch_observability", True),
            ("observability", "checkpoint_freshness_intervals", 5),
        ],
    )
    def test_asked_for(self, environment, section, key, value):
        """What the file itself switches on is answered where it stands."""
        (finding,) = the_additions_are_built(environment(**{section: {key: value}}))

        assert finding.severity is Severity.NOTE
        assert finding.path == (section, key)
        assert unbuilt(finding)

    @pytest.mark.parametrize("sections", [{}, {"kubernetes": {"cloudwatch_observability": False, "fsx_csi": "auto"}}])
    def test_not_asked_for(self, environment, sections):
        """A default is nobody's wish, and what is off is not missed."""
        assert not list(the_additions_are_built(environment(**sections)))


class TestAdditions:
    def test_on_by_default(self, environment):
        """Everything that is on and not there can be listed, whether or not the file asks for it."""
        assert ("kubernetes", "cloudwatch_observability") in additions(environment())

    def test_off(self, environment):
        """What is off is not listed."""
        assert ("kubernetes", "cloudwatch_observability") not in additions(
            environment(kubernetes={"cloudwatch_observability": False})
        )


class TestTheWatchIsBuilt:
    @pytest.mark.parametrize(
        "sections", [{"observability": {"alarm_emails": ["ml@example.com"]}}, {"budget": {"monthly_usd": 1}}]
    )
    def test_unbuilt(self, environment, sections):
        """Who relies on being told is told that nobody will."""
        (finding,) = the_watch_is_built(environment(**sections))

        assert finding.severity is Severity.NOTE
        assert unbuilt(finding)

    def test_notices_of_blocks(self, environment):
        """Beside a capacity block, whose notices are sent, the note says that nothing else is."""
        (finding,) = the_watch_is_built(
            environment(observability={"alarm_emails": ["ml@example.com"]}, node_group={"capacity": BLOCK})
        )

        assert "only the notices of capacity blocks are sent" in finding.message

    def test_nothing_asked_for(self, environment):
        """The defaults promise nothing."""
        assert not list(the_watch_is_built(environment(observability={"log_retention_days": 30})))
