"""Field cases of capacity blocks: nothing starts before a block does, and nothing is left running at its end."""

import datetime as dt

import pytest

from trnstack.findings import InvalidEnvironmentError

ENDS_AT = dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC)
BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 32,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": ENDS_AT,
    "drain_minutes": 60,
}


@pytest.fixture(scope="module")
def nodes(variant):
    """The template of a node group that stands on a capacity block."""
    return variant("llama3-8b-trn1", node_group={"capacity": BLOCK})["llama3-8b-nodes-trn1"]


def schedules(nodes):
    """Returns the times of the schedules by their names."""
    return {
        made["Name"]: dt.datetime.fromisoformat(made["ScheduleExpression"].removeprefix("at(").removesuffix(")"))
        for made in nodes.properties("AWS::Scheduler::Schedule")
    }


class TestCapacityBlock:
    def test_starts_with_no_nodes(self, nodes):
        """CAP-03: The group is made with no nodes whatever the date, no larger than the block, and grows with it."""
        scaling = nodes.one("AWS::EKS::Nodegroup")["ScalingConfig"]

        assert (scaling["MinSize"], scaling["DesiredSize"], scaling["MaxSize"]) == (0, 0, BLOCK["instance_count"])
        assert schedules(nodes)["scale-up"] == BLOCK["starts_at"].replace(tzinfo=None)

    def test_updates_need_no_surge(self, nodes):
        """CAP-03: An update asks for no instance beyond the block's, of which there is none."""
        assert nodes.one("AWS::EKS::Nodegroup")["UpdateConfig"]["UpdateStrategy"] == "MINIMAL"

    def test_ends_before_ec2_ends_it(self, nodes):
        """CAP-04: Jobs are told drain_minutes before EC2 starts to terminate, and nodes go before it does."""
        terminates_at = ENDS_AT.replace(tzinfo=None) - dt.timedelta(minutes=30)
        times = schedules(nodes)

        assert times["notice"] == terminates_at - dt.timedelta(minutes=BLOCK["drain_minutes"])
        assert times["notice"] < times["scale-down"] < terminates_at

    def test_market(self, nodes):
        """CAP-02: The launch template asks for the block, which is the one market that EKS takes there."""
        launch = nodes.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
        target = launch["CapacityReservationSpecification"]["CapacityReservationTarget"]

        assert launch["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
        assert target == {"CapacityReservationId": BLOCK["capacity_reservation_id"]}
        assert nodes.one("AWS::EKS::Nodegroup")["CapacityType"] == "CAPACITY_BLOCK"

    def test_no_placement_group_of_ones_own(self, nodes):
        """PG-02: AWS places a block's instances together; no placement group is made that they were not sold in."""
        assert not nodes.of("AWS::EC2::PlacementGroup")
        assert "Placement" not in nodes.one("AWS::EC2::LaunchTemplate")["LaunchTemplateData"]

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"availability_zone_id": "use2-az1"}, "CAP002"),
            ({"instance_count": 16}, "CAP003"),
            ({"ends_at": BLOCK["starts_at"]}, "CAP011"),
        ],
    )
    def test_what_does_not_fit(self, variant, change, code):
        """CAP-05: A block in another zone, too small, or with its times mixed up is a finding before any template."""
        with pytest.raises(InvalidEnvironmentError, match=code):
            variant("llama3-8b-trn1", node_group={"capacity": {**BLOCK, **change}})
