"""The quotas that an environment needs."""

import datetime as dt

import pytest

RESERVED = {
    "type": "capacity_reservation",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 8,
    "availability_zone_id": "use2-az3",
}
BLOCK = {
    **RESERVED,
    "type": "capacity_block",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
}
TRN2 = "trn2.48xlarge"


@pytest.fixture
def needed(planned):
    """Returns the vCPUs by quota code of the plan of an environment."""
    return lambda **sections: {quota.code: quota.vcpus for quota in planned(**sections).quotas}


class TestQuotas:
    def test_on_demand(self, needed):
        """On-Demand nodes count with their vCPUs, at the largest count; system nodes against the standard quota."""
        assert needed(node_group={"node_count": 32}) == {"L-2C3B7624": 32 * 128, "L-1216C47A": 4 * 2}
        assert needed(node_group={"node_count": None, "min_count": 1, "max_count": 5})["L-2C3B7624"] == 5 * 128

    def test_spot(self, needed):
        """Spot nodes count against a quota of their own."""
        assert needed(node_group={"capacity": {"type": "spot"}, "node_count": 2}) == {
            "L-6B0D517C": 2 * 128,
            "L-1216C47A": 8,
        }

    def test_reservations_count_in_full_and_once(self, planned):
        """A reservation counts used or not, and once for all node groups that stand on it."""
        groups = [
            {"name": name, "instance_type": TRN2, "node_count": 2, "capacity": RESERVED} for name in ("one", "two")
        ]
        (trn, _) = planned(node_groups=groups).quotas

        assert (trn.code, trn.vcpus) == ("L-2C3B7624", 8 * 192)
        assert [use.user for use in trn.uses] == ["reservation cr-0123456789abcdef0"]

    def test_blocks_do_not_count(self, planned):
        """A block has limits of its own, and the plan says so."""
        plan = planned(node_group={"instance_type": TRN2, "node_count": 8, "capacity": BLOCK})
        (decision,) = (each for each in plan.decisions if each.path == "node_groups[0].quota")

        assert [quota.code for quota in plan.quotas] == ["L-1216C47A"]
        assert decision.value == "not counted"

    def test_several_groups_are_added_up(self, planned):
        """Groups of one quota stand in one row, with what each of them counts."""
        groups = [
            {"name": "one", "node_count": 2},
            {"name": "two", "instance_type": "trn1.2xlarge", "node_count": 3},
            {"name": "none", "node_count": 0},
        ]
        (trn, _) = planned(node_groups=groups).quotas

        assert trn.vcpus == 2 * 128 + 3 * 8
        assert [(use.user, use.count, use.vcpus_each) for use in trn.uses] == [
            ("node group one", 2, 128),
            ("node group two", 3, 8),
        ]
        assert trn.name == "Running On-Demand Trn instances"

    def test_unknown_system_type(self, needed):
        """Of a type that is not in the catalog nothing is counted."""
        assert set(needed(system_node_group={"instance_type": "x2iezn.large"})) == {"L-2C3B7624"}


class TestFunctions:
    @pytest.mark.parametrize(("delivery", "values"), [("cdk", ["8 functions at once"]), ("gitops", [])])
    def test_quota_of_functions(self, planned, delivery, values):
        """What works in the cluster runs as functions, whose quota a new account may find too small."""
        plan = planned(kubernetes={"delivery": delivery})
        found = [each for each in plan.decisions if "L-B99A9384" in each.reason]

        assert [each.value for each in found] == values
