"""Surveys what happens by itself, and who is told: schedules, topics and alarms."""

import json
from typing import Any

from rehearsal.survey.paging import every
from rehearsal.survey.schedule_records import Alarm, Schedule, Topic


def schedules(scheduler: Any) -> tuple[Schedule, ...]:
    """Gives every schedule, by group and in the order of their times.

    Args:
        scheduler: EventBridge Scheduler's client.
    """
    found = (
        scheduler.get_schedule(GroupName=one["GroupName"], Name=one["Name"])
        for one in every(scheduler, "list_schedules", "Schedules")
    )
    made = (
        Schedule(
            group=one["GroupName"],
            name=one["Name"],
            expression=one["ScheduleExpression"],
            timezone=one["ScheduleExpressionTimezone"],
            state=one["State"],
            target=one["Target"]["Arn"],
            input=one["Target"].get("Input", ""),
        )
        for one in found
    )
    return tuple(sorted(made, key=lambda one: (one.group, one.expression, one.name)))


def topics(sns: Any) -> tuple[Topic, ...]:
    """Gives every topic.

    Args:
        sns: SNS's client.
    """
    arns = sorted(topic["TopicArn"] for topic in every(sns, "list_topics", "Topics"))
    return tuple(_topic(sns, arn) for arn in arns)


def _topic(sns: Any, arn: str) -> Topic:
    attributes = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    subscriptions = every(sns, "list_subscriptions_by_topic", "Subscriptions", TopicArn=arn)
    return Topic(
        name=arn.rsplit(":", 1)[-1],
        encrypted=bool(attributes.get("KmsMasterKeyId")),
        tls_only=_tls_only(json.loads(attributes.get("Policy") or "{}")),
        subscriptions=tuple(f"{one['Protocol']} {one['Endpoint']}" for one in subscriptions),
    )


def _tls_only(policy: dict[str, Any]) -> bool:
    return any(
        statement["Effect"] == "Deny"
        and statement.get("Condition", {}).get("Bool", {}).get("aws:SecureTransport") == "false"
        for statement in policy.get("Statement", [])
    )


def alarms(cloudwatch: Any) -> tuple[Alarm, ...]:
    """Gives every alarm.

    Args:
        cloudwatch: CloudWatch's client.
    """
    found = every(cloudwatch, "describe_alarms", "MetricAlarms")
    made = (
        Alarm(one["AlarmName"], f"{one['Namespace']} {one['MetricName']}", len(one.get("AlarmActions", [])))
        for one in found
    )
    return tuple(sorted(made, key=lambda one: one.name))
