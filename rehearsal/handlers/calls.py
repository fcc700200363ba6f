"""How handlers call an API operation by its name, and read its answer."""

import re
from collections.abc import Mapping
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError, ParamValidationError
from botocore.model import Shape

from rehearsal.fit import fit
from rehearsal.handlers.base import Properties, Resource, ResourceError

#: How services say that a request does not fit their model, where they say it otherwise than their protocol's others.
#:
#: Source: EC2 API reference, "Error codes"; EKS API reference, CreateNodegroup, Errors;
#: awsdocs/aws-cloudformation-user-guide pull request 439 (FSx); S3 API reference, "Error responses"; "Common errors" of
#: the API references (``ValidationError`` of the query protocol).
_INVALID = {
    "ec2": "InvalidParameterValue",
    "eks": "InvalidParameterException",
    "fsx": "BadRequest",
    "s3": "MalformedXML",
}
_INVALID_BY_PROTOCOL = {"query": "ValidationError"}
_GONE = re.compile(r"NotFound|NoSuch|NotAttached|\.Unknown$")


def input_shape(client: Any, operation: str) -> Shape:
    """Gives the input shape of an operation, such as ``CreateVpc``."""
    return client.meta.service_model.operation_model(operation).input_shape


def call(client: Any, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Calls an operation with API parameters and gives its answer.

    Raises:
        ResourceError: botocore finds the parameters invalid, before anything is sent.
        ClientError: The service refuses.
    """
    try:
        answer: dict[str, Any] = getattr(client, xform_name(operation))(**parameters)
    except ParamValidationError as error:
        raise ResourceError(_code(client, str(error)), str(error)) from error
    return answer


def _code(client: Any, problems: str) -> str:
    """Gives the code with which a service refuses parameters that don't fit its model, as botocore does before it."""
    model = client.meta.service_model
    if model.service_name == "ec2" and "Missing required parameter" in problems:
        return "MissingParameter"
    return _INVALID.get(model.service_name) or _INVALID_BY_PROTOCOL.get(model.protocol, "ValidationException")


def call_fitted(
    client: Any, operation: str, properties: Properties, renamed: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Calls an operation with the parameters that CloudFormation properties fit to."""
    return call(client, operation, fit(input_shape(client, operation), properties, renamed))


def call_unless_gone(client: Any, operation: str, parameters: Mapping[str, Any]) -> None:
    """Calls an operation that removes something; that it is gone already is no error."""
    try:
        call(client, operation, parameters)
    except ClientError as error:
        if not is_gone(error):
            raise


def is_gone(error: ClientError) -> bool:
    """Says whether a service refuses since what is asked about is not there."""
    return _GONE.search(error.response["Error"]["Code"]) is not None


def found(client: Any, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Calls an operation that reads something; None where it is not there."""
    try:
        return call(client, operation, parameters)
    except ClientError as error:
        if not _GONE.search(error.response["Error"]["Code"]):
            raise
    return None


def at(answer: Any, path: str) -> Any:
    """Gives what an answer has at a path of member names and list positions, such as ``Vpcs.0.VpcId``, or None."""
    for key in path.split("."):
        if isinstance(answer, list):
            answer = answer[int(key)] if int(key) < len(answer) else None
        else:
            answer = answer.get(key) if isinstance(answer, Mapping) else None
    return answer


def read(answer: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Picks attributes from an answer by path; an attribute that the answer lacks is left out."""
    found = {attribute: at(answer, path) for attribute, path in paths.items()}
    return {attribute: value for attribute, value in found.items() if value is not None}


def filled(template: Any, resource: Resource) -> Any:
    """Fills a parameter template: ``{Ref}`` is the physical id, ``{Name}`` a property or else an attribute."""
    if isinstance(template, str):
        return template.format_map({**resource.attributes, **resource.properties, "Ref": resource.physical_id})
    if isinstance(template, Mapping):
        return {key: filled(part, resource) for key, part in template.items()}
    if isinstance(template, list):
        return [filled(part, resource) for part in template]
    return template
