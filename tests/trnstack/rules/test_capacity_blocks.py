from datetime import UTC, datetime, timedelta, timezone

import pytest

from trnstack.findings import Severity
from trnstack.rules.capacity_blocks import (
    block_durations_are_offered,
    blocks_end_after_they_start,
    blocks_end_at_their_hour,
    drains_fit_into_the_block,
)

START = datetime(2027, 3, 1, 11, 30, tzinfo=UTC)


def group(lasts, starts_at=START, **changes: object):
    capacity = {
        "type": "capacity_block",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "instance_count": 2,
        "availability_zone_id": "use2-az3",
        "starts_at": starts_at,
        "ends_at": starts_at + lasts,
        **changes,
    }
    return {"capacity": capacity}


class TestBlocksEndAfterTheyStart:
    @pytest.mark.parametrize("lasts", [timedelta(0), timedelta(minutes=-1), timedelta(days=-7)])
    def test_reversed(self, environment, lasts):
        """CAP-04: a block that ends before it starts has its times mixed up."""
        (finding,) = blocks_end_after_they_start(environment(node_group=group(lasts)))

        assert finding.path == ("node_groups", 0, "capacity", "ends_at")

    def test_zones_are_counted_in(self, environment):
        """Times of different zones are compared as moments, not as they are written."""
        ends_at = datetime(2027, 3, 1, 13, 0, tzinfo=timezone(timedelta(hours=9)))
        assert len(list(blocks_end_after_they_start(environment(node_group=group(timedelta(1), ends_at=ends_at))))) == 1

    def test_in_order(self, environment):
        """A day is a block."""
        assert not list(blocks_end_after_they_start(environment(node_group=group(timedelta(days=1)))))

    def test_no_block(self, environment):
        """Other capacity has no times."""
        assert not list(blocks_end_after_they_start(environment()))


class TestBlockDurationsAreOffered:
    @pytest.mark.parametrize(
        ("days", "hint"),
        [
            (15, "blocks last 14 or 21 days"),
            (20, "blocks last 14 or 21 days"),
            (29, "blocks last 28 or 35 days"),
            (183, "blocks last 182 days"),
            (365, "blocks last 182 days"),
        ],
    )
    def test_between(self, environment, days, hint):
        """A duration between two that are sold is answered with both."""
        (finding,) = block_durations_are_offered(environment(node_group=group(timedelta(days=days))))

        assert finding.message == f"no block of {days} days is offered"
        assert finding.hint.startswith(hint)

    @pytest.mark.parametrize("days", [*range(1, 15), *range(21, 183, 7)])
    def test_every_duration(self, environment, days):
        """All durations that AWS sells are taken."""
        assert not list(block_durations_are_offered(environment(node_group=group(timedelta(days=days)))))

    @pytest.mark.parametrize("hours", [22, 24 * 2 - 3, 24 * 14 + 5, 24 * 21 - 1])
    def test_uneven_start(self, environment, hours):
        """A block that starts at another hour is a little shorter or longer than what it is sold as."""
        starts_at = START - timedelta(hours=hours)
        assert not list(
            block_durations_are_offered(environment(node_group=group(timedelta(hours=hours), starts_at=starts_at)))
        )

    def test_reversed_times(self, environment):
        """What ends before it starts is told by another rule."""
        assert not list(block_durations_are_offered(environment(node_group=group(timedelta(days=-15)))))


class TestBlocksEndAtTheirHour:
    @pytest.mark.parametrize("minutes", [-1, 1, 60])
    def test_another_hour(self, environment, minutes):
        """All blocks end at 11:30 UTC; another time would have the nodes stopped too late."""
        (finding,) = blocks_end_at_their_hour(environment(node_group=group(timedelta(days=7, minutes=minutes))))

        assert finding.severity is Severity.WARNING
        assert finding.hint == "write 2027-03-08T11:30:00Z if that is the day"

    def test_the_hour(self, environment):
        """The hour is right in whatever zone it is written."""
        ends_at = datetime(2027, 3, 8, 20, 30, tzinfo=timezone(timedelta(hours=9)))
        assert not list(blocks_end_at_their_hour(environment(node_group=group(timedelta(7), ends_at=ends_at))))


class TestDrainsFitIntoTheBlock:
    @pytest.mark.parametrize("drain_minutes", [24 * 60 - 30, 24 * 60])
    def test_no_time_left(self, environment, drain_minutes):
        """CAP-04: jobs that are told to stop before they start do nothing; EC2 takes the last half hour as well."""
        node_group = group(timedelta(days=1), drain_minutes=drain_minutes)
        (finding,) = drains_fit_into_the_block(environment(node_group=node_group))

        assert finding.path == ("node_groups", 0, "capacity", "drain_minutes")

    @pytest.mark.parametrize(("days", "drain_minutes"), [(1, 60), (1, 24 * 60 - 31), (2, 24 * 60), (-1, 60)])
    def test_time_left(self, environment, days, drain_minutes):
        """A minute of work is left; reversed times are told by another rule."""
        node_group = group(timedelta(days=days), drain_minutes=drain_minutes)
        assert not list(drains_fit_into_the_block(environment(node_group=node_group)))
