"""What EventBridge Scheduler refuses of schedules."""

import json
from typing import Any

from tests.rehearsal.refusals.bases import trust
from tests.rehearsal.refusals.harness import Resources, Row, att, changed, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/scheduler, pf-scheduler-"
_FUNCTION = "arn:aws:lambda:us-east-2:123456789012:function:notify"
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


def other(name: str, bad: Resources, words: str, source: str, *, code: str = "ValidationException", **more: Any) -> Row:
    """Gives a row of a schedule whose good template, or whose refusal, is another one."""
    settings = {"good": schedule(), "refused": "Schedule", **more}
    return Row(name=f"schedule-{name}", bad=bad, code=code, words=words, source=source, **settings)


def targeting(arn: str, text: str | None = "{}", **members: Any) -> Resources:
    """A schedule of another target; without input where the text is None."""
    target = {"Arn": arn, "RoleArn": att("Role", "Arn"), **({} if text is None else {"Input": text}), **members}
    return schedule(Target=target)


def group(name: str) -> Resources:
    """A group of schedules."""
    return {"Group": resource("AWS::Scheduler::ScheduleGroup", Name=name)}


def bounded(start: str, end: str) -> Resources:
    """A schedule with a start and an end."""
    return schedule(StartDate=start, EndDate=end)


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
        "describeNodegroup API is not supported.",
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
    other(
        "that-ends-before-it-starts",
        bounded("2027-03-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"),
        "The StartDate you specify must come before the EndDate.",
        f"{_MEASURED}start-end-order",
        good=bounded("2027-02-01T00:00:00.000Z", "2027-03-01T00:00:00.000Z"),
    ),
    other(
        "that-started-long-ago",
        schedule(StartDate="2026-11-01T00:00:00.000Z"),
        "The StartDate you specify cannot be earlier than 5 minutes ago.",
        "getmoto/moto, scheduler/models.py",
        uncounted="moto refuses it too, by another clock",
    ),
    other(
        "with-a-date-without-milliseconds",
        schedule(EndDate="2030-01-01T00:00:00Z"),
        "EndDate needs to follow the format yyyy-MM-ddTHH:mm:ss.SSSZ",
        f"{_MEASURED}date-format",
        code="InvalidRequest",
        good=schedule(EndDate="2030-01-01T00:00:00.000Z"),
        uncounted="the handler itself refuses it, as CloudFormation's does",
    ),
    other(
        "with-a-window-that-is-off",
        schedule(FlexibleTimeWindow={"Mode": "OFF", "MaximumWindowInMinutes": 15}),
        "MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to OFF.",
        f"{_MEASURED}flexible-time-window",
    ),
    other(
        "with-a-window-without-length",
        schedule(FlexibleTimeWindow={"Mode": "FLEXIBLE"}),
        "MaximumWindowInMinutes must be provided",
        "EventBridge Scheduler user guide, Configuring flexible time windows; the words are unconfirmed",
        good=schedule(FlexibleTimeWindow={"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15}),
    ),
    other(
        "group-named-default",
        group("default"),
        "This operation cannot be performed on schedule group default.",
        f"{_MEASURED}group-name-default; the code is unconfirmed",
        good=group("blocks"),
        refused="Group",
    ),
    other(
        "with-parameters-of-another-target",
        targeting(_FUNCTION, KinesisParameters={"PartitionKey": "a"}),
        "Parameters KinesisParameters not supported for the target.",
        f"{_MEASURED}target-parameters",
        good=targeting(_FUNCTION),
    ),
    other(
        "with-input-that-is-no-json",
        targeting(_FUNCTION, "{not json"),
        "JSON syntax error in input for the target",
        f"{_MEASURED}target-input-json",
        good=targeting(_FUNCTION),
    ),
    other(
        "of-a-call-without-input",
        targeting("arn:aws:scheduler:::aws-sdk:sqs:createQueue", None),
        "You must provide an input to set this target for your schedule",
        f"{_MEASURED}universal-target",
        good=targeting("arn:aws:scheduler:::aws-sdk:sqs:createQueue", '{"QueueName": "a"}'),
    ),
    other(
        "of-a-call-in-a-region",
        targeting("arn:aws:scheduler:us-east-2:123456789012:aws-sdk:sqs:createQueue", '{"QueueName": "a"}'),
        "scheduler is not a supported service for a target",
        f"{_MEASURED}universal-target",
    ),
)
