"""The part of the plan that outlives a cluster."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationPlan:
    """A link between a folder of the file system and a prefix of the checkpoint bucket.

    Attributes:
        file_system_path: The folder.
        prefix: The prefix in the bucket, without slashes around it; empty for the whole bucket.
        auto_import, auto_export: The events that are carried over.
    """

    file_system_path: str
    prefix: str
    auto_import: tuple[str, ...]
    auto_export: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LustrePlan:
    """The FSx for Lustre file system.

    Attributes:
        file_system_type_version: The Lustre version.
        throughput_mbps: The disk throughput that size and rate come to, MB/s.
        subnet: The name of the one subnet that it stands in.
        retain: Whether it outlives its stack.
    """

    deployment_type: str
    storage_type: str
    file_system_type_version: str
    storage_gib: int
    throughput_mbps_per_tib: int
    throughput_mbps: int
    data_compression: str
    mount_path: str
    subnet: str
    retain: bool
    associations: tuple[AssociationPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPlan:
    """The checkpoint bucket and the bucket that logs who reads and writes it.

    Attributes:
        name, access_log_name: ``ACCOUNT`` stands for the account's number where the environment names none.
        encryption: ``kms`` (the environment's own key) or ``s3``.
        noncurrent_expiration_days: When overwritten and deleted versions go; None without versions.
        infrequent_access_after_days: When objects move to the cheaper class; None for never.
        access_log_expiration_days: How long the access log is kept.
        retain: Whether the bucket outlives its stack.
    """

    name: str
    access_log_name: str
    encryption: str
    versioned: bool
    noncurrent_expiration_days: int | None
    infrequent_access_after_days: int | None
    access_log_expiration_days: int
    retain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePlan:
    """Everything that outlives a cluster."""

    checkpoints: BucketPlan
    lustre: LustrePlan | None
