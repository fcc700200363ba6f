"""The part of the plan that outlives a cluster."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationPlan:
    """A link between a folder of the file system and a prefix of a bucket.

    Attributes:
        file_system_path: The folder.
        bucket_name: The existing bucket that is linked; None for the environment's checkpoint bucket.
        prefix: The prefix in the bucket, without slashes around it; empty for the whole bucket.
        auto_import, auto_export: The events that are carried over.
        lists_bucket: Whether what the bucket holds is listed in the folder when the link is made. Where both have files
            of a name, the bucket's wins, so that nothing is listed in a folder that may hold newer ones.
    """

    file_system_path: str
    bucket_name: str | None
    prefix: str
    auto_import: tuple[str, ...]
    auto_export: tuple[str, ...]
    lists_bucket: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LustrePlan:
    """An FSx for Lustre file system that the storage stack makes.

    Attributes:
        file_system_type_version: The Lustre version.
        storage_gib: Its size; None where it grows with what it holds.
        throughput_mbps_per_tib: MB/s for each TiB; None where there is no choice.
        throughput_capacity_mbps: MB/s as a whole, of INTELLIGENT_TIERING; None of other types.
        throughput_mbps: The disk throughput that size and rate come to, MB/s.
        own_key: Whether the environment's key encrypts it; else FSx's own does, as of all scratch file systems.
        metadata_mode: ``AUTOMATIC`` or ``USER_PROVISIONED``; None where metadata performance can't be set.
        metadata_iops: With ``USER_PROVISIONED``, how many operations a second.
        drive_cache: ``NONE`` or ``READ``, of HDD; None of other types.
        read_cache: How the read cache of INTELLIGENT_TIERING is sized; None of other types.
        read_cache_gib: Its size, where it is given.
        efa_clients: The node groups that can reach it by EFA; none without EFA.
        root_squash: What clients' root becomes, by hand; None for root.
        weekly_maintenance_start: Day and time in UTC; None where FSx chooses.
        automatic_backup_retention_days: None where nothing is said of backups, so that there are none.
        log_level: Which events of associations are logged; None where none are.
        log_retention_days: How long the log is kept; None without a log.
        subnet: The name of the one subnet that it stands in.
        retain: Whether it outlives its stack.
    """

    deployment_type: str
    storage_type: str
    file_system_type_version: str
    storage_gib: int | None
    throughput_mbps_per_tib: int | None
    throughput_capacity_mbps: int | None
    throughput_mbps: int
    data_compression: str
    own_key: bool
    metadata_mode: str | None
    metadata_iops: int | None
    drive_cache: str | None
    read_cache: str | None
    read_cache_gib: int | None
    efa_enabled: bool
    efa_clients: tuple[str, ...]
    root_squash: str | None
    weekly_maintenance_start: str | None
    automatic_backup_retention_days: int | None
    log_level: str | None
    log_retention_days: int | None
    mount_path: str
    subnet: str
    retain: bool
    associations: tuple[AssociationPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingLustrePlan:
    """A file system that stands already: nodes get access to it, and associations are made where they are asked for.

    Attributes:
        efa_enabled: Whether it was made for clients that reach it by EFA, whose traffic is let through then.
    """

    file_system_id: str
    mount_name: str
    security_group_id: str
    efa_enabled: bool
    root_squash: str | None
    mount_path: str
    associations: tuple[AssociationPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationPlan:
    """A bucket of another region that gets a copy of every new object.

    Attributes:
        kms_key_arn: The key that copies are encrypted with; None for S3's own.
    """

    region: str
    bucket_name: str
    kms_key_arn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectLockPlan:
    """For how long no version of an object can be deleted, and who may lift that."""

    mode: str
    days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPlan:
    """The checkpoint bucket and the bucket that logs who reads and writes it.

    Attributes:
        name, access_log_name: ``ACCOUNT`` stands for the account's number where the environment names none.
        job_prefixes: The prefixes that jobs may use; none for all of it.
        encryption: ``kms`` (the environment's own key) or ``s3``.
        noncurrent_expiration_days: When overwritten and deleted versions go, those too of a bucket that keeps no more.
        infrequent_access_after_days: When objects move to the cheaper class; None for never.
        replication: Where copies go; None for nowhere.
        object_lock: None without one.
        access_log_expiration_days: How long the access log is kept.
        retain: Whether the bucket outlives its stack.
    """

    name: str
    access_log_name: str
    job_prefixes: tuple[str, ...]
    encryption: str
    versioned: bool
    noncurrent_expiration_days: int
    infrequent_access_after_days: int | None
    replication: ReplicationPlan | None
    object_lock: ObjectLockPlan | None
    access_log_expiration_days: int
    retain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingBucketPlan:
    """A checkpoint bucket that stands already, of which nothing is made or changed.

    Attributes:
        job_prefixes: The prefixes that jobs may use; none for all of it.
        kms_key_arn: The key that it is encrypted with; None for S3's own.
    """

    name: str
    job_prefixes: tuple[str, ...]
    kms_key_arn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan:
    """An existing bucket that jobs may read.

    Attributes:
        prefix: The prefix that they may read, without slashes around it; empty for all of it.
        kms_key_arn: The key that it is encrypted with; None for S3's own.
    """

    name: str
    bucket_name: str
    prefix: str
    kms_key_arn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePlan:
    """Everything that outlives a cluster."""

    checkpoints: BucketPlan | ExistingBucketPlan
    datasets: tuple[DatasetPlan, ...]
    lustre: LustrePlan | ExistingLustrePlan | None
