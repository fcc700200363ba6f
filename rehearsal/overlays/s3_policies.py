"""What S3 refuses of a bucket's policy.

Source: users who quote code and words: aws-samples/aws-batch-architecture-for-alphafold issue 1 (a principal that is
not there), aws-samples/aws-serverless-appsync-app issue 4 (another bucket), versity/versitygw issues 645 to 650 and
pull request 1176 (effect, action, resource, principal, nothing in it), humanmade/S3-Uploads issue 239 (actions on what
they don't apply to); badmintoncryer/cdk-preflight, rules/s3, pf-s3-bucket-policy-* and
-policy-public-with-block-public-policy, deploys of September 2026; localstack/localstack,
tests/aws/services/s3/test_s3_api.snapshot.json. What is said to an unknown element, and to a statement without an
effect, an action or a resource, is inferred from what is said to one without a principal; what is said to conditions
that are none, from what is said to a statement that is none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_trust import is_there
from rehearsal.overlays.policy_grammar import (
    EFFECTS,
    STATEMENT_ELEMENTS,
    TOP_ELEMENTS,
    VERSIONS,
    are_conditions,
    has,
    is_aws_principal,
    is_service,
    principals,
    read,
    values,
)
from rehearsal.overlays.s3_public import is_public
from rehearsal.overlays.trust import listed

_ON_OBJECTS = (
    "s3:getobject",
    "s3:putobject",
    "s3:deleteobject",
    "s3:abortmultipartupload",
    "s3:listmultipartuploadparts",
    "s3:restoreobject",
    "s3:replicate",
    "s3:bypassgovernanceretention",
)
"""How actions on objects begin. Source: Service Authorization Reference, "Amazon S3", actions."""
_ON_BUCKETS = ("s3:listbucket", "s3:getbucket", "s3:putbucket", "s3:deletebucket")
"""How actions on buckets begin. Source: as above."""
#: CloudFront's older identity, which only policies of buckets may name; its name has blanks. Source: CloudFront
#: developer guide, "Restrict access to an Amazon S3 origin", "Using an OAI in an Amazon S3 bucket policy"; aws-cdk-lib,
#: which writes it so for an identity that it did not make.
_ORIGIN_ACCESS = re.compile(r"arn:[a-z-]+:iam::cloudfront:user/CloudFront Origin Access Identity E[A-Z0-9]+")


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
    for statement in _read(document):
        for problem in _problems(statement, bucket, account, partition):
            raise _malformed(problem)
        if blocks_public and is_public(statement):
            message = (
                f"User: arn:{partition}:iam::{account}:root is not authorized to perform: s3:PutBucketPolicy on "
                f'resource: "arn:{partition}:s3:::{bucket}" because public policies are prevented by the '
                "BlockPublicPolicy setting in S3 Block Public Access."
            )
            raise OverlayError("AccessDenied", message)


def _read(text: str | bytes) -> list[Mapping[str, Any]]:
    try:
        document = read(text)
    except ValueError:
        document = None
    if not isinstance(document, Mapping):
        raise _malformed("Policies must be valid JSON and the first byte must be '{'")
    for name in document:
        if name not in TOP_ELEMENTS:
            raise _malformed(f"Unknown field {name}")
    if "Statement" not in document:
        raise _malformed("Missing required field Statement")
    if document.get("Version", VERSIONS[0]) not in VERSIONS:
        raise _malformed("The policy must contain a valid version string")
    statements = listed(document["Statement"])
    if not statements:
        raise _malformed("Could not parse the policy: Statement is empty!")
    if not all(isinstance(one, Mapping) for one in statements):
        raise _malformed("Invalid policy syntax.")
    return statements


def _problems(statement: Mapping[str, Any], bucket: str, account: str, partition: str) -> Iterator[str]:
    yield from (f"Unknown field {name}" for name in statement if name not in STATEMENT_ELEMENTS)
    if "Effect" not in statement:
        yield "Missing required field Effect"
    elif statement["Effect"] not in EFFECTS:
        yield f"Invalid effect: {statement['Effect']}"
    yield from (f"Missing required field {name}" for name in ("Principal", "Action") if not has(statement, name))
    if not are_conditions(statement.get("Condition", {})):
        yield "Invalid policy syntax."
    if not all(_may_be_named(kind, name, account, partition) for kind, name in principals(statement)):
        yield "Invalid principal in policy"
    actions = [str(action).lower() for action in values(statement, "Action")]
    if not all(map(_is_of_s3, actions)):
        yield "Policy has invalid action"
    if not has(statement, "Resource"):
        yield "Missing required field Resource"
    resources = [str(resource) for resource in values(statement, "Resource")]
    if not all(_is_of(resource, bucket) for resource in resources):
        yield "Policy has invalid resource"
    if "Action" in statement and "Resource" in statement and not all(_applies(one, resources) for one in actions):
        yield "Action does not apply to any resource(s) in statement"


def _may_be_named(kind: str, name: str, account: str, partition: str) -> bool:
    """Says whether a principal may be named; of AWS's in an account that somebody has, only the form is looked at."""
    if kind == "Service":
        return is_service(name, partition)
    if kind != "AWS" or _ORIGIN_ACCESS.fullmatch(name):
        return True
    return is_aws_principal(name) and is_there(name, account=account, partition=partition)


def _is_of_s3(action: str) -> bool:
    return action == "*" or action.startswith("s3:")


def _is_of(resource: str, bucket: str) -> bool:
    """Says whether a resource is the bucket, something in it, or a pattern that may be."""
    name = resource.partition(":s3:::")[2].partition("/")[0]
    return resource == "*" or "*" in name or "?" in name or name == bucket


def _applies(action: str, resources: list[str]) -> bool:
    """Says whether an action can be on one of the resources; of what is not known to be of one kind it can."""
    if action.startswith(_ON_OBJECTS):
        return any(_is_pattern(one) or "/" in one for one in resources)
    if action.startswith(_ON_BUCKETS):
        return any(_is_pattern(one) or "/" not in one for one in resources)
    return True


def _is_pattern(resource: str) -> bool:
    """Says whether the part of a resource before a slash is a pattern, which may stand for more than a bucket."""
    bucket = resource.partition("/")[0]
    return "*" in bucket or "?" in bucket


def _malformed(message: str) -> OverlayError:
    return OverlayError("MalformedPolicy", message)
