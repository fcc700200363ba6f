"""Reads what a CloudFormation request says: the template, the parameters, the tags, and what a failure is to do."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from botocore.exceptions import ClientError

from rehearsal.api.errors import ApiError
from rehearsal.engine import Retention
from rehearsal.parameters import Given
from rehearsal.template import MAX_BODY_BYTES, MAX_URL_BYTES, Template, parse

Asked = Callable[[str], Any]

PATH_STYLE_HOST = re.compile(r"s3[.-].*|s3|localhost|[\d.]+|\[.*\]")
KEPT_OPTIONS = (
    "Capabilities",
    "DeploymentConfig",
    "DisableRollback",
    "NotificationARNs",
    "RoleARN",
    "RollbackConfiguration",
    "TimeoutInMinutes",
)


def template(asked: Asked, previous: Template | None, s3: Any) -> Template:
    """Reads the template of a request: its text, the text under its address, or the stack's previous one.

    Args:
        asked: Gives a parameter of the request.
        previous: The stack's template, if there is a stack.
        s3: A boto3 client of S3, from which addresses are read.

    Raises:
        ApiError: There is none, it can't be read, or it is too long.
        TemplateError: Its text is no template.
    """
    if asked("UsePreviousTemplate"):
        if previous is None:
            raise ApiError("There is no previous template to use")
        return previous
    body, url = asked("TemplateBody"), asked("TemplateURL")
    if bool(body) == bool(url):
        raise ApiError("Either Template URL or Template Body must be specified.")
    return parse(_downloaded(url, s3) if url else _bounded(body))


def _bounded(body: str) -> str:
    if len(body.encode()) > MAX_BODY_BYTES:
        raise ApiError(
            "1 validation error detected: Value at 'templateBody' failed to satisfy constraint: "
            f"Member must have length less than or equal to {MAX_BODY_BYTES}"
        )
    return body


def _downloaded(url: str, s3: Any) -> str:
    bucket, key = s3_location(url)
    try:
        content: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    except ClientError as error:
        raise ApiError(f"S3 error: {error.response['Error']['Message']}") from error
    if len(content) > MAX_URL_BYTES:
        raise ApiError(f"Template may not exceed {MAX_URL_BYTES} bytes in size.")
    return content.decode()


def s3_location(url: str) -> tuple[str, str]:
    """Gives the bucket and the key of an S3 address, be the bucket in its path or in its host name.

    Raises:
        ApiError: It is no address in S3.
    """
    parts = urlsplit(url)
    path = unquote(parts.path.lstrip("/"))
    host = parts.hostname or ""
    if not host or not path:
        raise ApiError(f"TemplateURL must be a supported URL: {url}")
    if PATH_STYLE_HOST.fullmatch(host):
        bucket, _, key = path.partition("/")
        return bucket, key
    return host.split(".", 1)[0], path


def given(asked: Asked) -> dict[str, Given]:
    """Reads the parameters of a request."""
    return {
        one["ParameterKey"]: Given(one.get("ParameterValue"), use_previous=bool(one.get("UsePreviousValue")))
        for one in asked("Parameters") or []
    }


def tags(asked: Asked, previous: Mapping[str, str]) -> dict[str, str]:
    """Reads the stack tags of a request; without any, the stack keeps those it has."""
    found = asked("Tags")
    return dict(previous) if found is None else {tag["Key"]: tag["Value"] for tag in found}


def options(asked: Asked) -> dict[str, Any]:
    """Reads what CloudFormation keeps with a stack and gives back."""
    return {name: value for name in KEPT_OPTIONS if (value := asked(name)) is not None}


def retention(asked: Asked, *, config: Mapping[str, Any], on_failure: str | None = None) -> Retention:
    """Reads what a failed operation is to keep.

    Args:
        asked: Gives a parameter of the request.
        config: The deployment configuration; in express mode a failure stays unless it says otherwise.
        on_failure: What the request or the change set names.
    """
    if config.get("Mode") == "EXPRESS":
        keeps = config.get("DisableRollback") is not False
    else:
        keeps = bool(asked("DisableRollback"))
    return Retention(
        on_failure=on_failure or ("DO_NOTHING" if keeps else "ROLLBACK"),
        retain_except_on_create=bool(asked("RetainExceptOnCreate")),
    )
