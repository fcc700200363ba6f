"""Stand-ins for the functions behind custom resources, which a test or a person writes in Python.

A stand-in takes the request that CloudFormation sends to a custom resource's provider, and gives the response that the
provider would send back::

    def certificate(event, scope):
        return {"PhysicalResourceId": event["ResourceProperties"]["DomainName"], "Data": {"Arn": "arn:..."}}

    embedded(stand_ins={"Custom::Certificate": certificate})

Source: CloudFormation user guide, "Custom resource request and response reference".
"""

import json
from collections.abc import Callable, Mapping, MutableMapping
from fnmatch import fnmatchcase
from typing import Any

from rehearsal.handlers.base import PROVIDER_FAILED, ResourceError, Scope

Event = dict[str, Any]
Response = Mapping[str, Any]
StandIn = Callable[[Event, Scope], Response | None]
"""Answers a request: gives the response's ``PhysicalResourceId`` and ``Data``, or ``Status`` ``FAILED`` and ``Reason``.

None stands for a provider that never answers. The scope has the clients of the services, in which a stand-in may make
what the provider makes.
"""
StandIns = MutableMapping[str, StandIn]
"""The stand-ins by resource type (``Custom::Thing``) or by the name of a function, in which ``*`` stands for any part,
since CloudFormation makes names up (``STACK-Function-*``). They are looked at anew for every request, so that a test
may change them between two deploys."""

NONE: StandIns = {}
UNKNOWN_CODE = "The rehearsal does not know the code of function"
"""How the embedded Lambda's answer begins where it can't do what a function does; no error code of Lambda's says so."""
LONGEST_BYTES = 4_096


def chosen(stand_ins: StandIns, resource_type: str, token: str) -> StandIn | None:
    """Gives the stand-in of a resource, by its type or else by the name of the function that its token names."""
    name = function_name(token)
    by_name = (each for pattern, each in stand_ins.items() if fnmatchcase(name, pattern))
    return stand_ins.get(resource_type) or next(by_name, None)


def function_name(token: str) -> str:
    """Gives the name of the function of an ARN, without its version or alias; the text itself of what is no ARN."""
    parts = token.split(":")
    return parts[6] if len(parts) > 6 else token  # noqa: PLR2004


def checked(response: Response | None, event: Event) -> dict[str, Any]:
    """Gives a provider's response, after looking at it as CloudFormation does.

    Raises:
        ResourceError: There is none, it tells of a failure, has no physical id, or is longer than 4,096 bytes.

    Source: CloudFormation user guide, "Understand CloudFormation quotas", custom resource response. The reasons are
    quoted in aws-samples/aws-saas-factory-eks-reference-architecture 67, binxio/cfn-postgresql-user-provider 2 and
    aws/aws-lambda-go 107.
    """
    if response is None:
        raise _refusal(
            "CloudFormation did not receive a response from your Custom Resource. Please check your logs for requestId "
            f"[{event['RequestId']}]. If you are using the Python cfn-response module, you may need to update your "
            "Lambda function code so that CloudFormation can attach the updated version."
        )
    said = {"Status": "SUCCESS", "Data": {}, **response}
    if len(json.dumps(said).encode()) > LONGEST_BYTES:
        raise _refusal("Response object is too long.")
    if not said.get("PhysicalResourceId"):
        raise _refusal("Invalid PhysicalResourceId")
    if said["Status"] != "SUCCESS":
        raise failed(said.get("Reason", ""), event)
    return said


def failed(reason: str, event: Event) -> ResourceError:
    """Gives the error for a provider that tells of a failure."""
    message = f"Received response status [FAILED] from custom resource. Message returned: {reason}"
    return _refusal(f"{message} (RequestId: {event['RequestId']})")


def _refusal(reason: str) -> ResourceError:
    return ResourceError(PROVIDER_FAILED, reason)
