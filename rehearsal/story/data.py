"""What a rehearsal writes as if it were a checkpoint, and whether it is still there at the end."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.story.storage import checkpoint_bucket, file_system
from rehearsal.survey.records import Survey
from trnstack.plan import Plan

_KEY = "rehearsal/step-1000/weights"
_CONTENT = b"what took a month to train"


@dataclass(frozen=True, slots=True)
class Data:
    """What must not be lost.

    Attributes:
        bucket: The checkpoint bucket.
        key: An object in it.
        content: What is in the object.
        file_system_id: The file system; None without one.
    """

    bucket: str
    key: str
    content: bytes
    file_system_id: str | None


def write(plan: Plan, found: Survey, s3: Any) -> Data:
    """Writes an object into the checkpoint bucket, and notes which file system stands."""
    bucket = checkpoint_bucket(plan, found)
    assert bucket is not None  # noqa: S101 - what stands was compared with the plan before
    standing = file_system(plan.storage.lustre, found) if plan.storage.lustre else None
    s3.put_object(Bucket=bucket.name, Key=_KEY, Body=_CONTENT)
    return Data(bucket.name, _KEY, _CONTENT, standing.file_system_id if standing else None)


def lost(data: Data, found: Survey, s3: Any) -> Iterator[str]:
    """Yields a sentence for whatever is not there any more, or is not what was written."""
    try:
        content = s3.get_object(Bucket=data.bucket, Key=data.key)["Body"].read()
    except ClientError as error:
        yield f"s3://{data.bucket}/{data.key} is gone: {error.response['Error']['Code']}"
    else:
        if content != data.content:
            yield f"s3://{data.bucket}/{data.key} holds something else"
    if data.file_system_id and data.file_system_id not in {each.file_system_id for each in found.file_systems}:
        yield f"file system {data.file_system_id} is gone"
