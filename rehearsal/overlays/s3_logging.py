"""Server access logs: S3 takes any bucket of the account and the region for them.

moto refuses a bucket that grants the logs' writer nothing. S3 does not look: the grant may be given before or after,
and the CDK gives it after, by a policy that names the bucket that is logged.

Source: localstack/localstack, tests/aws/services/s3/test_s3.py, TestS3BucketLogging, run against S3, and its snapshot:
what is taken, codes and words ("Prohibitted" is S3's own spelling); zalando-stups/sevenseconds issue 29, another
account's bucket; S3 user guide, "Troubleshooting server access logging": a bucket with Object Lock is taken, and gets
no logs.
"""

from collections.abc import Mapping
from typing import Any

from moto.s3.models import s3_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.trust import knows_all_of, listed

_INVALID_TARGET = "InvalidTargetBucketForLogging"


def put_logging(bucket: Any, status: Mapping[str, Any]) -> bool:
    """Sets where a bucket's access logs go, or that it has none.

    A bucket that is not known may be there, where the account is somebody's.

    Args:
        bucket: moto's record of the bucket.
        status: ``BucketLoggingStatus`` of the request.

    Returns:
        Whether the request is answered with that; one that grants rights to the logs is left to moto.

    Raises:
        OverlayError: S3's ``InvalidTargetBucketForLogging`` or ``CrossLocationLoggingProhibitted``.
    """
    enabled = status.get("LoggingEnabled")
    if not enabled:
        bucket.logging = {}
        return True
    name = enabled.get("TargetBucket")
    if not name:
        return False
    _, account = s3_backends.bucket_accounts.get(name, (None, None))
    if account is None:
        if knows_all_of(bucket.account_id):
            raise OverlayError(_INVALID_TARGET, "The target bucket for logging does not exist")
        return _log_to(bucket, name, enabled)
    if account != bucket.account_id:
        words = "The owner for the bucket to be logged and the target bucket must be the same."
        raise OverlayError(_INVALID_TARGET, words)
    target = s3_backends[account][bucket.partition].buckets[name]
    if target.region_name != bucket.region_name:
        raise OverlayError("CrossLocationLoggingProhibitted", "Cross S3 location logging not allowed. ")
    if listed(enabled.get("TargetGrants") or []):
        return False
    return _log_to(bucket, name, enabled)


def _log_to(bucket: Any, name: str, enabled: Mapping[str, Any]) -> bool:
    bucket.logging = {"TargetBucket": name, "TargetPrefix": enabled.get("TargetPrefix") or ""}
    return True
