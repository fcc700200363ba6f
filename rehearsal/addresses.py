"""Reads texts that lie in S3 under an address, as CloudFormation reads templates and policies."""

import re
from typing import Any
from urllib.parse import unquote, urlsplit

from botocore.exceptions import ClientError

from rehearsal.limits import MAX_URL_BYTES
from rehearsal.templates.text import TemplateError

PATH_STYLE_HOST = re.compile(r"s3[.-].*|s3|localhost|[\d.]+|\[.*\]")


def downloaded(url: str, s3: Any) -> str:
    """Reads the text at an address.

    Args:
        url: The address.
        s3: A boto3 client of S3.

    Raises:
        TemplateError: It is no address in S3, can't be read, or has more than 1,000,000 bytes.
    """
    bucket, key = s3_location(url)
    try:
        content: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    except ClientError as error:
        raise TemplateError(f"S3 error: {error.response['Error']['Message']}") from error
    if len(content) > MAX_URL_BYTES:
        raise TemplateError(f"Template may not exceed {MAX_URL_BYTES} bytes in size.")
    return content.decode()


def s3_location(url: str) -> tuple[str, str]:
    """Gives the bucket and the key of an S3 address, be the bucket in its path or in its host name.

    Raises:
        TemplateError: It is no address in S3.
    """
    parts = urlsplit(url)
    path = unquote(parts.path.lstrip("/"))
    host = parts.hostname or ""
    if not host or not path:
        raise TemplateError(f"TemplateURL must be a supported URL: {url}")
    if PATH_STYLE_HOST.fullmatch(host):
        bucket, _, key = path.partition("/")
        return bucket, key
    return host.split(".", 1)[0], path
