from datetime import UTC, datetime

import pytest

from trnstack.catalog import INSTANCE_TYPES
from trnstack.findings import Severity
from trnstack.rules.capacity import (
    counts_fit_the_reservation,
    groups_fit_into_the_reservation_they_share,
    node_groups_fit_the_quotas,
    on_demand_capacity_exists,
    placement_groups_are_in_one_zone,
    reservations_are_in_the_nodes_zone,
    reservations_are_used_in_full,
    reservations_have_one_name,
    shared_reservations_are_described_alike,
    types_have_the_usage_class,
)

ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/blocks"


def reservation(**changes: object):
    return {
        "type": "capacity_reservation",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "instance_count": 2,
        "availability_zone_id": "use2-az3",
        **changes,
    }


def block(**changes: object):
    return reservation(type="capacity_block", starts_at=time(1), ends_at=time(8), **changes)


def time(day):
    return datetime(2027, 3, day, 11, 30, tzinfo=UTC)


#: What EC2 offers of each type, written out a second time so that a slip in the catalog is seen.
REFUSED = {
    "trn1.2xlarge": {"capacity_block"},
    "trn1.32xlarge": set(),
    "trn1n.32xlarge": {"capacity_block"},
    "trn2.3xlarge": set(),
    "trn2.48xlarge": set(),
    "trn2u.48xlarge": {"spot"},
}
CAPACITIES = {
    "on_demand": {"type": "on_demand"},
    "spot": {"type": "spot"},
    "capacity_reservation": reservation(),
    "capacity_block": block(),
}


class TestTypesHaveTheUsageClass:
    @pytest.mark.parametrize("name", INSTANCE_TYPES)
    @pytest.mark.parametrize("way", CAPACITIES)
    def test_every_way(self, environment, name, way):
        """CAP-06: trn1n has no capacity blocks, trn2u no spot; each type is taken in exactly its ways."""
        group = {"instance_type": name, "capacity": CAPACITIES[way]}
        findings = list(types_have_the_usage_class(environment(node_group=group)))

        assert bool(findings) == (way in REFUSED[name])
        for finding in findings:
            assert finding.message == f"{name} can't be had as {way}"
            assert way not in finding.hint
            assert "on_demand" in finding.hint


class TestReservationsAreInTheNodesZone:
    @pytest.mark.parametrize("capacity", [reservation(), block()])
    @pytest.mark.parametrize("zone", [{"availability_zone_id": "use2-az1"}, {}])
    def test_another_zone(self, environment, capacity, zone):
        """CAP-05: a reservation of another zone than the nodes' is never used, be the zone written or default."""
        group = {"capacity": {**capacity, "availability_zone_id": "use2-az2"}, **zone}
        (finding,) = reservations_are_in_the_nodes_zone(environment(node_group=group))

        assert finding.path == ("node_groups", 0, "capacity", "availability_zone_id")
        assert finding.hint == "write availability_zone_id: use2-az2 on the node group"

    @pytest.mark.parametrize("zone_id", ["use2-az3", "use2-az1"])
    def test_same_zone(self, environment, zone_id):
        """A node group may stand in any zone of the list, with its reservation."""
        group = {"capacity": reservation(availability_zone_id=zone_id), "availability_zone_id": zone_id}
        assert not list(reservations_are_in_the_nodes_zone(environment(node_group=group)))

    def test_no_reservation(self, environment):
        """On-demand nodes have none."""
        assert not list(reservations_are_in_the_nodes_zone(environment()))


class TestCountsFitTheReservation:
    @pytest.mark.parametrize("capacity", [reservation(instance_count=4), block(instance_count=4)])
    @pytest.mark.parametrize(
        ("size", "field"),
        [({"node_count": 5}, "node_count"), ({"node_count": None, "min_count": 0, "max_count": 8}, "max_count")],
    )
    def test_too_many(self, environment, capacity, size, field):
        """CAP-05: the nodes beyond the reserved ones never start, and the group stays degraded."""
        (finding,) = counts_fit_the_reservation(environment(node_group={"capacity": capacity, **size}))

        assert finding.path == ("node_groups", 0, field)
        assert finding.hint == f"write {field}: 4 or less"

    @pytest.mark.parametrize("count", [0, 1, 4])
    def test_fits(self, environment, count):
        """The reserved number is the most, not the only one."""
        group = {"capacity": reservation(instance_count=4), "node_count": count}
        assert not list(counts_fit_the_reservation(environment(node_group=group)))


class TestReservationsAreUsedInFull:
    @pytest.mark.parametrize("count", [0, 1, 15])
    def test_idle(self, environment, count):
        """COST-01: reserved instances that no node group can use are paid for all the same, all of them at count 0."""
        group = {"capacity": reservation(instance_count=16), "node_count": count}
        (finding,) = reservations_are_used_in_full(environment(node_group=group))

        assert finding.severity is Severity.WARNING
        assert finding.message == f"{16 - count} of 16 reserved instances are paid for and never used"

    def test_two_groups_use_it(self, environment):
        """COST-01: node groups that share a reservation use it together."""
        capacity = reservation(instance_count=4)
        groups = [{"name": "a1", "capacity": capacity}, {"name": "b1", "capacity": capacity}]
        assert not list(reservations_are_used_in_full(environment(node_groups=groups)))

    def test_no_size(self, environment):
        """A group whose size is missing is told about that, not about idle instances."""
        group = {"capacity": reservation(), "node_count": None}
        assert not list(reservations_are_used_in_full(environment(node_group=group)))


class TestReservationsHaveOneName:
    @pytest.mark.parametrize(
        ("names", "message"),
        [
            ({"capacity_reservation_id": None}, "the reservation has no name"),
            ({"capacity_reservation_resource_group_arn": ARN}, "the reservation has two names"),
        ],
    )
    @pytest.mark.parametrize("capacity", [reservation(), block()])
    def test_none_or_two(self, environment, capacity, names, message):
        """EC2 takes one of the two ways to name a reservation."""
        (finding,) = reservations_have_one_name(environment(node_group={"capacity": {**capacity, **names}}))

        assert finding.message == message

    @pytest.mark.parametrize(
        "names", [{}, {"capacity_reservation_id": None, "capacity_reservation_resource_group_arn": ARN}]
    )
    def test_one(self, environment, names):
        """Either way alone is enough."""
        assert not list(reservations_have_one_name(environment(node_group={"capacity": reservation(**names)})))


class TestGroupsFitIntoTheReservationTheyShare:
    def test_too_many_together(self, environment):
        """Two node groups that fit one by one do not fit together."""
        capacity = reservation(instance_count=3)
        groups = [{"name": "a1", "capacity": capacity}, {"name": "b1", "capacity": capacity}]
        (finding,) = groups_fit_into_the_reservation_they_share(environment(node_groups=groups))

        assert finding.message == "a1, b1 may have 4 nodes together, and share 3 reserved instances"

    @pytest.mark.parametrize("count", [4, 5])
    def test_fits(self, environment, count):
        """As many as are reserved fit."""
        capacity = reservation(instance_count=count)
        groups = [{"name": "a1", "capacity": capacity}, {"name": "b1", "capacity": capacity}]
        assert not list(groups_fit_into_the_reservation_they_share(environment(node_groups=groups)))

    def test_one_group_alone(self, environment):
        """A group that is too large by itself is told once, by another rule."""
        group = {"capacity": reservation(instance_count=1)}
        assert not list(groups_fit_into_the_reservation_they_share(environment(node_group=group)))


class TestSharedReservationsAreDescribedAlike:
    @pytest.mark.parametrize(
        "other",
        [
            {"capacity": reservation(instance_count=3)},
            {"capacity": reservation(availability_zone_id="use2-az1")},
            {"capacity": reservation(), "instance_type": "trn1.2xlarge"},
            {"capacity": block()},
        ],
    )
    def test_different(self, environment, other):
        """One reservation has one type, one zone and one number of instances."""
        groups = [{"name": "a1", "capacity": reservation()}, {"name": "b1", **other}]
        (finding,) = shared_reservations_are_described_alike(environment(node_groups=groups))

        assert finding.path == ("node_groups", 1, "capacity")

    @pytest.mark.parametrize("number", ["0", "1"])
    def test_alike_or_another(self, environment, number):
        """The same words, or another reservation, are fine."""
        other = reservation(capacity_reservation_id=f"cr-0123456789abcdef{number}")
        groups = [{"name": "a1", "capacity": reservation()}, {"name": "b1", "capacity": other}]
        assert not list(shared_reservations_are_described_alike(environment(node_groups=groups)))


class TestOnDemandCapacityExists:
    def test_trn2u(self, environment):
        """Whoever waits for an UltraServer on demand waits long."""
        (finding,) = on_demand_capacity_exists(environment(node_group={"instance_type": "trn2u.48xlarge"}))

        assert finding.severity is Severity.WARNING

    @pytest.mark.parametrize(
        "group",
        [{}, {"instance_type": "trn2.48xlarge"}, {"instance_type": "trn2u.48xlarge", "capacity": reservation()}],
    )
    def test_others(self, environment, group):
        """Other types, and reserved UltraServers, can be had."""
        assert not list(on_demand_capacity_exists(environment(node_group=group)))


class TestPlacementGroupsAreInOneZone:
    def test_two_zones(self, environment):
        """EFA-12: a cluster placement group can't span zones."""
        groups = [
            {"name": "a1", "placement_group": "near"},
            {"name": "b1", "placement_group": "near", "availability_zone_id": "use2-az1"},
        ]
        (finding,) = placement_groups_are_in_one_zone(environment(node_groups=groups))

        assert finding.path == ("node_groups", 1, "placement_group")

    @pytest.mark.parametrize(
        ("one", "other", "zone_id"),
        [
            ("near", "near", "use2-az3"),
            ("near", "far", "use2-az1"),
            ("auto", "auto", "use2-az1"),
            ("none", "none", "use2-az1"),
        ],
    )
    def test_one_zone(self, environment, one, other, zone_id):
        """PG-05: a named group may be shared in its zone; groups of the toolkit's own are never shared."""
        groups = [
            {"name": "a1", "placement_group": one},
            {"name": "b1", "placement_group": other, "availability_zone_id": zone_id},
        ]
        assert not list(placement_groups_are_in_one_zone(environment(node_groups=groups)))


class TestNodeGroupsFitTheQuotas:
    def test_too_many_groups(self, environment):
        """The quota counts the system node group in, and is named with its code."""
        groups = [{"name": f"trn{number}"} for number in range(30)]
        (finding,) = node_groups_fit_the_quotas(environment(node_groups=groups))

        assert finding.severity is Severity.WARNING
        assert "L-6D54EA21" in finding.hint

    def test_too_many_nodes(self, environment):
        """So is that of nodes in a group."""
        (finding,) = node_groups_fit_the_quotas(environment(node_group={"node_count": 451}))

        assert "L-BD136A63" in finding.hint

    def test_as_many_as_fit(self, environment):
        """Twenty-nine groups of 450 nodes fit."""
        groups = [{"name": f"trn{number}", "node_count": 450} for number in range(29)]
        assert not list(node_groups_fit_the_quotas(environment(node_groups=groups)))
