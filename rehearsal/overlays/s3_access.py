"""Access control lists, who owns a bucket's objects, and what keeps the public out.

Source: S3 user guide, "Controlling ownership of objects and disabling ACLs for your bucket", "Troubleshooting" (codes
and words of refused lists), "Blocking public access to your Amazon S3 storage"; S3 API reference, CreateBucket,
``ACL``; aws-cloudformation/cloudformation-coverage-roadmap issue 1606, a list at creation;
badmintoncryer/cdk-preflight, rules/s3, pf-s3-acl-public-blocked, a deploy of September 2026. Its words are told, its
code is not: it was not confirmed. The words of a public list on a bucket that blocks them are inferred from those of a
public policy.
"""

from collections.abc import Mapping
from typing import Any

from moto.s3.models import FakeBucket, PublicAccessBlock

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.s3_public import PUBLIC_ACLS
from rehearsal.overlays.s3_settings import malformed_xml

_ENFORCED, _PRIVATE = "BucketOwnerEnforced", "private"
#: Lists of objects, which S3 leaves out where a bucket is made; whatever list a bucket has, its owner has all rights.
#: Source: S3 user guide, "Access control list (ACL) overview", canned ACLs; "Troubleshooting" of Object Ownership.
_OF_OBJECTS = ("bucket-owner-read", "bucket-owner-full-control")
_ACL, _OWNERSHIP, _GRANT = "x-amz-acl", "x-amz-object-ownership", "x-amz-grant-"
_GROUPS = ("global/AllUsers", "global/AuthenticatedUsers")
_DISOWNED = "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting"


def set_defaults(bucket: FakeBucket) -> None:
    """Gives a bucket what every new one has: lists are off, and the public is kept out.

    Source: S3 user guide, "Default settings for new S3 buckets FAQ", since April 2023; localstack/localstack,
    tests/aws/services/s3/test_s3_api.snapshot.json, which has both read from a new bucket.
    """
    if bucket.ownership_rule is None:
        bucket.ownership_rule = _ENFORCED  # type: ignore[assignment]
    if bucket.public_access_block is None:
        bucket.public_access_block = PublicAccessBlock(*["true"] * 4)


def check_creation(headers: Mapping[str, str]) -> None:
    """Refuses to make a bucket with a list that nothing allows yet.

    Args:
        headers: The request's headers, their names in lower case.

    Raises:
        OverlayError: S3's ``InvalidBucketAclWithObjectOwnership`` or ``InvalidBucketAclWithBlockPublicAccessError``.
    """
    if not _grants(headers):
        return
    if headers.get(_OWNERSHIP, _ENFORCED) == _ENFORCED:
        raise OverlayError("InvalidBucketAclWithObjectOwnership", _DISOWNED)
    if _is_public(headers):
        words = "Bucket cannot have public ACLs set with BlockPublicAccess enabled"
        raise OverlayError("InvalidBucketAclWithBlockPublicAccessError", words)


def check_acl(bucket: Any, headers: Mapping[str, str], body: str, *, account: str) -> None:
    """Refuses a list on a bucket that has none, and a public one where the bucket blocks it.

    Raises:
        OverlayError: S3's ``AccessControlListNotSupported`` or ``AccessDenied``.
    """
    if bucket.ownership_rule == _ENFORCED:
        raise OverlayError("AccessControlListNotSupported", "The bucket does not allow ACLs")
    block = bucket.public_access_block
    blocked = block is not None and str(block.block_public_acls).lower() == "true"
    if blocked and (_is_public(headers) or any(group in body for group in _GROUPS)):
        message = (
            f"User: arn:{bucket.partition}:iam::{account}:root is not authorized to perform: s3:PutBucketAcl on "
            f'resource: "{bucket.arn}" because public access control lists (ACLs) are prevented by the BlockPublicAcls '
            "setting in S3 Block Public Access."
        )
        raise OverlayError("AccessDenied", message)


def check_ownership(bucket: Any, controls: Mapping[str, Any]) -> None:
    """Refuses more than one rule, and to switch lists off as long as the bucket's own grants something to others.

    Args:
        bucket: moto's record of the bucket.
        controls: ``OwnershipControls`` of the request.

    Raises:
        OverlayError: S3's ``MalformedXML`` or ``InvalidBucketAclWithObjectOwnership``.

    Source: of rules, S3 API reference, PutBucketOwnershipControls, whose examples have one; that S3's schema has no
    place for two is unconfirmed.
    """
    if len(controls["Rule"]) != 1:
        raise malformed_xml()
    wanted = controls["Rule"][0]["ObjectOwnership"]
    if wanted == _ENFORCED and bucket.acl is not None and len(bucket.acl.grants) > 1:
        raise OverlayError("InvalidBucketAclWithObjectOwnership", _DISOWNED)


def blocks_public_policies(bucket: Any) -> bool:
    """Says whether a bucket refuses policies that let the public in."""
    block = bucket.public_access_block
    return block is not None and str(block.block_public_policy).lower() == "true"


def _grants(headers: Mapping[str, str]) -> bool:
    """Says whether a request has a list with more in it than the owner's own rights."""
    return headers.get(_ACL, _PRIVATE) not in (_PRIVATE, *_OF_OBJECTS) or any(
        name.startswith(_GRANT) for name in headers
    )


def _is_public(headers: Mapping[str, str]) -> bool:
    named = [value for name, value in headers.items() if name.startswith(_GRANT)]
    return headers.get(_ACL) in PUBLIC_ACLS or any(group in value for value in named for group in _GROUPS)
