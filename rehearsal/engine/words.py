"""Words a failed operation as CloudFormation shows it, and keeps the service's own error code beside the words.

Where a service refuses, a person reads four things: its words, the operation, its error code, and the one of
CloudFormation's own codes that the resource handler made of it. Amazon's handlers name service, status and request id
in the place of operation and code; the code is what people look up, so it is what is shown here.

Source: CloudFormation CLI user guide, "Resource type handler error codes"; CloudFormation API reference,
RecordHandlerProgress, ErrorCode. Which of these a handler gives for a service's code is not published; the mapping
follows what users quote of EC2's and EKS's handlers (``DependencyViolation`` is ``InvalidRequest``).
"""

import re
from dataclasses import dataclass

from botocore.exceptions import ClientError, ParamValidationError

from rehearsal.handlers.base import NOT_MODELLED, PROVIDER_FAILED, VALIDATION_FAILED, ResourceError

HANDLER_ERROR_CODES = frozenset(
    {
        "AccessDenied",
        "AlreadyExists",
        "GeneralServiceException",
        "HandlerInternalFailure",
        "InternalFailure",
        "InvalidCredentials",
        "InvalidRequest",
        "InvalidTypeConfiguration",
        "NetworkFailure",
        "NonCompliant",
        "NotFound",
        "NotStabilized",
        "NotUpdatable",
        "ResourceConflict",
        "ServiceInternalError",
        "ServiceLimitExceeded",
        "ServiceTimeout",
        "Throttling",
        "Unknown",
        "UnsupportedTarget",
    }
)
"""The codes that a resource handler may give."""

_FAMILIES = tuple(
    (re.compile(pattern), code)
    for pattern, code in (
        (r"AccessDenied|Unauthorized|NotAuthorized|^OptInRequired", "AccessDenied"),
        (r"Throttl|RequestLimitExceeded|TooManyRequests|^SlowDown", "Throttling"),
        (r"AlreadyExists|\.Duplicate$|AlreadyOwnedByYou|^ResourceInUseException$", "AlreadyExists"),
        (r"LimitExceeded|QuotaExceeded|TooManyBuckets", "ServiceLimitExceeded"),
        (r"NotFound|NoSuch|\.Unknown$", "NotFound"),
        (r"Conflict|ResourceInUse|OperationAborted", "ResourceConflict"),
        (
            r"InternalError|InternalFailure|InternalServer|ServerException|^Unavailable|ServiceUnavailable",
            "ServiceInternalError",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an operation on a resource failed.

    Attributes:
        reason: What CloudFormation shows as the resource's status reason.
        code: The service's error code, such as ``InvalidParameterException``; a handler's own, such as
            ``InvalidRequest``; None where the template itself is at fault.
    """

    reason: str
    code: str | None = None


def failure(refusal: Exception) -> Failure:
    """Gives the reason and the code of a refusal: of a service, of a handler, of botocore or of the template."""
    if isinstance(refusal, ResourceError):
        if refusal.code in {NOT_MODELLED, PROVIDER_FAILED, VALIDATION_FAILED}:
            return Failure(refusal.message, refusal.code)
        if refusal.code in HANDLER_ERROR_CODES:
            return Failure(_handled(refusal.message, refusal.code), refusal.code)
        words = f"{refusal.message} (Error Code: {refusal.code})"
        return Failure(_handled(words, handler_error_code(refusal.code)), refusal.code)
    if isinstance(refusal, ClientError):
        error, code = refusal.response["Error"], refusal.response["Error"].get("Code", "")
        status = refusal.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
        details = f"(Operation: {refusal.operation_name}, Status Code: {status}, Error Code: {code})"
        return Failure(_handled(f"{error.get('Message', '')} {details}", handler_error_code(code)), code)
    if isinstance(refusal, ParamValidationError):
        return Failure(_handled(str(refusal), "InvalidRequest"), "InvalidRequest")
    return Failure(str(refusal))


def handler_error_code(service_code: str) -> str:
    """Gives CloudFormation's code for a service's error code."""
    return next((code for pattern, code in _FAMILIES if pattern.search(service_code)), "InvalidRequest")


def _handled(message: str, code: str) -> str:
    return f'Resource handler returned message: "{message}" (HandlerErrorCode: {code})'
