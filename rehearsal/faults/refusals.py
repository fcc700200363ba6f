"""How each service says that it is called too often, that it is down, and that the caller may not.

Source: EC2 API reference, "Error codes" (``RequestLimitExceeded``, ``UnauthorizedOperation``, ``Unavailable``); S3 API
reference, "Error responses" (``SlowDown``, ``AccessDenied``, ``ServiceUnavailable``); "Common errors" of the API
references of the query protocols (``Throttling``, ``AccessDenied``, ``ServiceUnavailable``) and of the others
(``ThrottlingException``, ``AccessDeniedException``); botocore's models of EKS, Lambda and Image Builder. The words of a
denied access: IAM user guide, "Troubleshoot access denied error messages". The words of a service that is down differ
from one to the next, and are not confirmed.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType

from flask import Response, request
from moto.core.responses import ActionResult, BaseResponse

from rehearsal.overlays.errors import OverlayError

_BAD, _DENIED, _MANY, _DOWN = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_QUERY = frozenset({"autoscaling", "cloudformation", "elb", "elbv2", "iam", "sns", "sqs", "sts"})
_BY_PATH = frozenset({"backup", "eks", "grafana", "imagebuilder", "lambda", "scheduler", "xray"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error that a service answers with.

    Attributes:
        status: The HTTP status.
        code: The error code.
        message: What it says.
    """

    status: HTTPStatus
    code: str
    message: str


_TOO_OFTEN: Mapping[str, Refusal] = MappingProxyType(
    {
        "ec2": Refusal(_DOWN, "RequestLimitExceeded", "Request limit exceeded."),
        "s3": Refusal(_DOWN, "SlowDown", "Please reduce your request rate."),
        "lambda": Refusal(_MANY, "TooManyRequestsException", "Rate exceeded"),
        "imagebuilder": Refusal(_MANY, "CallRateLimitExceededException", "Rate exceeded"),
    }
)


def throttled(service: str) -> Refusal:
    """Gives what a service says to a caller who calls too often."""
    if service in _TOO_OFTEN:
        return _TOO_OFTEN[service]
    if service in _QUERY:
        return Refusal(_BAD, "Throttling", "Rate exceeded")
    return Refusal(_MANY if service in _BY_PATH else _BAD, "ThrottlingException", "Rate exceeded")


def down(service: str) -> Refusal:
    """Gives what a service says while it is down."""
    words = "Service is unable to handle request."
    if service == "ec2":
        return Refusal(_DOWN, "Unavailable", words)
    named = "ServiceUnavailable" if service in _QUERY | {"s3"} else "ServiceUnavailableException"
    return Refusal(_DOWN, named, words)


def denied(service: str, action: str, *, who: str, what: str) -> Refusal:
    """Gives what a service says to a caller whom no policy allows an action.

    Args:
        service: The service.
        action: The action, such as ``eks:CreateNodegroup``.
        who: The caller's ARN.
        what: The resource's ARN, or ``*``.
    """
    why = f"because no identity-based policy allows the {action} action"
    words = f"User: {who} is not authorized to perform: {action} on resource: {what} {why}"
    if service == "ec2":
        return Refusal(_DENIED, "UnauthorizedOperation", f"You are not authorized to perform this operation. {words}")
    if service in _QUERY | {"s3"}:
        return Refusal(_DENIED, "AccessDenied", words)
    return Refusal(_DENIED if service in _BY_PATH else _BAD, "AccessDeniedException", words)


def answer(service: str, refusal: Refusal) -> Response:
    """Writes a refusal as the service's protocol does; called while a request is being answered."""
    api = BaseResponse(service)
    api.setup_class(request, use_raw_body=True)  # type: ignore[arg-type]  # Flask's stands for moto's request
    with warnings.catch_warnings():
        # moto wonders at codes that are not in a service's model; what every service may answer is in none.
        warnings.simplefilter("ignore", UserWarning)
        _, headers, body = api.serialized(ActionResult(OverlayError(refusal.code, refusal.message)))
    return Response(body, refusal.status, headers)
