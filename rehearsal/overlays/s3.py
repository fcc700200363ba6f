"""S3: what AWS refuses of buckets and moto takes, and what it takes and moto refuses.

moto's S3 finds out from paths, hosts and queries what it is asked for, so nothing can be laid over its operations: the
requests are looked at before it answers them.
"""

import re
from http import HTTPStatus
from typing import Any
from xml.sax.saxutils import escape

from flask import Response as Answer
from flask import request
from moto.s3.models import s3_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.s3_access import blocks_public_policies, check_acl, check_creation, check_ownership
from rehearsal.overlays.s3_documents import read_document
from rehearsal.overlays.s3_lifecycle import check_lifecycle
from rehearsal.overlays.s3_logging import put_logging
from rehearsal.overlays.s3_notifications import check_notifications
from rehearsal.overlays.s3_policies import check_policy
from rehearsal.overlays.s3_settings import (
    check_acceleration,
    check_encryption,
    check_versioning,
    put_lock,
)

_HOSTED = re.compile(r"(.+)\.s3[.-][a-z0-9.-]+")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_LETTERS = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BEGINNINGS = ("xn--", "sthree-", "amzn-s3-demo-")
_ENDINGS = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")
_STATUS = {"AccessDenied": HTTPStatus.FORBIDDEN, "InvalidBucketState": HTTPStatus.CONFLICT}


class Response:
    """S3's API."""

    @staticmethod
    def look() -> Answer | None:
        """Answers a request that S3 refuses, or that moto answers wrongly; None leaves it to moto."""
        bucket = _bucket()
        if request.method != "PUT" or bucket is None:
            return None
        try:
            return _answered(bucket)
        except OverlayError as refusal:
            body = f"<Error><Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message></Error>"
            status = _STATUS.get(refusal.code, HTTPStatus.BAD_REQUEST)
            return Answer(body, status, mimetype="application/xml")


def check_name(name: str) -> None:
    """Refuses a name that no bucket may have.

    Source: S3 user guide, "General purpose bucket naming rules"; S3 API reference, "Error responses",
    ``InvalidBucketName``.
    """
    if (
        not _LETTERS.fullmatch(name)
        or _ADDRESS.fullmatch(name)
        or ".." in name
        or name.startswith(_BEGINNINGS)
        or name.endswith(_ENDINGS)
    ):
        raise OverlayError("InvalidBucketName", "The specified bucket is not valid.")


def _answered(name: str) -> Answer | None:
    if not request.args:
        check_name(name)
        check_creation(_headers())
        return None
    if name not in s3_backends.bucket_accounts:
        return None
    partition, account = s3_backends.bucket_accounts[name]
    bucket = s3_backends[account][partition].buckets[name]
    if "logging" in request.args:
        return Answer("", HTTPStatus.OK) if put_logging(bucket, _document("PutBucketLogging")) else None
    if "object-lock" in request.args:
        put_lock(bucket, _document("PutObjectLockConfiguration"))
        return Answer("", HTTPStatus.OK)
    _check_access(bucket, account)
    _check_settings(bucket)
    return None


def _check_access(bucket: Any, account: str) -> None:
    """Refuses what a bucket may not be told about who may do what with it."""
    if "acl" in request.args:
        check_acl(bucket, _headers(), request.get_data(as_text=True), account=account)
    if "ownershipControls" in request.args:
        check_ownership(bucket, _document("PutBucketOwnershipControls"))
    if "policy" in request.args:
        check_policy(
            bucket.name,
            request.get_data(),
            account=account,
            partition=bucket.partition,
            blocks_public=blocks_public_policies(bucket),
        )


def _check_settings(bucket: Any) -> None:
    """Refuses what a bucket may not be told about its objects."""
    if "versioning" in request.args:
        check_versioning(bucket, _document("PutBucketVersioning"))
    if "encryption" in request.args:
        check_encryption(_document("PutBucketEncryption"))
    if "accelerate" in request.args:
        check_acceleration(bucket)
    if "notification" in request.args:
        check_notifications(bucket, _document("PutBucketNotificationConfiguration"))
    if "lifecycle" in request.args:
        check_lifecycle(_document("PutBucketLifecycleConfiguration")["Rule"])


def _document(operation: str) -> dict[str, Any]:
    return read_document(operation, request.get_data())


def _headers() -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}


def _bucket() -> str | None:
    """Gives the bucket that a request is about; None where it is about an object or about no bucket."""
    hosted = _HOSTED.fullmatch(request.host.partition(":")[0])
    name, key = (hosted[1], request.path.strip("/")) if hosted else request.path.strip("/").partition("/")[::2]
    return None if key or not name else name
