"""Custom resources: CloudFormation sends an event to the function that a resource names, and waits for its answer."""

import json
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call
from rehearsal.handlers.stand_ins import UNKNOWN_CODE, Event, Response, StandIns, checked, chosen, failed, function_name
from rehearsal.overlays.state import state_of

TYPES = ("Custom::", "AWS::CloudFormation::CustomResource")
_FUNCTION = ":lambda:"
_TIMEOUT_SECONDS = range(1, 3_601)


@dataclass(frozen=True, slots=True)
class CustomResource:
    """A resource that a provider makes, changes and removes: a stand-in, or a function whose code is known.

    The answer comes at once here, in place of the request that the provider sends to a URL of the event's.

    Attributes:
        stand_ins: What answers in the place of providers.

    Source: CloudFormation user guide, "Custom resources" and "Custom resource request and response reference": every
    scalar reaches the provider as a text. That a creation which failed is followed by a deletion of the id that came
    with the failure: aws-cdk-lib, custom-resources' provider framework, which answers a marker of its own for that.
    That the way back of a failed change asks for the properties of before: aws-powertools/powertools-lambda-java 1082;
    that it names those that failed as the old ones is unconfirmed.
    """

    stand_ins: StandIns = field(default_factory=dict)

    def create(self, scope: Scope, resource: Resource) -> None:
        """Sends the event ``Create``; the answer gives the id and the attributes."""
        said = self._send(scope, resource, "Create", resource.properties)
        resource.physical_id, resource.attributes = said["PhysicalResourceId"], said["Data"]

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Sends the event ``Update``; an answer with another id has replaced the resource.

        The attributes are those of this answer alone.

        Raises:
            ResourceError: Another provider is named, or the provider fails.
        """
        if properties.get("ServiceToken") != resource.properties.get("ServiceToken"):
            raise ResourceError("InvalidRequest", "Modifying service token is not allowed.")
        try:
            said = self._send(scope, resource, "Update", properties)
        except (ResourceError, ClientError):
            resource.properties = properties  # what the provider has done of it only the provider knows
            raise
        resource.physical_id, resource.attributes = said["PhysicalResourceId"], said["Data"]

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Sends the event ``Delete``."""
        if resource.physical_id is not None:
            self._send(scope, resource, "Delete", resource.properties)

    def _send(self, scope: Scope, resource: Resource, kind: str, properties: Properties) -> dict[str, Any]:
        token = properties.get("ServiceToken")
        if not token:
            raise ResourceError("InvalidRequest", f"ServiceToken is required for {resource.type}")
        _check_timeout(properties.get("ServiceTimeout", 1))
        event = {
            "RequestType": kind,
            "RequestId": _request_id(scope, resource, kind),
            "ResponseURL": f"https://cloudformation-custom-resource-response.s3.{scope.region}.amazonaws.com/",
            "StackId": scope.stack_id,
            "ResourceType": resource.type,
            "LogicalResourceId": resource.logical_id,
            "ResourceProperties": _as_texts(properties),
            **({"PhysicalResourceId": resource.physical_id} if resource.physical_id else {}),
            **({"OldResourceProperties": _as_texts(resource.properties)} if kind == "Update" else {}),
        }
        stand_in = chosen(self.stand_ins, resource.type, str(token))
        said = stand_in(event, scope) if stand_in else _called(scope, resource, str(token), event)
        if kind == "Create" and said is not None:
            resource.physical_id = said.get("PhysicalResourceId") or None  # of a failure too: it is to be removed
        return checked(said, event)


def _called(scope: Scope, resource: Resource, token: str, event: Event) -> Response:
    """Calls the function that a token names, and gives what it sends to CloudFormation."""
    if _FUNCTION not in token:
        what = f"{resource.type} behind {token}, which is no function"
        raise ResourceError(NOT_MODELLED, f"The rehearsal does not model {what}. {_way_out(resource.type, token)}")
    try:
        done = call(scope.client("lambda"), "Invoke", {"FunctionName": token, "Payload": json.dumps(event)})
    except ClientError as error:
        words = error.response["Error"]["Message"]
        if words.startswith(UNKNOWN_CODE):
            message = f"{words} {_way_out(resource.type, token)}"
            raise ResourceError(NOT_MODELLED, message) from error
        raise
    said: dict[str, Any] = json.loads(done["Payload"].read())
    if "FunctionError" in done:
        raise failed(said["errorMessage"], event)
    return said


def _way_out(resource_type: str, token: str) -> str:
    return (
        "Give it a stand-in in Python, by its type or by its function's name: "
        f'embedded(stand_ins={{"{resource_type}": ...}}) or {{"{function_name(token)}": ...}}'
    )


def _check_timeout(value: Any) -> None:
    """Refuses a ``ServiceTimeout`` that is no number of seconds up to an hour.

    Source: CloudFormation template reference, AWS::CloudFormation::CustomResource; the words are unconfirmed.
    """
    text = str(value)
    if not text.isdigit() or int(text) not in _TIMEOUT_SECONDS:
        raise ResourceError("InvalidRequest", f"ServiceTimeout must be an integer from 1 to 3600, not {value}")


def _request_id(scope: Scope, resource: Resource, kind: str) -> str:
    """Gives an event an id of its own, which follows from how many the resource has had."""
    counts = state_of(scope.account, scope.region).custom_requests
    counts[scope.stack_id, resource.logical_id] += 1
    return f"{resource.logical_id}-{kind.lower()}-{counts[scope.stack_id, resource.logical_id]}"


def _as_texts(value: Any) -> Any:
    """Gives a value as CloudFormation sends it: every scalar is a text."""
    if isinstance(value, dict):
        return {key: _as_texts(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_as_texts(part) for part in value]
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


CUSTOM: Handler = CustomResource()
