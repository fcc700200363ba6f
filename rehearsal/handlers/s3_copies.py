"""What S3 refuses of a bucket's replication, which moto takes as it comes."""

from typing import Any

from botocore.exceptions import ClientError

from rehearsal.handlers.base import Properties, ResourceError


def check_copies(client: Any, properties: Properties) -> None:
    """Refuses replication from or to a bucket without versions, and from a locked bucket to one that is not.

    Source: S3 user guide, "Requirements and considerations for replication", "Using Object Lock with S3 Replication".

    Raises:
        ResourceError: As S3 answers.
    """
    if properties.get("VersioningConfiguration", {}).get("Status") != "Enabled":
        raise ResourceError("InvalidRequest", "Versioning must be 'Enabled' on the bucket to apply a replication")
    for rule in properties["ReplicationConfiguration"]["Rules"]:
        bucket = str(rule["Destination"]["Bucket"]).rpartition(":")[2]
        try:
            status = client.get_bucket_versioning(Bucket=bucket).get("Status")
        except ClientError as error:
            raise ResourceError("InvalidRequest", "Destination bucket must exist.") from error
        if status != "Enabled":
            raise ResourceError("InvalidRequest", "Destination bucket must have versioning enabled.")
        if properties.get("ObjectLockConfiguration") and not _is_locked(client, bucket):
            raise ResourceError("InvalidRequest", "Destination bucket must have Object Lock enabled.")


def _is_locked(client: Any, bucket: str) -> bool:
    try:
        client.get_object_lock_configuration(Bucket=bucket)
    except ClientError:
        return False
    return True
