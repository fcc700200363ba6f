"""Judges bucket policies as S3 does for callers over TLS, for whom the rehearsal's loopback connections stand.

moto takes every statement with a condition for one that denies, whatever the condition says: by the CDK's bootstrap
bucket no asset could be published, and by ours no checkpoint written.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from flask import request
from moto.iam.access_control import IAMPolicy
from moto.s3.models import FakeBucket, S3Backend, s3_backends

from rehearsal.overlays.s3_access import set_defaults

_S3 = "s3:"
#: Whether a condition is met, by its operator, the request's value (None where it has none) and the values asked for.
#:
#: Source: IAM user guide, "IAM JSON policy elements: Condition operators".
_OPERATORS: Mapping[str, Callable[[str | None, list[str]], bool]] = {
    "Bool": lambda value, wanted: value in wanted,
    "StringEquals": lambda value, wanted: value in wanted,
    "StringNotEquals": lambda value, wanted: value not in wanted,
    "Null": lambda value, wanted: str(value is None).lower() in wanted,
}


class Bucket(FakeBucket):
    """A bucket to which every request comes over TLS."""

    def get_permission(self, action: str, resource: str) -> Any:
        """Judges an action by those statements of the bucket's policy whose conditions the request meets."""
        document = json.loads(self.policy or b'{"Statement": []}')
        statements = document["Statement"]
        judged = [
            _judged(one) for one in (statements if isinstance(statements, list) else [statements]) if _applies(one)
        ]
        return IAMPolicy(json.dumps({"Statement": judged})).is_action_permitted(action, resource)


class Service(S3Backend):
    """S3 in an account, which delivers no access logs as long as a rehearsal lasts.

    moto delivers each record at once, so that the bucket of the logs of a failed stack would never be empty.

    Source: S3 user guide, "Logging requests with server access logging": most records come within a few hours.
    """

    def log_incoming_request(self, request: Any, bucket_name: str) -> None:
        """Delivers nothing."""


def adopt() -> None:
    """Makes S3, and every bucket that moto has made, ours, with what S3 gives to a new one that was told nothing."""
    for account in list(s3_backends.values()):
        for backend in list(account.values()):
            backend.__class__ = Service
            for bucket in list(backend.buckets.values()):
                if type(bucket) is FakeBucket:
                    bucket.__class__ = Bucket  # type: ignore[type-abstract]
                    set_defaults(bucket)


def _applies(statement: Mapping[str, Any]) -> bool:
    """Tells whether no condition of a statement keeps it from applying; what nobody can judge keeps it from none."""
    return all(met is not False for met in _conditions(statement))


def _judged(statement: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a statement without its conditions, where all of them are met; moto judges the others."""
    met = all(_conditions(statement))
    return {key: value for key, value in statement.items() if key != "Condition" or not met}


def _conditions(statement: Mapping[str, Any]) -> list[bool | None]:
    """Gives whether each condition is met; None where it is not known."""
    return [
        _met(operator, key, [str(one).lower() if isinstance(one, bool) else str(one) for one in _listed(wanted)])
        for operator, pairs in statement.get("Condition", {}).items()
        for key, wanted in pairs.items()
    ]


def _met(operator: str, key: str, wanted: list[str]) -> bool | None:
    judge = _OPERATORS.get(operator)
    if judge is None:
        return None
    if key == "aws:SecureTransport":
        return judge("true", wanted)
    return judge(request.headers.get(key.removeprefix(_S3)), wanted) if key.startswith(f"{_S3}x-amz-") else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
