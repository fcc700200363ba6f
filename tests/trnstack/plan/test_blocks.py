"""What happens at the times of a Capacity Block."""

import datetime as dt
import json

import pytest

BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 4,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
}
GROUP = {"instance_type": "trn2.48xlarge", "node_count": 4}
GROUP_ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/blocks"


@pytest.fixture
def made(planned):
    """Returns a builder of the plan of one node group in a block, whose parts a test changes."""

    def build(group=(), **capacity: object):
        plan = planned(node_group={**GROUP, **dict(group), "capacity": {**BLOCK, **capacity}})
        (only,) = plan.node_groups
        return only

    return build


def schedule(group, name):
    return next(each for each in group.block.schedules if each.name == name)


class TestSchedules:
    def test_times(self, made):
        """CAP-03, CAP-04: Nodes start with the block, jobs are told to stop, nodes go before EC2 takes them."""
        assert [(each.name, each.at) for each in made().block.schedules] == [
            ("scale-up", "2027-03-01T11:30:00"),
            ("notice", "2027-03-08T10:00:00"),
            ("event", "2027-03-08T10:00:00"),
            ("scale-down", "2027-03-08T10:50:00"),
        ]

    def test_calls(self, made):
        """Calls name cluster and node group in the SDK's capitals, and no largest or smallest size."""
        group = made()

        assert json.loads(schedule(group, "scale-up").input) == {
            "ClusterName": "demo",
            "NodegroupName": "trn1",
            "ScalingConfig": {"DesiredSize": 4},
        }
        assert json.loads(schedule(group, "scale-down").input)["ScalingConfig"] == {"DesiredSize": 0}

    def test_a_fleet_that_may_grow_starts_whole(self, made):
        """All of a block is paid for, so as many nodes start as the group may have."""
        group = made({"node_count": None, "min_count": 1, "max_count": 3})

        assert schedule(group, "scale-up").desired_size == 3
        assert group.block.node_count == 3

    def test_event(self, made):
        """The event carries what a program needs to hold back jobs."""
        assert json.loads(schedule(made(), "event").input) == {
            "environment": "demo",
            "node_group": "trn1",
            "scale_down_at": "2027-03-08T10:50:00Z",
            "termination_starts_at": "2027-03-08T11:00:00Z",
            "ends_at": "2027-03-08T11:30:00Z",
        }

    def test_notice(self, made):
        """The message says what ends when, and what to do."""
        message = schedule(made(), "notice").input

        assert "node group trn1 in demo ends at 2027-03-08T11:30:00Z" in message
        assert "checkpoint" in message

    def test_by_hand(self, made, planned):
        """A block that has begun gets no schedule in the past, and the plan says how its nodes start."""
        group = made(scale_up="by_hand")
        capacity = {**BLOCK, "scale_up": "by_hand"}
        decisions = {each.path: each for each in planned(node_group={**GROUP, "capacity": capacity}).decisions}

        assert [each.name for each in group.block.schedules] == ["notice", "event", "scale-down"]
        assert decisions["node_groups[0].capacity.scale-up"].value == "by hand"
        assert group.block.scale_up_command in decisions["node_groups[0].capacity.scale-up"].reason

    def test_command(self, made):
        """One command starts the nodes by hand."""
        assert made().block.scale_up_command == (
            "aws eks update-nodegroup-config --region us-east-2 --cluster-name demo --nodegroup-name trn1"
            " --scaling-config desiredSize=4"
        )

    def test_extension_changes_times_alone(self, made):
        """A block that is extended moves what is to come, and neither its start nor anything of its nodes."""
        before, after = made(), made(ends_at=BLOCK["ends_at"] + dt.timedelta(days=7))

        assert schedule(after, "scale-down").at == "2027-03-15T10:50:00"
        assert schedule(after, "scale-up") == schedule(before, "scale-up")
        assert (after.scaling, after.launch_template, after.labels) == (
            before.scaling,
            before.launch_template,
            before.labels,
        )

    def test_every_time_has_its_reason(self, planned):
        """The plan tells when what happens, and why then."""
        decisions = {each.path: each for each in planned(node_group={**GROUP, "capacity": BLOCK}).decisions}

        assert decisions["node_groups[0].capacity.scale-up"].value == "2027-03-01T11:30:00Z"
        assert decisions["node_groups[0].capacity.scale-down"].value == "2027-03-08T10:50:00Z"
        assert "10 minutes before EC2" in decisions["node_groups[0].capacity.scale-down"].reason


class TestNodeGroup:
    def test_capacity(self, made):
        """CAP-03, NG-06: No node before a schedule, room for the block, MINIMAL updates, the block in the template."""
        group = made()
        scaling, template = group.scaling, group.launch_template

        assert group.capacity_type == "CAPACITY_BLOCK"
        assert (scaling.minimum, scaling.desired, scaling.maximum) == (0, 0, 4)
        assert group.update_strategy == "MINIMAL"
        assert (template.market_type, template.capacity_reservation_id) == ("capacity-block", "cr-0123456789abcdef0")
        assert template.placement_group == "none"
        assert group.addresses.surge_nodes == 0

    def test_an_edit_of_the_count_leaves_the_group_alone(self, made):
        """CloudFormation sends desired 0 with any other size, so the sizes don't follow the count."""
        assert made({"node_count": 2}).scaling == made().scaling

    def test_resource_group(self, made):
        """Several reservations go by their resource group, which has no figures of its own to watch."""
        group = made(capacity_reservation_id=None, capacity_reservation_resource_group_arn=GROUP_ARN)

        assert group.launch_template.capacity_reservation_resource_group_arn == GROUP_ARN
        assert group.launch_template.capacity_reservation_id is None
        assert group.block.capacity_reservation_id is None

    def test_idle_instances_that_are_meant(self, made, planned):
        """What no node group asks for may stand idle without an alarm; groups that share a block are added up."""
        assert made({"node_count": 3}).block.unused_instances == 1
        groups = [
            {**GROUP, "name": name, "node_count": count, "capacity": BLOCK} for name, count in (("one", 1), ("two", 2))
        ]
        plan = planned(node_groups=groups)

        assert [group.block.unused_instances for group in plan.node_groups] == [1, 1]

    def test_other_capacity_has_no_times(self, planned):
        """Without a block nothing happens by itself."""
        (group,) = planned().node_groups

        assert group.block is None
        assert group.launch_template.market_type is None


class TestUltraserver:
    def test_labels_and_size(self, planned):
        """One group is one UltraServer: its nodes say which, and it never holds more than one."""
        zones = ["aps2-az1", "aps2-az2"]
        capacity = {**BLOCK, "availability_zone_id": "aps2-az1", "instance_count": 8}
        group = {
            "name": "ultra",
            "instance_type": "trn2u.48xlarge",
            "node_count": 4,
            "ultraserver": {"config": 4},
            "labels": {"team": "ml"},
            "capacity": capacity,
        }
        plan = planned(region="ap-south-2", availability_zone_ids=zones, node_group=group)
        (made,) = plan.node_groups

        assert made.labels == {
            "team": "ml",
            "trnstack/neuron": "true",
            "trnstack/node-group": "ultra",
            "trnstack/efa": "true",
            "trnstack/ultraserver": "ultra",
            "trnstack/ultraserver-config": "4",
        }
        assert made.scaling.maximum == 4
        assert "node_groups[0].ultraserver" in {each.path for each in plan.decisions}
