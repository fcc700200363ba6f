"""EventBridge Scheduler's refusals, which moto does not make."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal import clock

CALL = {"ClusterName": "demo", "NodegroupName": "trn1", "ScalingConfig": {"DesiredSize": 4}}
TARGET = "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig"


@pytest.fixture
def schedule(client, network):
    """Returns what makes or, by another operation, changes a schedule."""

    def put(operation="create_schedule", *, arn=TARGET, call=CALL, **changes: object):
        text = call if isinstance(call, str) else json.dumps(call)
        target = {"Arn": arn, "RoleArn": network.role_arn, "Input": text}
        parameters = {
            "Name": "scale-up",
            "ScheduleExpression": "at(2027-03-01T11:30:00)",
            "ScheduleExpressionTimezone": "UTC",
            "FlexibleTimeWindow": {"Mode": "OFF"},
            "Target": target,
            **changes,
        }
        return getattr(client("scheduler"), operation)(**parameters)

    return put


class TestExpressions:
    @pytest.mark.parametrize(
        "expression", ["at(2027-03-01T11:30:00)", "rate(5 minutes)", "rate(1 day)", "cron(0 20 ? * MON-FRI *)"]
    )
    def test_taken(self, schedule, expression):
        """The three documented forms are taken."""
        assert schedule(ScheduleExpression=expression)["ScheduleArn"].endswith("schedule/default/scale-up")

    @pytest.mark.parametrize(
        "expression",
        [
            "at(2027-03-01T11:30:00Z)",
            "at(2027-03-01T11:30)",
            "at(2027-02-30T11:30:00)",
            "at(tomorrow)",
            "rate(0 minutes)",
            "rate(5 fortnights)",
            "cron(0 20 * * *)",
            "every Monday",
            "at(0001-01-01T00:00:00)",
            "rate(99999999999999999999 days)",
            "cron(0 20 ? * FOO *)",
        ],
    )
    def test_nonsense(self, schedule, expression):
        """A suffix, a day that is none, another unit or five cron fields are refused."""
        with pytest.raises(ClientError, match="Invalid Schedule Expression"):
            schedule(ScheduleExpression=expression)

    def test_past(self, schedule):
        """CAP-03: A one-time schedule in the past is refused."""
        with pytest.raises(ClientError, match=r"ValidationException.*in the past"):
            schedule(ScheduleExpression="at(2026-11-30T23:59:59)")

    def test_past_in_its_own_zone(self, schedule):
        """The time counts in the schedule's zone: it is past in Tokyo before it is in UTC."""
        with pytest.raises(ClientError, match="in the past"):
            schedule(ScheduleExpression="at(2026-12-01T08:00:00)", ScheduleExpressionTimezone="Asia/Tokyo")
        assert schedule(ScheduleExpression="at(2026-12-01T08:00:00)")

    def test_beyond_all_calendars(self, schedule):
        """A wall time that is no moment in its zone is refused."""
        with pytest.raises(ClientError, match="Invalid Schedule Expression"):
            schedule(ScheduleExpression="at(9999-12-31T23:59:59)", ScheduleExpressionTimezone="America/New_York")

    def test_zone(self, schedule):
        """A zone that nobody knows is refused."""
        with pytest.raises(ClientError, match="Timezone"):
            schedule(ScheduleExpressionTimezone="Mars/Olympus")

    def test_update_of_one_that_is_past(self, schedule, monkeypatch):
        """A schedule that has run stays as it is, and can't be changed without a new time."""
        schedule()
        monkeypatch.setenv(clock.VARIABLE, "2027-03-02T00:00:00Z")

        with pytest.raises(ClientError, match="in the past"):
            schedule("update_schedule", call={**CALL, "ScalingConfig": {"DesiredSize": 2}})


class TestTargets:
    @pytest.mark.parametrize(
        ("arn", "match"),
        [
            ("arn:aws:scheduler:::aws-sdk:ekz:updateNodegroupConfig", "not a supported service"),
            ("arn:aws:scheduler:::aws-sdk:eks:resizeNodegroup", "not a supported api"),
            ("arn:aws:scheduler:::aws-sdk:eks:describeNodegroup", "describeNodegroup API is not supported."),
        ],
    )
    def test_calls_that_nobody_has(self, schedule, arn, match):
        """A universal target is a call of an AWS SDK that changes something."""
        with pytest.raises(ClientError, match=match):
            schedule(arn=arn)

    def test_lower_case_parameters(self, schedule):
        """The input has the SDK's capitals, and not those of the service's own API."""
        with pytest.raises(ClientError, match="the required parameter ClusterName is missing"):
            schedule(call={"clusterName": "demo", "nodegroupName": "trn1"})

    @pytest.mark.parametrize(
        ("call", "parameters"),
        [
            ("rds:stopDBInstance", {"DbInstanceIdentifier": "one"}),
            ("rds:stopDBInstance", {"DBInstanceIdentifier": "one"}),
            ("sfn:startExecution", {"StateMachineArn": "arn:aws:states:us-east-2:123456789012:stateMachine:one"}),
            (
                "applicationautoscaling:deregisterScalableTarget",
                {
                    "ServiceNamespace": "ecs",
                    "ResourceId": "service/one/two",
                    "ScalableDimension": "ecs:service:DesiredCount",
                },
            ),
        ],
    )
    def test_names_of_the_sdk_for_java(self, schedule, call, parameters):
        """Services and parameters are called what the SDK for Java calls them."""
        assert schedule(arn=f"arn:aws:scheduler:::aws-sdk:{call}", call=parameters)

    def test_parameter_that_is_missing(self, schedule):
        """A parameter is missed under the SDK's name."""
        with pytest.raises(ClientError, match="the required parameter DbInstanceIdentifier is missing"):
            schedule(arn="arn:aws:scheduler:::aws-sdk:rds:stopDBInstance", call={})

    @pytest.mark.parametrize("call", ["desired=4", "[" * 100_000])
    def test_no_json(self, schedule, call):
        """The input of a call is JSON."""
        with pytest.raises(ClientError, match="valid JSON"):
            schedule(call=call)

    @pytest.mark.parametrize("call", ["5", "null", "[]", "[{}]", '"x"'])
    def test_no_parameters(self, schedule, call):
        """And an object, that names parameters."""
        with pytest.raises(ClientError, match=r"ValidationException.*Invalid RequestJson provided"):
            schedule(call=call)

    @pytest.mark.parametrize("arn", ["x", "a:b", "arn:aws:sqs:us-east-2:123456789012"])
    def test_no_arn(self, schedule, arn):
        """A target that is no ARN is refused."""
        with pytest.raises(ClientError, match=r"ValidationException.*Provided Arn is not in correct format"):
            schedule(arn=arn)

    def test_queue_that_is_none(self, schedule, network):
        """A queue for dead letters that is none is refused at once, and not when a call fails."""
        queue = {"Arn": "arn:aws:sns:us-east-2:123456789012:notices"}
        target = {"Arn": TARGET, "RoleArn": network.role_arn, "Input": json.dumps(CALL), "DeadLetterConfig": queue}

        with pytest.raises(ClientError, match=r"ValidationException.*'target.deadLetterConfig.arn' failed to satisfy"):
            schedule(Target=target)

    def test_a_message_is_any_text(self, schedule):
        """A topic gets whatever it is given."""
        assert schedule(arn="arn:aws:sns:us-east-2:123456789012:notices", call="The block is ending")

    def test_role(self, schedule, network):
        """The role has to stand."""
        target = {"Arn": TARGET, "RoleArn": f"{network.role_arn}x", "Input": json.dumps(CALL)}

        with pytest.raises(ClientError, match="execution role"):
            schedule(Target=target)

    def test_group(self, schedule):
        """So has the group."""
        with pytest.raises(ClientError, match="Schedule group blocks does not exist"):
            schedule(GroupName="blocks")
