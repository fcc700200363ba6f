from datetime import UTC, datetime, timedelta, timezone

import pytest

from trnstack.findings import Severity
from trnstack.rules.capacity_blocks import (
    block_durations_are_offered,
    blocks_are_of_a_size_that_is_sold,
    blocks_end_after_they_start,
    blocks_end_at_their_hour,
    blocks_start_their_nodes,
    drains_fit_into_the_block,
    one_ultraserver_is_one_reservation,
    ultraserver_blocks_are_whole,
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


GROUP_ARN = "arn:aws:resource-groups:ap-south-2:111122223333:group/blocks"


def ultraserver(**capacity: object):
    """Returns a node group of one Trn2 UltraServer."""
    return {
        **group(timedelta(days=7), **{"instance_count": 4, **capacity}),
        "instance_type": "trn2u.48xlarge",
        "ultraserver": {"config": 4},
        "node_count": 4,
    }


class TestBlocksStartTheirNodes:
    def test_by_hand(self, environment):
        """CAP-03: Nodes that nobody starts cost as much as those that run."""
        (finding,) = blocks_start_their_nodes(environment(node_group=group(timedelta(days=7), scale_up="by_hand")))

        assert finding.severity is Severity.WARNING
        assert "ScaleUpCommand" in finding.hint

    def test_by_schedule(self, environment):
        """The default starts them."""
        assert not list(blocks_start_their_nodes(environment(node_group=group(timedelta(days=7)))))


class TestUltraserverBlocksAreWhole:
    @pytest.mark.parametrize(("instances", "hint"), [(6, "4 or 8"), (3, "4"), (1, "4")])
    def test_parts(self, environment, instances, hint):
        """An UltraServer is sold as a whole, of four instances."""
        (finding,) = ultraserver_blocks_are_whole(environment(node_group=ultraserver(instance_count=instances)))

        assert finding.hint == f"write instance_count: {hint}"

    @pytest.mark.parametrize("instances", [4, 8])
    def test_whole(self, environment, instances):
        """Whole ones may be several."""
        assert not list(ultraserver_blocks_are_whole(environment(node_group=ultraserver(instance_count=instances))))

    def test_instances_alone(self, environment):
        """Other nodes are sold one by one."""
        assert not list(ultraserver_blocks_are_whole(environment(node_group=group(timedelta(7), instance_count=3))))


class TestOneUltraserverIsOneReservation:
    def test_several_in_a_resource_group(self, environment):
        """Four nodes out of a resource group of eight may stand in two UltraServers."""
        capacity = {"capacity_reservation_id": None, "capacity_reservation_resource_group_arn": GROUP_ARN}
        (finding,) = one_ultraserver_is_one_reservation(
            environment(node_group=ultraserver(instance_count=8, **capacity))
        )

        assert finding.severity is Severity.WARNING
        assert "capacity_reservation_id" in finding.hint

    def test_one_in_a_resource_group(self, environment):
        """One UltraServer's reservations behind one resource group are all of them its own."""
        capacity = {"capacity_reservation_id": None, "capacity_reservation_resource_group_arn": GROUP_ARN}
        assert not list(one_ultraserver_is_one_reservation(environment(node_group=ultraserver(**capacity))))

    def test_by_id(self, environment):
        """A reservation named by its id is one."""
        assert not list(one_ultraserver_is_one_reservation(environment(node_group=ultraserver(instance_count=8))))


class TestBlocksAreOfASizeThatIsSold:
    def test_too_large(self, environment):
        """One block ends at 64 instances."""
        (finding,) = blocks_are_of_a_size_that_is_sold(environment(node_group=group(timedelta(7), instance_count=65)))

        assert "resource group" in finding.hint

    def test_several_blocks(self, environment):
        """Behind a resource group there may be more."""
        several = {"capacity_reservation_id": None, "capacity_reservation_resource_group_arn": GROUP_ARN}
        large = group(timedelta(7), instance_count=128, **several)
        assert not list(blocks_are_of_a_size_that_is_sold(environment(node_group=large)))

    def test_one_block(self, environment):
        """64 are sold."""
        assert not list(
            blocks_are_of_a_size_that_is_sold(environment(node_group=group(timedelta(7), instance_count=64)))
        )
