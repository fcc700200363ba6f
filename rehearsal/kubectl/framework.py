"""The function that CloudFormation calls: it calls the other one, and tells CloudFormation what came of it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rehearsal.kubectl import handler
from rehearsal.kubectl.reach import check_way
from rehearsal.kubectl.world import Event, FunctionError, Invocation, code_of

if TYPE_CHECKING:
    from moto.awslambda.models import LambdaFunction

#: What is in its code.
FILES = frozenset({"framework.js", "cfn-response.js"})
_TARGET = "USER_ON_EVENT_FUNCTION_ARN"


def answer(event: Event, invocation: Invocation) -> Event:
    """Answers an event of CloudFormation's, as it would be sent to the event's ``ResponseURL``.

    Without an id from the other function a new resource gets the id of its request.

    Raises:
        FunctionError: It can't reach Lambda, or CloudFormation, which would wait for its answer in vain.
    """
    check_way(invocation, {"lambda": "call the other function", "s3": "answer CloudFormation"})
    physical_id = event.get("PhysicalResourceId") or event["RequestId"]
    named = {key: event[key] for key in ("StackId", "RequestId", "LogicalResourceId")}
    try:
        said = _call(event, invocation)
    except FunctionError as error:
        return {**named, "Status": "FAILED", "Reason": str(error), "PhysicalResourceId": physical_id, "Data": {}}
    return {
        **named,
        "Status": "SUCCESS",
        "PhysicalResourceId": said.get("PhysicalResourceId", physical_id),
        "Data": said.get("Data", {}),
    }


def _call(event: Event, invocation: Invocation) -> Event:
    arn = (invocation.function.environment_vars or {}).get(_TARGET)
    target: LambdaFunction | None = next(
        (each for each in invocation.lambdas.list_functions() if each.function_arn == arn), None
    )
    if target is None:
        raise FunctionError(f"Function not found: {arn}")
    if not code_of(target) >= handler.FILES:
        raise FunctionError(f"the rehearsal does not know the code of {target.function_name}, and runs none")
    return handler.answer(event, replace(invocation, function=target))
