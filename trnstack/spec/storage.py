"""The ``storage`` section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import KeyArn, Name, RemovalPolicy, Section

BucketName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
Prefix = Annotated[
    str, StringConstraints(pattern=r"^([A-Za-z0-9!_.*'()-]+(/[A-Za-z0-9!_.*'()-]+)*/?)?$", max_length=900)
]
FileSystemPath = Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*$", max_length=4096)]
FileSystemId = Annotated[str, StringConstraints(pattern=r"^fs-[0-9a-f]{8,40}$")]
MountName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,8}$")]
SecurityGroupId = Annotated[str, StringConstraints(pattern=r"^sg-([0-9a-f]{8}|[0-9a-f]{17})$")]
Event = Literal["NEW", "CHANGED", "DELETED"]


class Checkpoints(Section):
    """The bucket that holds what was trained. It always exists."""

    existing_bucket: Annotated[BucketName | None, Field(description="Adopt a bucket that was retained")] = None
    encryption: Literal["kms", "s3"] = "kms"
    versioned: bool = True
    noncurrent_expiration_days: Annotated[int, Field(ge=1, le=36_500)] = 30
    infrequent_access_after_days: Annotated[int | None, Field(ge=30, le=36_500)] = None
    removal_policy: RemovalPolicy = "retain"


class Dataset(Section):
    """An existing bucket that the nodes may read."""

    name: Name
    bucket_name: BucketName
    prefix: Prefix = ""
    kms_key_arn: KeyArn | None = None


class DataRepositoryAssociation(Section):
    """A link between a folder of the file system and a prefix of a bucket."""

    file_system_path: FileSystemPath
    bucket: Annotated[str, Field(description="`checkpoints`, or the name of a dataset")] = "checkpoints"
    prefix: Prefix = ""
    auto_import: tuple[Event, ...] = ("NEW", "CHANGED")
    auto_export: tuple[Event, ...] = ("NEW", "CHANGED")


class ExistingFileSystem(Section):
    """A file system that an earlier environment retained."""

    file_system_id: FileSystemId
    mount_name: MountName
    security_group_id: SecurityGroupId


class Lustre(Section):
    """The FSx for Lustre file system."""

    existing_file_system: ExistingFileSystem | None = None
    deployment_type: Literal["SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = "PERSISTENT_2"
    storage_type: Literal["SSD", "HDD", "INTELLIGENT_TIERING"] = "SSD"
    storage_gib: Annotated[int, Field(ge=1, le=2_147_483_647)] = 4800
    throughput_mbps_per_tib: Annotated[int, Field(ge=1, le=100_000)] = 250
    throughput_capacity_mbps: Annotated[int | None, Field(ge=1, le=2_000_000)] = None
    metadata_iops: Annotated[int | None, Field(ge=1, le=1_000_000, description="null = automatic")] = None
    efa_enabled: bool = False
    data_compression: Literal["LZ4", "NONE"] = "LZ4"
    mount_path: FileSystemPath = "/fsx"
    removal_policy: RemovalPolicy = "retain"
    data_repository_associations: tuple[DataRepositoryAssociation, ...] = ()


class Storage(Section):
    """Everything that outlives a cluster."""

    checkpoints: Checkpoints = Checkpoints()
    datasets: tuple[Dataset, ...] = ()
    lustre: Lustre | None = None
