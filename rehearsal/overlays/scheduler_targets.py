"""What a schedule of EventBridge Scheduler calls: the operation, by whose leave, and what it is told.

Source: EventBridge Scheduler user guide, "Using universal targets", "Using templated targets" and "Set up the execution
role"; "Adding context attributes" for the keywords.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from rehearsal.handlers.base import NOT_MODELLED, ResourceError
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.overlays.role_policies import allows
from rehearsal.overlays.trust import knows_all_of, role_named
from rehearsal.sessions import core_session

ClientFactory = Callable[[str, str, str], Any]

UNIVERSAL = re.compile(r"arn:[a-z-]+:scheduler:::aws-sdk:([a-z0-9-]+):([A-Za-z0-9]+)")
#: boto3's names of the services that the SDK for Java, whose names Scheduler has, calls something else.
#: Source: botocore, the services' models, ``serviceId``, which without blanks is the SDK's name; users' schedules.
_SERVICES: Mapping[str, str] = MappingProxyType(
    {
        "applicationdiscoveryservice": "discovery",
        "cloudwatchlogs": "logs",
        "cognitoidentityprovider": "cognito-idp",
        "configservice": "config",
        "costandusagereportservice": "cur",
        "costexplorer": "ce",
        "databasemigrationservice": "dms",
        "directoryservice": "ds",
        "directoryservicedata": "ds-data",
        "elasticloadbalancing": "elb",
        "elasticloadbalancingv2": "elbv2",
        "elasticsearchservice": "es",
        "eventbridge": "events",
        "iotdataplane": "iot-data",
        "iotjobsdataplane": "iot-jobs-data",
        "lexmodelbuildingservice": "lex-models",
        "lexmodelsv2": "lexv2-models",
        "lexruntimeservice": "lex-runtime",
        "lexruntimev2": "lexv2-runtime",
        "marketplaceentitlementservice": "marketplace-entitlement",
        "marketplacemetering": "meteringmarketplace",
        "migrationhub": "mgh",
        "pinpointsmsvoice": "sms-voice",
        "serverlessapplicationrepository": "serverlessrepo",
        "sfn": "stepfunctions",
        "simpledb": "sdb",
    }
)
DENIED = "AccessDeniedException"
#: Services whose actions IAM names as their API does; others' roles are not looked at.
#: Source: Service Authorization Reference, the services' actions.
_BY_NAME = ("autoscaling", "ec2", "ecs", "eks", "events", "fsx", "sns", "sqs", "ssm")


@dataclass(frozen=True, slots=True)
class Call:
    """What a schedule calls.

    Attributes:
        service: boto3's name of the service.
        operation: The operation; empty where the rehearsal does not model the target.
        parameters: Its parameters, or properties in capitals that are fitted to it.
        fitted: Whether they are to be fitted.
    """

    service: str
    operation: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    fitted: bool = False

    def make(self, client: ClientFactory, role_arn: str, region: str) -> None:
        """Makes the call.

        Args:
            client: Gives an in-process client for a service, an account and a region.
            role_arn: The schedule's role, in whose account the call is made.
            region: The region.

        Raises:
            ResourceError: The role may not make it, or the rehearsal does not model it.
            ClientError: The service refuses.
        """
        if not self.operation:
            raise ResourceError(NOT_MODELLED, f"The rehearsal does not model schedules' calls of {self.service}")
        check_leave(role_arn, self.service, self.operation)
        make = call_fitted if self.fitted else call
        make(client(self.service, role_arn.split(":")[4], region), self.operation, dict(self.parameters))


@cache
def service_of(name: str) -> str:
    """Gives boto3's name of a service that a universal target names; the name itself where there is none.

    The SDK's names have no hyphens: ``applicationautoscaling``.
    """
    services: list[str] = core_session().get_available_services()
    joined = {service.replace("-", ""): service for service in services}
    return _SERVICES.get(name) or joined.get(name, name)


def call_of(target: Mapping[str, Any], text: str) -> Call:
    """Gives what a target is, with the input that it gets; no operation where it is not modelled."""
    universal = UNIVERSAL.fullmatch(target["Arn"])
    if universal:
        service, operation = universal.groups()
        return Call(service_of(service), operation[:1].upper() + operation[1:], json.loads(text), fitted=True)
    service = target["Arn"].split(":")[2]
    match service:
        case "sns":
            return Call(service, "Publish", {"TopicArn": target["Arn"], "Message": text})
        case "events":
            words = target.get("EventBridgeParameters", {})
            entry = {"EventBusName": target["Arn"], "Source": words.get("Source"), "Detail": text}
            return Call(service, "PutEvents", {"Entries": [{**entry, "DetailType": words.get("DetailType")}]})
    return Call(service, "")


def told(target: Mapping[str, Any], context: Mapping[str, str]) -> str:
    """Gives a target's input, with what Scheduler tells of the call in the place of its keywords."""
    text = str(target.get("Input") or "{}")
    for keyword, value in context.items():
        text = text.replace(f"<aws.scheduler.{keyword}>", value)
    return text


def check_leave(role_arn: str, service: str, operation: str) -> None:
    """Refuses a call that no policy of the role allows; of a role that is gone, every one.

    A role of somebody's account that is not known here may be there, and may make any call.

    Raises:
        ResourceError: The role may not call it.

    Source: IAM user guide, "Troubleshoot access denied error messages", for the words.
    """
    _, partition, _, _, account, name = role_arn.split(":", 5)
    role = role_named(role_arn, account=account, partition=partition)
    if role is None and not knows_all_of(account):
        return
    if role is None or (service in _BY_NAME and not allows(role, f"{service}:{operation}")):
        session, action = f"assumed-role/{name.rpartition('/')[2]}/scheduler", f"{service}:{operation}"
        message = (
            f"User: arn:{partition}:sts::{account}:{session} is not authorized to perform: {action} because no "
            f"identity-based policy allows the {action} action"
        )
        raise ResourceError(DENIED, message)
