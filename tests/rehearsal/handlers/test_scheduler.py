"""Schedules and their groups."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal import clock


@pytest.fixture
def group(make):
    return make("AWS::Scheduler::ScheduleGroup", "Group")


@pytest.fixture
def schedule(make, group, network):
    """A schedule that scales a node group up."""
    target = {
        "Arn": "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig",
        "RoleArn": network.role_arn,
        "Input": json.dumps({"ClusterName": "demo", "NodegroupName": "trn1", "ScalingConfig": {"DesiredSize": 4}}),
        "RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 10},
    }
    return make(
        "AWS::Scheduler::Schedule",
        "Up",
        Name="scale-up",
        GroupName=group.physical_id,
        ScheduleExpression="at(2027-03-01T11:30:00)",
        ScheduleExpressionTimezone="UTC",
        FlexibleTimeWindow={"Mode": "OFF"},
        State="ENABLED",
        Target=target,
    )


def stands(client, group):
    return [one["Name"] for one in client("scheduler").list_schedules(GroupName=group.physical_id)["Schedules"]]


class TestSchedule:
    def test_made(self, client, group, schedule):
        """Ref is the name; the ARN is an attribute; the target is as it was given."""
        found = client("scheduler").get_schedule(GroupName=group.physical_id, Name="scale-up")

        assert schedule.physical_id == "scale-up"
        assert schedule.attributes["Arn"] == found["Arn"]
        assert found["Target"]["RetryPolicy"]["MaximumRetryAttempts"] == 10

    def test_changed(self, client, group, schedule, change):
        """Another time is given to the service with all the rest, which it would forget."""
        change(schedule, ScheduleExpression="at(2027-03-02T11:30:00)")
        found = client("scheduler").get_schedule(GroupName=group.physical_id, Name="scale-up")

        assert found["ScheduleExpression"] == "at(2027-03-02T11:30:00)"
        assert found["Target"] == {**schedule.properties["Target"]}

    def test_unchanged_one_that_is_past(self, schedule, change, monkeypatch):
        """A deploy that changes nothing of a schedule leaves it alone, even when its time is past."""
        monkeypatch.setenv(clock.VARIABLE, "2027-03-05T00:00:00Z")
        change(schedule)

        with pytest.raises(ClientError, match="in the past"):
            change(schedule, Description="another")

    def test_gone(self, client, group, schedule, drop):
        """A schedule goes, and the group after it; going twice is no error."""
        drop(schedule)
        assert stands(client, group) == []
        drop(schedule)
        drop(group)


class TestGroup:
    def test_name(self, group):
        """A group without a name gets one."""
        assert group.physical_id.startswith("demo-Group-")
        assert group.attributes["Arn"].endswith(f"schedule-group/{group.physical_id}")
