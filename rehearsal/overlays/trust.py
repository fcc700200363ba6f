"""Whom a role trusts, and what the rehearsal can know of an account's principals at all.

Source: IAM user guide, "AWS JSON policy elements: Principal" and "IAM JSON policy elements: Action": a principal or an
action stands alone or in a list, an action may have wildcards and is the same in upper and lower case; "Policy
evaluation logic": what no statement allows is denied. A denial is not looked at.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends

_ASSUME = ("sts:AssumeRole",)


def knows_all_of(account: str) -> bool:
    """Says whether everything that an account has was made in the rehearsal.

    Nobody's account is the one that a rehearsal makes up where nobody names another. In an account of somebody's there
    are roles and keys of which the rehearsal was never told, and what is not there can't be told from them.
    """
    return bool(account == DEFAULT_ACCOUNT_ID)


def role_named(arn: str, *, account: str, partition: str) -> Any | None:
    """Gives moto's record of a role by its ARN; None where the account has no such role."""
    roles = iam_backends[account][partition].roles.values()
    return next((role for role in roles if role.arn == arn), None)


def trusts_service(role: Any, service: str, actions: Collection[str] = _ASSUME) -> bool:
    """Says whether a service may take a role.

    Args:
        role: moto's record of the role.
        service: The service's principal, such as ``lambda.amazonaws.com``.
        actions: What the role must allow the service to do, such as ``sts:TagSession`` beside ``sts:AssumeRole``.
    """
    allowed = [
        pattern.lower()
        for statement in statements(role.assume_role_policy_document)
        if statement.get("Effect") == "Allow" and service in _services(statement)
        for pattern in listed(statement.get("Action", []))
    ]
    return all(any(fnmatchcase(action.lower(), pattern) for pattern in allowed) for action in actions)


def statements(document: str | Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the statements of a policy document, given as text or as what the text says; of anything else, nothing."""
    read: Any = json.loads(document) if isinstance(document, str) else document
    found = listed(read.get("Statement", [])) if isinstance(read, Mapping) else []
    yield from (one for one in found if isinstance(one, Mapping))


def listed(value: Any) -> list[Any]:
    """Gives what may stand alone or in a list as a list."""
    return value if isinstance(value, list) else [value]


def _services(statement: Mapping[str, Any]) -> list[str]:
    principal = statement.get("Principal", {})
    return listed(principal.get("Service", []) if isinstance(principal, Mapping) else principal)
