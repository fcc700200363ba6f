"""What a request names beside its stack, and what CloudFormation asks of it: a role, topics, and rollback triggers.

Source: CloudFormation API reference, CreateStack, RollbackConfiguration and RollbackTrigger. The words for a role, for
types of resources and for triggers are recorded from AWS in localstack/localstack,
tests/aws/services/cloudformation/api/test_update_stack.snapshot.json; those for a topic that SNS refuses are quoted in
aws/aws-cdk 20806, SNS's own about an ARN that is none in localstack/localstack, services/sns. That a topic which is
not there, or none, is refused in the same way, and the words for the sizes, are unconfirmed.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.api.errors import ApiError
from rehearsal.engine.triggers import TYPES
from rehearsal.overlays.arns import PARTS
from rehearsal.overlays.trust import knows_all_of, role_named, trusts_service
from rehearsal.templates.template import Template

SERVICE = "cloudformation.amazonaws.com"
MAX_TOPICS = MAX_TRIGGERS = 5
MAX_MONITORING_MINUTES = 180
ALARM = re.compile(r"arn:[^:]+:cloudwatch:[^:]*:[^:]*:alarm:.+")


def check_role(arn: str | None, *, account: str, partition: str) -> None:
    """Refuses a role that is not there or that CloudFormation may not assume; of an account that is known, alone.

    Raises:
        ApiError: In CloudFormation's words.
    """
    if arn is None or not knows_all_of(account):
        return
    role = role_named(arn, account=account, partition=partition)
    if role is None or not trusts_service(role, SERVICE):
        raise ApiError(f"Role {arn} is invalid or cannot be assumed")


def check_types(template: Template, allowed: Sequence[str]) -> None:
    """Refuses a resource of a type that the request does not name among those that it may have.

    Args:
        template: The template.
        allowed: The types, of which ``*`` may stand for a part.

    Raises:
        ApiError: In CloudFormation's words.
    """
    for spec in template.resources.values():
        if not any(fnmatchcase(spec.type, pattern) for pattern in allowed):
            listed = f"[{', '.join(allowed)}]"
            raise ApiError(f"Resource type {spec.type} is not allowed by parameter ResourceTypes {listed}")


def check_topics(arns: Sequence[str], sns: Any, *, account: str) -> None:
    """Refuses more than five topics, and those that SNS does not know.

    Args:
        arns: The topics to which CloudFormation would send the stack's events.
        sns: A boto3 client of SNS.
        account: The account that asks.

    Raises:
        ApiError: The first that is refused, with SNS's own words.
    """
    _check_number(arns, "notificationARNs", MAX_TOPICS)
    for arn in arns if knows_all_of(account) else ():
        if arn.count(":") < PARTS - 1:
            words = f"An ARN must have at least {PARTS} elements, not {arn.count(':') + 1}"
            where = "Service: AmazonSNS; Status Code: 400; Error Code: InvalidParameter; Request ID: "
            raise ApiError(f"Invalid parameter: TopicArn Reason: {words} ({where})")
        try:
            sns.get_topic_attributes(TopicArn=arn)
        except ClientError as error:
            said, answer = error.response["Error"], error.response["ResponseMetadata"]
            where = f"Service: AmazonSNS; Status Code: {answer['HTTPStatusCode']}; Error Code: {said['Code']}"
            raise ApiError(f"{said['Message']} ({where}; Request ID: {answer.get('RequestId', '')})") from error


def check_triggers(config: Mapping[str, Any]) -> None:
    """Refuses more than five rollback triggers, other types than alarms, and more than three hours of monitoring.

    Raises:
        ApiError: The first that is not allowed.
    """
    triggers = config.get("RollbackTriggers", ())
    _check_number(triggers, "rollbackConfiguration.rollbackTriggers", MAX_TRIGGERS)
    for trigger in triggers:
        if trigger["Type"] not in TYPES:
            raise ApiError("Rollback Trigger Type not supported")
        if not ALARM.fullmatch(trigger["Arn"]):
            raise ApiError("RelativeId of a Rollback Trigger's ARN is incorrect")
    minutes = config.get("MonitoringTimeInMinutes", 0)
    if minutes > MAX_MONITORING_MINUTES:
        raise ApiError(
            f"1 validation error detected: Value '{minutes}' at 'rollbackConfiguration.monitoringTimeInMinutes' failed "
            f"to satisfy constraint: Member must have value less than or equal to {MAX_MONITORING_MINUTES}"
        )


def _check_number(found: Sequence[Any], member: str, most: int) -> None:
    if len(found) > most:
        raise ApiError(
            f"1 validation error detected: Value '{list(found)}' at '{member}' failed to satisfy constraint: "
            f"Member must have length less than or equal to {most}"
        )
