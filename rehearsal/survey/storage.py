"""Surveys file systems, buckets and keys."""

import json
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.survey.paging import every
from rehearsal.survey.records import Association, Bucket, FileSystem, Key, SubnetPlace

_AWS_ALIAS = "alias/aws/"
_ABSENT = ("NoSuch", "NotFound")


def file_systems(fsx: Any, zones: Mapping[str, str]) -> tuple[FileSystem, ...]:
    """Gives every file system.

    Args:
        fsx: FSx's client.
        zones: The zone id of each subnet.
    """
    found = fsx.describe_file_systems()["FileSystems"]
    return tuple(_file_system(fsx, zones, one) for one in sorted(found, key=lambda one: str(one["FileSystemId"])))


def _file_system(fsx: Any, zones: Mapping[str, str], found: dict[str, Any]) -> FileSystem:
    lustre = found.get("LustreConfiguration", {})
    subnet_id = found["SubnetIds"][0]
    filters = [{"Name": "file-system-id", "Values": [found["FileSystemId"]]}]
    associations = fsx.describe_data_repository_associations(Filters=filters)["Associations"]
    return FileSystem(
        file_system_id=found["FileSystemId"],
        type=found["FileSystemType"],
        deployment_type=lustre.get("DeploymentType"),
        storage_gib=found["StorageCapacity"],
        throughput_mbps_per_tib=lustre.get("PerUnitStorageThroughput"),
        version=found.get("FileSystemTypeVersion"),
        mount_name=lustre.get("MountName"),
        efa_enabled=bool(lustre.get("EfaEnabled")),
        subnet=SubnetPlace(subnet_id, zones[subnet_id]),
        associations=tuple(
            Association(
                path=one["FileSystemPath"],
                repository=one["DataRepositoryPath"],
                imports=tuple(one.get("S3", {}).get("AutoImportPolicy", {}).get("Events", [])),
                exports=tuple(one.get("S3", {}).get("AutoExportPolicy", {}).get("Events", [])),
            )
            for one in associations
        ),
    )


def buckets(s3: Any) -> tuple[Bucket, ...]:
    """Gives every bucket of the account."""
    return tuple(_bucket(s3, name) for name in sorted(one["Name"] for one in s3.list_buckets()["Buckets"]))


def _bucket(s3: Any, name: str) -> Bucket:
    encryption = _asked(s3.get_bucket_encryption, name).get("ServerSideEncryptionConfiguration", {})
    rule = encryption.get("Rules", [{}])[0]
    default = rule.get("ApplyServerSideEncryptionByDefault", {})
    blocks = _asked(s3.get_public_access_block, name).get("PublicAccessBlockConfiguration", {})
    rules = _asked(s3.get_bucket_lifecycle_configuration, name).get("Rules", [])
    lifecycle = [one for one in rules if one["Status"] == "Enabled"]
    old = [one["NoncurrentVersionExpiration"] for one in lifecycle if "NoncurrentVersionExpiration" in one]
    return Bucket(
        name=name,
        versioning=s3.get_bucket_versioning(Bucket=name).get("Status") == "Enabled",
        encryption=default.get("SSEAlgorithm", "AES256"),
        key=default.get("KMSMasterKeyID"),
        bucket_key=bool(rule.get("BucketKeyEnabled")),
        public_access_blocked=bool(blocks) and all(blocks.values()),
        tls_only=_tls_only(json.loads(_asked(s3.get_bucket_policy, name).get("Policy", "{}"))),
        lifecycle_rules=tuple(one.get("ID", "") for one in lifecycle),
        noncurrent_expiration_days=old[0]["NoncurrentDays"] if old else None,
    )


def _asked(operation: Any, bucket: str) -> dict[str, Any]:
    """Asks for a bucket's configuration; S3 answers with an error where there is none."""
    try:
        answer: dict[str, Any] = operation(Bucket=bucket)
    except ClientError as error:
        if any(word in error.response["Error"]["Code"] for word in _ABSENT):
            return {}
        raise
    return answer


def _tls_only(policy: dict[str, Any]) -> bool:
    """Says whether a policy denies everybody everything without transport encryption."""
    return any(
        statement["Effect"] == "Deny"
        and statement.get("Action") in ("s3:*", ["s3:*"])
        and statement.get("Principal") in ("*", {"AWS": "*"})
        and str(statement.get("Condition", {}).get("Bool", {}).get("aws:SecureTransport")).lower() == "false"
        for statement in policy.get("Statement", [])
    )


def keys(kms: Any) -> tuple[Key, ...]:
    """Gives every key but those that AWS makes for its own services."""
    aliases: dict[str, list[str]] = {}
    for alias in every(kms, "list_aliases", "Aliases"):
        aliases.setdefault(alias.get("TargetKeyId", ""), []).append(alias["AliasName"])
    found = (kms.describe_key(KeyId=one["KeyId"])["KeyMetadata"] for one in every(kms, "list_keys", "Keys"))
    made = (
        Key(
            key_id=one["KeyId"],
            aliases=tuple(sorted(aliases.get(one["KeyId"], []))),
            rotation=one["KeyState"] == "Enabled"
            and kms.get_key_rotation_status(KeyId=one["KeyId"])["KeyRotationEnabled"],
            state=one["KeyState"],
        )
        for one in found
        if not any(alias.startswith(_AWS_ALIAS) for alias in aliases.get(one["KeyId"], []))
    )
    return tuple(sorted(made, key=lambda key: (key.aliases, key.key_id)))
