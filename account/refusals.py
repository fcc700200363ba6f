"""Says in a sentence, with what to do, why AWS gave no answer."""

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigParseError,
    ConnectionError,  # noqa: A004 - botocore's own, of which Python's is no base
    CredentialRetrievalError,
    HTTPClientError,
    LoginError,
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
_SIGN_IN = "sign in (aws sso login, aws login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
_EXPIRED = frozenset(("ExpiredToken", "ExpiredTokenException", "RequestExpired"))
_INVALID = frozenset(("AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch"))
_DENIED = frozenset(("UnauthorizedOperation", "AccessDenied", "AccessDeniedException"))
_THROTTLED = frozenset(("RequestLimitExceeded", "Throttling", "ThrottlingException"))
#: What leaves nothing to ask with, whatever the region.
_NO_CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)
_NOT_SIGNED_IN = (SSOError, TokenRetrievalError, LoginError)


class AccountError(Exception):
    """AWS gave no answer.

    Attributes:
        message: Why, in lower case without a full stop.
        hint: What to do, in the same form.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


def refusal(error: BotoCoreError | ClientError, *, service: str, region: str) -> AccountError:
    """Returns what an error of AWS's client means for the person.

    Source: EC2 API reference, "Error codes for the Amazon EC2 API"; AWS Account Management reference guide.
    """
    if isinstance(error, ClientError):
        return _of_service(error, service, region)
    if isinstance(error, _NO_CREDENTIALS):
        return AccountError("there are no AWS credentials, or not all of them", _SIGN_IN)
    if isinstance(error, _NOT_SIGNED_IN):
        return AccountError("the sign-in to AWS has expired", "sign in again: aws sso login")
    if isinstance(error, ProfileNotFound | ConfigParseError):
        return AccountError(f"AWS's configuration can't be used: {_lowered(error)}", "run aws configure list-profiles")
    if isinstance(error, HTTPClientError | ConnectionError):
        return AccountError(
            f"{service} in {region} can't be reached: {_lowered(error)}",
            "look at the network, the proxy and the region's name",
        )
    return AccountError(f"{service} in {region} can't be asked: {_lowered(error)}", "look at AWS's configuration")


def _of_service(error: ClientError, service: str, region: str) -> AccountError:
    code, said = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    operation = f"{service.lower()}:{error.operation_name}"
    if code == "OptInRequired" or (code in _INVALID and region not in ALWAYS_ENABLED):
        return AccountError(
            f"{region} is not enabled in the account",
            f"run aws account enable-region --region-name {region}, or use another region",
        )
    if code in _EXPIRED:
        return AccountError("the AWS credentials have expired", "sign in again: aws sso login, or new keys")
    if code in _INVALID:
        return AccountError(f"AWS does not accept the credentials ({code})", _SIGN_IN)
    if code in _DENIED:
        return AccountError(
            f"the credentials may not call {operation}",
            f"have {operation} allowed, or use a role that may read",
        )
    if code in _THROTTLED:
        return AccountError(f"{service} in {region} asks for patience ({code})", "run it again in a minute")
    return AccountError(f"{service} in {region} refuses {error.operation_name}: {code}: {said}", "see the message")


def _lowered(error: Exception) -> str:
    text = str(error).rstrip(".")
    return text[:1].lower() + text[1:]
