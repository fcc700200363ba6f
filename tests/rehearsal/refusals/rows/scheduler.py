"""What EventBridge Scheduler refuses of schedules."""

import json
from typing import Any

from tests.rehearsal.refusals.bases import trust
from tests.rehearsal.refusals.harness import Resources, Row, att, changed, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/scheduler, pf-scheduler-"
_CALL = {"ClusterName": "demo", "NodegroupName": "trn1", "ScalingConfig": {"DesiredSize": 4}}


def schedule(arn: str = "arn:aws:scheduler:::aws-sdk:eks:updateNodegroupConfig", **properties: Any) -> Resources:
    """A schedule that scales a node group every evening, and the role that it takes."""
    made = {
        "ScheduleExpression": "cron(0 20 ? * MON-FRI *)",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "Target": {"Arn": arn, "RoleArn": att("Role", "Arn"), "Input": json.dumps(_CALL)},
        **properties,
    }
    return {
        "Role": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trust("scheduler.amazonaws.com")),
        "Schedule": resource("AWS::Scheduler::Schedule", **made),
    }


def row(name: str, bad: Resources, words: str, source: str) -> Row:
    """Gives a row of a schedule."""
    return Row(
        name=f"schedule-{name}",
        good=schedule(),
        bad=bad,
        refused="Schedule",
        code="ValidationException",
        words=words,
        source=source,
    )


def at(name: str, expression: str, source: str = f"{_MEASURED}schedule-expression") -> Row:
    """Gives a row whose mistake is when the schedule is due."""
    return row(name, schedule(ScheduleExpression=expression), "Invalid Schedule Expression", source)


ROWS = (
    at("in-the-past", "at(2020-01-01T00:00:00)", "docs/adr/0004"),
    at("nonsense", "when(ready)"),
    at("on-every-day-twice-told", "cron(0 20 * * * *)"),
    at("at-hour-25", "cron(0 25 * * ? *)"),
    at("with-four-fields", "cron(0 20 * ?)"),
    at("at-no-rate", "rate(0 minutes)", f"{_MEASURED}rate-positive"),
    row(
        "of-a-call-that-reads",
        schedule("arn:aws:scheduler:::aws-sdk:eks:describeNodegroup"),
        "describeNodegroup is not a supported api",
        f"{_MEASURED}universal-target",
    ),
    row(
        "in-another-region",
        schedule("arn:aws:sns:us-west-2:123456789012:notices"),
        "The target ARN provided does not match the current region us-east-2",
        f"{_MEASURED}target-region",
    ),
    row(
        "role-trusts-others",
        changed(schedule(), "Role", AssumeRolePolicyDocument=trust("ec2.amazonaws.com")),
        "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.",
        "aws/aws-sdk-js-v3 issue 6494; hashicorp/terraform-provider-aws, internal/service/scheduler/schedule.go",
    ),
)
