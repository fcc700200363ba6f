"""What S3 refuses of a bucket's policy.

Source: users who quote code and words: aws-samples/aws-batch-architecture-for-alphafold issue 1 (a principal that is
not there), aws-samples/aws-serverless-appsync-app issue 4 (another bucket), and many of "public policies are blocked by
the BlockPublicPolicy block public access setting"; S3 user guide, "Blocking public access to your Amazon S3 storage",
what is public; badmintoncryer/cdk-preflight, rules/s3/pf-s3-bucket-policy-principal, a deploy of September 2026.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from moto.iam.models import iam_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of, listed


def check_policy(bucket: str, document: str | bytes, *, account: str, partition: str, blocks_public: bool) -> None:
    """Refuses a policy about another bucket, for nobody, or for everybody where the bucket keeps the public out.

    Args:
        bucket: The bucket's name.
        document: The policy, as JSON.
        account: The account of the bucket.
        partition: Its partition.
        blocks_public: Whether the bucket refuses policies that let the public in.

    Raises:
        OverlayError: S3's ``MalformedPolicy`` or ``AccessDenied``.
    """
    try:
        read = json.loads(document)
    except ValueError as error:
        raise _malformed("Policies must be valid JSON and the first byte must be '{'") from error
    for statement in listed(read.get("Statement", [])):
        _check_statement(statement, bucket, account, partition)
        if blocks_public and _is_public(statement):
            message = (
                f"User: arn:{partition}:iam::{account}:root is not authorized to perform: s3:PutBucketPolicy on "
                f'resource: "arn:{partition}:s3:::{bucket}" because public policies are blocked by the '
                "BlockPublicPolicy block public access setting."
            )
            raise OverlayError("AccessDenied", message)


def _check_statement(statement: Mapping[str, Any], bucket: str, account: str, partition: str) -> None:
    if "Principal" not in statement and "NotPrincipal" not in statement:
        raise _malformed("Missing required field Principal")
    if not all(_may_be_named(name, account, partition) for name in _names(statement)):
        raise _malformed("Invalid principal in policy")
    resources = listed(statement.get("Resource", [])) + listed(statement.get("NotResource", []))
    if not all(_is_of(str(resource), bucket) for resource in resources):
        raise _malformed("Policy has invalid resource")


def _names(statement: Mapping[str, Any]) -> Iterator[str]:
    """Yields whom a statement names of AWS's accounts."""
    for member in ("Principal", "NotPrincipal"):
        principal = statement.get(member, {})
        for name in listed(principal.get("AWS", []) if isinstance(principal, Mapping) else []):
            yield str(name)


def _may_be_named(arn: str, account: str, partition: str) -> bool:
    """Says whether a principal is there; of one in an account that somebody has it can't be told."""
    _, _, resource = arn.partition(f":iam::{account}:")
    if not resource.startswith(("role/", "user/")) or not knows_all_of(account):
        return True
    backend: Any = iam_backends[account][partition]
    return arn in {one.arn for one in (*backend.roles.values(), *backend.users.values())}


def _is_of(resource: str, bucket: str) -> bool:
    """Says whether a resource is the bucket, something in it, or a pattern that may be."""
    name = resource.partition(":s3:::")[2].partition("/")[0]
    return resource == "*" or "*" in name or "?" in name or name == bucket


def _is_public(statement: Mapping[str, Any]) -> bool:
    principal = statement.get("Principal", {})
    names = listed(principal.get("AWS", []) if isinstance(principal, Mapping) else principal)
    return statement.get("Effect") == "Allow" and "*" in names and not statement.get("Condition")


def _malformed(message: str) -> OverlayError:
    return OverlayError("MalformedPolicy", message)
