"""Custom resources: CloudFormation sends an event to the function that a resource names, and waits for its answer."""

import json
from typing import Any

from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call
from rehearsal.overlays.state import state_of

TYPES = ("Custom::", "AWS::CloudFormation::CustomResource")
_FUNCTION = ":lambda:"


class CustomResource:
    """A resource that a function makes, changes and removes; the rehearsal knows some functions' code, and runs none.

    The answer comes at once here, in place of the request that the function sends to a URL of the event's.

    Source: CloudFormation user guide, "Custom resources" and "Custom resource request/response reference": every scalar
    reaches the function as a text.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Sends the event ``Create``; the answer gives the id and the attributes."""
        said = self._send(scope, resource, "Create", resource.properties)
        resource.physical_id = said["PhysicalResourceId"]
        resource.attributes |= said["Data"]

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Sends the event ``Update``.

        Raises:
            ResourceError: Another function is named, another id is answered, or the function fails.
        """
        if properties.get("ServiceToken") != resource.properties.get("ServiceToken"):
            raise ResourceError("InvalidRequest", "Modifying service token is not allowed.")
        said = self._send(scope, resource, "Update", properties)
        if said["PhysicalResourceId"] != resource.physical_id:
            message = "the function answered an update with another id, and the rehearsal replaces no custom resource"
            raise ResourceError(NOT_MODELLED, message)
        resource.attributes |= said["Data"]

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Sends the event ``Delete``."""
        if resource.physical_id is not None:
            self._send(scope, resource, "Delete", resource.properties)

    def _send(self, scope: Scope, resource: Resource, kind: str, properties: Properties) -> dict[str, Any]:
        token = properties.get("ServiceToken")
        if not token:
            raise ResourceError("InvalidRequest", f"ServiceToken is required for {resource.type}")
        if _FUNCTION not in str(token):
            message = f"Invalid service token: the rehearsal sends {resource.type} to functions alone, not to {token}"
            raise ResourceError("InvalidRequest", message)
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
        done = call(scope.client("lambda"), "Invoke", {"FunctionName": token, "Payload": json.dumps(event)})
        said: dict[str, Any] = json.loads(done["Payload"].read())
        if "FunctionError" in done:
            raise _failed(said["errorMessage"], event["RequestId"])
        if said["Status"] != "SUCCESS":
            raise _failed(said["Reason"], event["RequestId"])
        return said


def _failed(reason: str, request_id: str) -> ResourceError:
    message = f"Received response status [FAILED] from custom resource. Message returned: {reason}"
    return ResourceError("GeneralServiceException", f"{message} (RequestId: {request_id})")


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
