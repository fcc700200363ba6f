"""S3: what AWS refuses of buckets and moto takes.

moto's S3 finds out from paths, hosts and queries what it is asked for, so nothing can be laid over its operations: the
requests are looked at before it answers them.
"""

import re
from http import HTTPStatus
from typing import Any
from xml.sax.saxutils import escape

import xmltodict  # type: ignore[import-untyped]
from flask import Response as Answer
from flask import request
from moto.s3.models import s3_backends

from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.s3_lifecycle import check_lifecycle
from rehearsal.overlays.s3_policies import check_policy
from rehearsal.overlays.trust import listed

_HOSTED = re.compile(r"(.+)\.s3[.-][a-z0-9.-]+")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_LETTERS = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BEGINNINGS = ("xn--", "sthree-", "amzn-s3-demo-")
_ENDINGS = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")
_STATUS = {"AccessDenied": HTTPStatus.FORBIDDEN}


class Response:
    """S3's API."""

    @staticmethod
    def look() -> Answer | None:
        """Answers a request that S3 refuses; None leaves it to moto."""
        bucket = _bucket()
        if request.method != "PUT" or bucket is None:
            return None
        try:
            _check(bucket)
        except OverlayError as refusal:
            body = f"<Error><Code>{refusal.code}</Code><Message>{escape(refusal.message)}</Message></Error>"
            status = _STATUS.get(refusal.code, HTTPStatus.BAD_REQUEST)
            return Answer(body, status, mimetype="application/xml")
        return None


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


def _check(bucket: str) -> None:
    if not request.args:
        check_name(bucket)
    if bucket not in s3_backends.bucket_accounts:
        return
    partition, account = s3_backends.bucket_accounts[bucket]
    if "policy" in request.args:
        check_policy(
            bucket,
            request.get_data(),
            account=account,
            partition=partition,
            blocks_public=_blocks_public(s3_backends[account][partition].buckets[bucket]),
        )
    if "lifecycle" in request.args:
        rules = (xmltodict.parse(request.get_data())["LifecycleConfiguration"] or {}).get("Rule", [])
        check_lifecycle(listed(rules))


def _bucket() -> str | None:
    """Gives the bucket that a request is about; None where it is about an object or about no bucket."""
    hosted = _HOSTED.fullmatch(request.host.partition(":")[0])
    name, key = (hosted[1], request.path.strip("/")) if hosted else request.path.strip("/").partition("/")[::2]
    return None if key or not name else name


def _blocks_public(bucket: Any) -> bool:
    """Says whether a bucket was told to refuse public policies."""
    block = bucket.public_access_block
    return block is not None and str(block.block_public_policy).lower() == "true"
