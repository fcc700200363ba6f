"""Rollback triggers: alarms that lead a creation or an update back.

CloudFormation monitors them while it works and for some minutes after. In a rehearsal nothing but somebody's call gives
an alarm its state, so it is looked at before the first resource, after the last one, and when the minutes are over.

Source: CloudFormation user guide, "Roll back your CloudFormation stack on alarm breach with rollback triggers"; API
reference, RollbackConfiguration and RollbackTrigger: an operation whose trigger is missing fails and is led back. The
words of both reasons, and that an alarm fails the operation that is in ``ALARM`` before it begins, are unconfirmed.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from rehearsal import clock

TYPES: Mapping[str, str] = {
    "AWS::CloudWatch::Alarm": "MetricAlarms",
    "AWS::CloudWatch::CompositeAlarm": "CompositeAlarms",
}
"""The resource types that a trigger may have, with where ``DescribeAlarms`` tells them."""


def tripped(cloudwatch: Any, config: Mapping[str, Any]) -> str | None:
    """Gives why the triggers of an operation lead it back now; None where they don't.

    Args:
        cloudwatch: A boto3 client of the stack's account and region.
        config: The stack's rollback configuration.
    """
    triggers: Sequence[Mapping[str, str]] = config.get("RollbackTriggers", ())
    if not triggers:
        return None
    names = [trigger["Arn"].rpartition(":alarm:")[2] for trigger in triggers]
    found = cloudwatch.describe_alarms(AlarmNames=names, AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    states = {
        (resource_type, alarm["AlarmArn"]): alarm["StateValue"]
        for resource_type, member in TYPES.items()
        for alarm in found.get(member, ())
    }
    for trigger in triggers:
        state = states.get((trigger["Type"], trigger["Arn"]))
        if state is None:
            return f"Rollback trigger [{trigger['Arn']}] does not exist. "
        if state == "ALARM":
            return f"Rollback trigger [{trigger['Arn']}] is in ALARM state. "
    return None


def monitor(cloudwatch: Any, config: Mapping[str, Any]) -> str | None:
    """Lets the monitoring time pass and gives why the operation is led back; None where it is not.

    The arguments are those of ``tripped``. It passes where there are no triggers, too.
    """
    reason = tripped(cloudwatch, config)
    minutes = config.get("MonitoringTimeInMinutes", 0)
    if reason is not None or not minutes:
        return reason
    with clock.ahead():
        clock.pass_to(clock.now() + timedelta(minutes=minutes))
    return tripped(cloudwatch, config)
