"""Judges bucket policies as S3 does for callers over TLS, for whom the rehearsal's loopback connections stand.

moto denies what a policy denies "unless over TLS" to everybody, since it does not know how a request came. The CDK's
bootstrap bucket has such a policy, and no asset could be published.
"""

import json
from collections.abc import Mapping
from typing import Any

from moto.iam.access_control import IAMPolicy
from moto.s3.models import FakeBucket, s3_backends


class Bucket(FakeBucket):
    """A bucket to which every request comes over TLS."""

    def get_permission(self, action: str, resource: str) -> Any:
        """Judges an action by the bucket's policy, without the statements that speak of requests without TLS."""
        document = json.loads(self.policy or b'{"Statement": []}')
        statements = document["Statement"]
        judged = [
            one for one in (statements if isinstance(statements, list) else [statements]) if not _without_tls(one)
        ]
        return IAMPolicy(json.dumps({"Statement": judged})).is_action_permitted(action, resource)


def adopt() -> None:
    """Makes every bucket that moto has made one of ours; it keeps all that it holds."""
    for account in list(s3_backends.values()):
        for backend in list(account.values()):
            for bucket in list(backend.buckets.values()):
                if type(bucket) is FakeBucket:
                    bucket.__class__ = Bucket  # type: ignore[type-abstract]


def _without_tls(statement: Mapping[str, Any]) -> bool:
    wanted = statement.get("Condition", {}).get("Bool", {}).get("aws:SecureTransport")
    values = wanted if isinstance(wanted, list) else [wanted]
    return [str(value).lower() for value in values] == ["false"]
