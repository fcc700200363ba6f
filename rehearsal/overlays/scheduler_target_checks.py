"""What EventBridge Scheduler refuses of a schedule's target.

Where nothing else is said, the words were read off AWS: badmintoncryer/cdk-preflight, rules/scheduler,
pf-scheduler-target-*, pf-scheduler-universal-target, ``meta.yaml``, deploys and calls of 2026-09-07. The words about a
call that no SDK has and about missing parameters are what users report (docs/adr/0004), those about an ARN that is none
are EventBridge's, which getmoto/moto has, events/models.py, and a user reports of Scheduler; those about an input that
is no object are unconfirmed.
"""

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from botocore.exceptions import UnknownServiceError

from rehearsal.overlays.arns import parsed
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.scheduler_targets import UNIVERSAL, service_of
from rehearsal.sessions import core_session

#: What a universal target may not do: Scheduler calls nothing that only reads.
_READS = re.compile(r"(get|describe|list|poll|receive|search|scan|query|select|read)[A-Z]")
#: Capitals in a row, without the one that begins the next word.
_CAPITALS = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z]|$)")
#: Whose targets take which parameters, by the service in the target's ARN.
_PARAMETERS: Mapping[str, str] = MappingProxyType(
    {
        "EcsParameters": "ecs",
        "EventBridgeParameters": "events",
        "KinesisParameters": "kinesis",
        "SageMakerPipelineParameters": "sagemaker",
        "SqsParameters": "sqs",
    }
)
#: Whose input must be JSON. Source: EventBridge Scheduler API reference, Target, ``Input``.
_OF_JSON = ("events", "lambda", "states")


def check_target(target: Mapping[str, Any], region: str) -> None:
    """Refuses a target elsewhere, parameters of another kind of target, and input that the target can't take."""
    text = target["Arn"]
    arn = parsed(text)
    if arn is None:
        raise _invalid(f"Parameter {text} is not valid. Reason: Provided Arn is not in correct format.")
    is_universal = arn.resource.startswith("aws-sdk:")
    if arn.region not in {"", region} and not is_universal:
        raise _invalid(f"The target ARN provided does not match the current region {region}.")
    for name, owner in _PARAMETERS.items():
        if name in target and owner != arn.service:
            raise _invalid(f"Parameters {name} not supported for the target.")
    if is_universal:
        _check_universal(target)
    elif arn.service in _OF_JSON and "Input" in target:
        _check_json(target["Input"], "JSON syntax error in input for the target")
    elif arn.service == "sqs" and text.endswith(".fifo") and "SqsParameters" not in target:
        raise _invalid("Parameters SqsParameters must be specified")


def _check_universal(target: Mapping[str, Any]) -> None:
    """Refuses a call that no SDK has, that only reads, or whose input lacks what it requires, in the SDK's capitals.

    The SDK is Java's, which writes capitals in a row as a word: ``DbInstanceIdentifier``. Whether Scheduler takes the
    service's own ``DBInstanceIdentifier`` too is told both ways, so that it is taken here.

    Source: aws-cdk-lib, aws-scheduler-targets, README, ``Universal``.
    """
    universal = UNIVERSAL.fullmatch(target["Arn"])
    if not universal:
        raise _invalid("scheduler is not a supported service for a target")
    service, call = universal.groups()
    operation = call[:1].upper() + call[1:]
    try:
        model = core_session().get_service_model(service_of(service))
    except UnknownServiceError as error:
        raise _invalid(f"{service} is not a supported service for a target.") from error
    if operation not in model.operation_names:
        raise _invalid(f"{call} is not a supported api for service {service}.")
    if _READS.match(call):
        raise _invalid(f"{call} API is not supported.")
    if "Input" not in target:
        raise _invalid("You must provide an input to set this target for your schedule")
    given = _check_json(target["Input"], "Input must be valid JSON.")
    if not isinstance(given, dict):
        raise _invalid("Invalid RequestJson provided. Reason: it is not an object.")
    shape = model.operation_model(operation).input_shape
    required = [name[:1].upper() + name[1:] for name in (shape.required_members if shape else [])]
    missing = sorted(_as_in_java(name) for name in required if not {name, _as_in_java(name)} & set(given))
    if missing:
        raise _invalid(f"Invalid RequestJson provided. Reason: the required parameter {missing[0]} is missing.")


def _as_in_java(name: str) -> str:
    """Writes a parameter as the SDK for Java does: of capitals in a row, those before a word's own are small."""
    return _CAPITALS.sub(lambda found: found[0].capitalize(), name)


def _check_json(text: str, words: str) -> Any:
    try:
        return json.loads(text)
    except (RecursionError, ValueError) as error:
        raise _invalid(words) from error


def _invalid(message: str) -> OverlayError:
    return OverlayError("ValidationException", message)
