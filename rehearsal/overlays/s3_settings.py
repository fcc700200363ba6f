"""What S3 refuses of a bucket's versions, locks, default encryption and acceleration.

Source: localstack/localstack, tests/aws/services/s3/test_s3_api.snapshot.json, TestS3ObjectLock and
TestS3BucketEncryption, answers of S3; badmintoncryer/cdk-preflight, rules/s3, pf-s3-objectlock-*,
-encryption-kms-key-with-aes256 and -accelerate-dotted-name, deploys of September 2026, of the last of which the code is
not told; S3 user guide, "Configuring S3 Object Lock": a bucket that has objects can be locked too.
"""

from collections.abc import Mapping
from typing import Any

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import listed

_ENABLED = "Enabled"
_OF_KMS = ("aws:kms", "aws:kms:dsse")
#: In which way a retention is told; one of them.
_PERIODS = ("Days", "Years")


def malformed_xml() -> OverlayError:
    """Gives S3's refusal of what its schema does not have."""
    words = "The XML you provided was not well-formed or did not validate against our published schema"
    return OverlayError("MalformedXML", words)


def check_versioning(bucket: Any, configuration: Mapping[str, Any]) -> None:
    """Refuses to suspend the versions of a bucket with Object Lock.

    Raises:
        OverlayError: S3's ``InvalidBucketState``.
    """
    if bucket.object_lock_enabled and configuration.get("Status") != _ENABLED:
        words = "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed."
        raise OverlayError("InvalidBucketState", words)


def check_encryption(configuration: Mapping[str, Any]) -> None:
    """Refuses a key for an algorithm that takes none, and more than one rule.

    Raises:
        OverlayError: S3's ``InvalidArgument`` or ``MalformedXML``.
    """
    rules = listed(configuration.get("Rule") or [])
    if len(rules) != 1:
        raise malformed_xml()
    default = rules[0].get("ApplyServerSideEncryptionByDefault") or {}
    if default.get("KMSMasterKeyID") and default.get("SSEAlgorithm") not in _OF_KMS:
        words = "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse"
        raise OverlayError("InvalidArgument", words)


def check_acceleration(bucket: Any) -> None:
    """Refuses to speed up a bucket whose name has a dot.

    Raises:
        OverlayError: S3's ``InvalidRequest``.
    """
    if "." in bucket.name:
        words = "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names"
        raise OverlayError("InvalidRequest", words)


def put_lock(bucket: Any, configuration: Mapping[str, Any]) -> None:
    """Locks a bucket, whether it has objects or not, and sets how long objects are kept by default.

    Raises:
        OverlayError: S3's ``InvalidBucketState`` or ``MalformedXML``.
    """
    if configuration.get("ObjectLockEnabled") != _ENABLED:
        raise malformed_xml()
    retention: Mapping[str, Any] = {}
    if "Rule" in configuration:
        retention = (configuration["Rule"] or {}).get("DefaultRetention") or {}
        if "Mode" not in retention or sum(period in retention for period in _PERIODS) != 1:
            raise malformed_xml()
    if not bucket.is_versioned:
        words = "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration"
        raise OverlayError("InvalidBucketState", words)
    bucket.object_lock_enabled = True
    bucket.default_lock_mode = retention.get("Mode")
    bucket.default_lock_days, bucket.default_lock_years = (int(retention.get(period, 0)) for period in _PERIODS)
