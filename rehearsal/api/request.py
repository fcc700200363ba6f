"""Reads what a CloudFormation request says: the template, the parameters, the tags, and what a failure is to do."""

from collections.abc import Callable, Mapping
from typing import Any

from rehearsal.addresses import downloaded
from rehearsal.api.constraints import check_tags
from rehearsal.api.errors import ApiError
from rehearsal.engine import Retention
from rehearsal.limits import MAX_BODY_BYTES
from rehearsal.templates.parameters import Given
from rehearsal.templates.template import Template, parse

Asked = Callable[[str], Any]

ROLLBACK = "RollbackConfiguration"
KEPT_OPTIONS = (
    "Capabilities",
    "DeploymentConfig",
    "DisableRollback",
    "NotificationARNs",
    "RoleARN",
    ROLLBACK,
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
    return parse(downloaded(url, s3) if url else _bounded(body))


def _bounded(body: str) -> str:
    if len(body.encode()) > MAX_BODY_BYTES:
        raise ApiError(
            "1 validation error detected: Value at 'templateBody' failed to satisfy constraint: "
            f"Member must have length less than or equal to {MAX_BODY_BYTES}"
        )
    return body


def given(asked: Asked) -> dict[str, Given]:
    """Reads the parameters of a request.

    Raises:
        ApiError: One is given twice. That CloudFormation refuses it, and its words, are unconfirmed.
    """
    rows = asked("Parameters") or []
    names = [one["ParameterKey"] for one in rows]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ApiError(f"Parameters: [{', '.join(twice)}] are given more than once")
    return {
        one["ParameterKey"]: Given(one.get("ParameterValue"), use_previous=bool(one.get("UsePreviousValue")))
        for one in rows
    }


def tags(asked: Asked, previous: Mapping[str, str]) -> dict[str, str]:
    """Reads the stack tags of a request; without any, the stack keeps those it has.

    Raises:
        ApiError: They are too many or too long, or have a reserved prefix.
    """
    found = asked("Tags")
    if found is None:
        return dict(previous)
    check_tags(found)
    return {tag["Key"]: tag["Value"] for tag in found}


def options(asked: Asked, previous: Mapping[str, Any]) -> dict[str, Any]:
    """Reads what CloudFormation keeps with a stack and gives back.

    Args:
        asked: Gives a parameter of the request.
        previous: What the stack has; its rollback triggers stay where the request names none.

    """
    found = {name: value for name in KEPT_OPTIONS if (value := asked(name)) is not None}
    if ROLLBACK in found:
        found[ROLLBACK] = {**previous.get(ROLLBACK, {}), **found[ROLLBACK]}
    return found


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
