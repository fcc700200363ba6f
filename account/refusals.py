"""Says in a sentence, with what to do, why AWS gave no answer."""

import json
import re
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigParseError,
    ConnectionError,  # noqa: A004 - botocore's own, of which Python's is no base
    CredentialRetrievalError,
    HTTPClientError,
    LoginError,
    MissingDependencyException,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)

#: The regions that every account has; all others must be switched on.
#: Source: AWS Account Management reference guide, "Enable or disable AWS Regions in your account", read 2026-11-30.
ALWAYS_ENABLED = frozenset(
    (
        *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1"),
        *("eu-central-1", "eu-north-1", "eu-west-1", "eu-west-2", "eu-west-3"),
        *("ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1", "ap-southeast-2"),
    )
)
_SIGN_IN = "sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
_LOOK = "look at the profile in use and at the variables AWS_*, which say where they come from"
_WHO_ANSWERS = "check that it is AWS that answers: a proxy or a login page may have done so in its place"
#: Source: AWS CLI command reference, "configure export-credentials".
_EXPORT = 'eval "$(aws configure export-credentials --format env)"'
_EXPIRED = frozenset(("ExpiredToken", "ExpiredTokenException", "RequestExpired"))
_INVALID = frozenset(("AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch"))
_DENIED = frozenset(("UnauthorizedOperation", "AccessDenied", "AccessDeniedException"))
_THROTTLED = frozenset(("RequestLimitExceeded", "Throttling", "ThrottlingException"))
#: Errors of a program or a server that speaks another language than AWS's client expects: their words are Python's.
_OTHER_FORM = (
    *(TypeError, AttributeError, LookupError, OverflowError, RecursionError),
    *(UnicodeDecodeError, json.JSONDecodeError),
)
#: What a message takes over of other people's words.
_LONGEST = 300


class AccountError(Exception):
    """AWS gave no answer.

    Attributes:
        message: Why, in lower case without a full stop.
        hint: What to do, in the same form.
        code: The service's code for it, such as ``InvalidAMIID.NotFound``; empty where no service said so.
    """

    def __init__(self, message: str, hint: str, *, code: str = "") -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint
        self.code = code


def refusal(error: BotoCoreError | ClientError, *, service: str, region: str) -> AccountError:
    """Returns what an error of AWS's client means for the person.

    Source: EC2 API reference, "Error codes for the Amazon EC2 API"; AWS Account Management reference guide.
    """
    if isinstance(error, ClientError):
        return _of_service(error, service, region)
    known = _of_credentials(error)
    if known is not None:
        return known
    if isinstance(error, HTTPClientError | ConnectionError):
        return AccountError(
            f"{service} in {region} can't be reached: {_words(error)}",
            "look at the network, the proxy and the region's name",
        )
    return AccountError(f"{service} in {region} can't be asked: {_words(error)}", "look at AWS's configuration")


def no_credentials(error: Exception) -> AccountError:
    """Returns what an error means that ended the search for credentials, of whichever type."""
    if isinstance(error, ClientError) and _told(error).get("Code") in _EXPIRED:
        return AccountError("the AWS credentials have expired", "sign in again: aws sso login, or new keys")
    known = _of_credentials(error)
    if known is not None:
        return known
    if isinstance(error, _OTHER_FORM):
        return AccountError(f"the AWS credentials come in a form that can't be read: {_words(error)}", _LOOK)
    if isinstance(error, RuntimeError):
        return AccountError(
            f"the AWS credentials can't be used: {_words(error)}",
            "sign in again (aws sso login), or set new keys and with them AWS_CREDENTIAL_EXPIRATION",
        )
    return AccountError(f"the AWS credentials can't be had: {_words(error)}", _LOOK)


def unusable_credentials(name: str) -> AccountError:
    """Returns what to say of credentials of which one is no text that a request could carry; the text is not shown."""
    return AccountError(f"the AWS credentials can't be used: the {name} is empty or no plain text", _LOOK)


def unusable_configuration(error: Exception) -> AccountError:
    """Returns what an error means that a setting led to, before anything was asked."""
    return AccountError(
        f"AWS's configuration can't be used: {_words(error)}",
        "look at AWS_ENDPOINT_URL and the other variables AWS_*, and at the profile in use",
    )


def unreadable(error: Exception, *, service: str, region: str) -> AccountError:
    """Returns what an error means in which an answer ended that is none of the service's."""
    return AccountError(f"{service} in {region} gives an answer that can't be read: {_words(error)}", _WHO_ANSWERS)


def incomplete(name: str, *, service: str, region: str) -> AccountError:
    """Returns what to say of an answer without something that every answer has."""
    return AccountError(f"{service} in {region} gives an answer without {name}", _WHO_ANSWERS)


def _of_credentials(error: Exception) -> AccountError | None:
    """Returns what botocore's own errors about credentials mean, which leave nothing to ask with, in any region."""
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return AccountError("there are no AWS credentials, or not all of them", _SIGN_IN)
    if isinstance(error, CredentialRetrievalError):
        return AccountError(f"the AWS credentials can't be had: {_words(error)}", _LOOK)
    if isinstance(error, SSOError | TokenRetrievalError | LoginError):
        command = "aws login" if isinstance(error, LoginError) else "aws sso login"
        return AccountError("the sign-in to AWS has expired", f"sign in again: {command}")
    if isinstance(error, MissingDependencyException):
        return AccountError(
            f"the AWS credentials can't be had: {_words(error)}",
            f"hand them over as keys: {_EXPORT}",
        )
    if isinstance(error, ProfileNotFound | ConfigParseError):
        return AccountError(f"AWS's configuration can't be used: {_words(error)}", "run aws configure list-profiles")
    return None


def _of_service(error: ClientError, service: str, region: str) -> AccountError:
    told = _told(error)
    code, said = str(told.get("Code") or ""), str(told.get("Message") or "")
    if not code:
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", "something")
        return AccountError(f"{service} in {region} answers {status}, and does not say why", _WHO_ANSWERS)
    message, hint = _of_code(code, said, f"{service.lower()}:{error.operation_name}", service, region)
    return AccountError(message, hint, code=code)


def _told(error: ClientError) -> dict[str, Any]:
    """Returns what a service said; of a page that is none of its answers, botocore makes an error without it."""
    return error.response.get("Error") or {}


def _of_code(code: str, said: str, operation: str, service: str, region: str) -> tuple[str, str]:
    if code == "OptInRequired" or (code in _INVALID and region not in ALWAYS_ENABLED):
        return (
            f"{region} is not enabled in the account",
            f"run aws account enable-region --region-name {region}, or use another region",
        )
    if code in _EXPIRED:
        return "the AWS credentials have expired", "sign in again: aws sso login, or new keys"
    if code in _INVALID:
        return f"AWS does not accept the credentials ({code})", _SIGN_IN
    if code in _DENIED:
        return (
            f"the credentials may not call {operation}",
            f"have {operation} allowed, or use a role that may read",
        )
    if code in _THROTTLED:
        return f"{service} in {region} asks for patience ({code})", "run it again in a minute"
    called = operation.partition(":")[2]
    return f"{service} in {region} refuses {called}: {code}: {said}", "see the message"


def _words(error: Exception) -> str:
    """Returns an error's own words as the end of a sentence: on one line, not too long, in lower case as far as it is.

    The first word keeps its capitals where it is no plain word, as in ``STS regional endpoints``.
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}" if error.filename else error.strerror.lower()
    text = " ".join(str(error).split())
    if isinstance(error, KeyError):
        text = f"there is no {text}"
    if first := re.match(r"[A-Z][a-z]*(?![A-Za-z0-9])", text):
        text = first[0].lower() + text[first.end() :]
    return (f"{text[:_LONGEST]} ..." if len(text) > _LONGEST else text).rstrip(".: ") or type(error).__name__
