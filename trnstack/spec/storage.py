"""The ``storage`` section."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import KeyArn, Name, RegionName, RemovalPolicy, Section

#: The name by which an association calls the checkpoint bucket.
CHECKPOINTS = "checkpoints"

BucketName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
#: Without ``*``, which the policy of the jobs' role would take for any text.
Prefix = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9!_.'()-]+(/[A-Za-z0-9!_.'()-]+)*/?)?$", max_length=900)]
FileSystemPath = Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*$", max_length=4096)]
FileSystemId = Annotated[str, StringConstraints(pattern=r"^fs-[0-9a-f]{8,40}$")]
MountName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,8}$")]
SecurityGroupId = Annotated[str, StringConstraints(pattern=r"^sg-([0-9a-f]{8}|[0-9a-f]{17})$")]
#: Ids of 0 are root, which is what squashing takes away. Source: FSx API reference, LustreRootSquashConfiguration.
RootSquash = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,8}:[1-9][0-9]{0,8}$")]
WeeklyTime = Annotated[str, StringConstraints(pattern=r"^[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]$")]
Event = Literal["NEW", "CHANGED", "DELETED"]


class Replication(Section):
    """An existing bucket of another region that gets a copy of every new checkpoint."""

    region: Annotated[RegionName, Field(description="The region that the other bucket is in")]
    bucket_name: Annotated[BucketName, Field(description="The existing bucket's name; it keeps versions")]
    kms_key_arn: Annotated[
        KeyArn | None, Field(description="The key that the copies are encrypted with, in that region; null: S3's own")
    ] = None


class Checkpoints(Section):
    """The bucket that holds what was trained. It always exists."""

    existing_bucket: Annotated[BucketName | None, Field(description="Adopt a bucket that was retained")] = None
    kms_key_arn: Annotated[
        KeyArn | None, Field(description="The key of an adopted bucket; a new bucket gets one of the environment's own")
    ] = None
    job_prefixes: Annotated[
        tuple[Prefix, ...],
        Field(description="Prefixes that jobs may use beside those of associations; empty text: all of the bucket"),
    ] = ()
    encryption: Annotated[
        Literal["kms", "s3"], Field(description="kms: by a key of the environment's own; s3: by S3's key")
    ] = "kms"
    versioned: Annotated[bool, Field(description="Whether what is overwritten or deleted can be had back")] = True
    noncurrent_expiration_days: Annotated[
        int, Field(ge=1, le=36_500, description="How long overwritten and deleted versions are kept")
    ] = 30
    infrequent_access_after_days: Annotated[
        int | None, Field(ge=30, le=36_500, description="When objects move to the cheaper class; null: never")
    ] = None
    replicate_to: Annotated[
        Replication | None, Field(description="A bucket of another region that gets a copy; null: none")
    ] = None
    object_lock_days: Annotated[
        int | None,
        Field(ge=1, le=36_500, description="For how long no version can be deleted; for good once it is on; null: off"),
    ] = None
    object_lock_mode: Annotated[
        Literal["GOVERNANCE", "COMPLIANCE"],
        Field(description="GOVERNANCE: who has the permission may lift the lock; COMPLIANCE: nobody may"),
    ] = "GOVERNANCE"
    removal_policy: Annotated[
        RemovalPolicy, Field(description="retain: the bucket outlives its stack; destroy: it is deleted with it")
    ] = "retain"


class Dataset(Section):
    """An existing bucket that the nodes may read."""

    name: Annotated[Name, Field(description="The name by which associations call it")]
    bucket_name: Annotated[BucketName, Field(description="The existing bucket's name")]
    prefix: Annotated[Prefix, Field(description="The prefix that nodes may read; empty: the whole bucket")] = ""
    region: Annotated[
        RegionName | None, Field(description="The region that the bucket is in; null: the environment's")
    ] = None
    kms_key_arn: Annotated[
        KeyArn | None, Field(description="The key that the bucket is encrypted with; null: S3's own")
    ] = None


class DataRepositoryAssociation(Section):
    """A link between a folder of the file system and a prefix of a bucket."""

    file_system_path: Annotated[
        FileSystemPath, Field(description="The folder of the file system, such as /checkpoints")
    ]
    bucket: Annotated[str, Field(description="`checkpoints`, or the name of a dataset")] = "checkpoints"
    prefix: Annotated[
        Prefix,
        Field(description="The prefix in the bucket; empty: all of it; left out with a dataset: the dataset's own"),
    ] = ""
    auto_import: Annotated[tuple[Event, ...], Field(description="Which changes of the bucket show in the folder")] = (
        "NEW",
        "CHANGED",
    )
    auto_export: Annotated[
        tuple[Event, ...], Field(description="Which changes of the folder go to the bucket; of a dataset none, ever")
    ] = ("NEW", "CHANGED")

    @property
    def exports(self) -> tuple[Event, ...]:
        """The changes that go to the bucket: those that the file names; else the default, and of a dataset none."""
        is_default = "auto_export" not in self.model_fields_set
        return () if is_default and self.bucket != CHECKPOINTS else self.auto_export

    @property
    def keeps_all(self) -> bool:
        """Whether everything that is written in the folder goes to the checkpoint bucket: new and changed files."""
        return self.bucket == CHECKPOINTS and {"NEW", "CHANGED"} <= set(self.exports)


class ExistingFileSystem(Section):
    """A file system that an earlier environment retained."""

    file_system_id: Annotated[FileSystemId, Field(description="The file system's id, such as fs-0123456789abcdef0")]
    mount_name: Annotated[MountName, Field(description="The name by which Lustre clients mount it")]
    security_group_id: Annotated[SecurityGroupId, Field(description="The security group of its network interfaces")]


class Lustre(Section):
    """The FSx for Lustre file system."""

    existing_file_system: Annotated[
        ExistingFileSystem | None,
        Field(description="Adopt a file system that an earlier environment retained; null: a new one"),
    ] = None
    deployment_type: Annotated[
        Literal["SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"],
        Field(description="Whether data survives a failing server (PERSISTENT), or not (SCRATCH)"),
    ] = "PERSISTENT_2"
    storage_type: Annotated[
        Literal["SSD", "HDD", "INTELLIGENT_TIERING"], Field(description="What the data lies on")
    ] = "SSD"
    storage_gib: Annotated[
        int, Field(ge=1, le=2_147_483_647, description="The file system's size in GiB; FSx offers it in steps")
    ] = 4800
    throughput_mbps_per_tib: Annotated[
        int, Field(ge=1, le=100_000, description="MB/s for each TiB; an edit replaces the file system: docs/updates.md")
    ] = 250
    throughput_capacity_mbps: Annotated[
        int | None, Field(ge=1, le=2_000_000, description="MB/s as a whole, for INTELLIGENT_TIERING only")
    ] = None
    read_cache: Annotated[
        Literal["PROPORTIONAL_TO_THROUGHPUT_CAPACITY", "USER_PROVISIONED", "NO_CACHE"],
        Field(description="How large the SSD read cache of INTELLIGENT_TIERING is"),
    ] = "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
    read_cache_gib: Annotated[
        int | None, Field(ge=1, le=2_147_483_647, description="The read cache's size, with USER_PROVISIONED only")
    ] = None
    drive_cache: Annotated[
        Literal["NONE", "READ"], Field(description="READ: an SSD cache of a fifth of an HDD file system's size")
    ] = "NONE"
    metadata_iops: Annotated[int | None, Field(ge=1, le=1_000_000, description="null = automatic")] = None
    efa_enabled: Annotated[bool, Field(description="Whether clients reach it by EFA; FSx excludes trn2 clients")] = (
        False
    )
    data_compression: Annotated[Literal["LZ4", "NONE"], Field(description="Whether data is compressed with LZ4")] = (
        "LZ4"
    )
    mount_path: Annotated[FileSystemPath, Field(description="Where nodes and jobs see it")] = "/fsx"
    root_squash: Annotated[
        RootSquash | None,
        Field(description="UID:GID that clients' root becomes, such as 65534:65534; null: root stays"),
    ] = None
    weekly_maintenance_start: Annotated[
        WeeklyTime | None, Field(description="When FSx may patch it: day:HH:MM in UTC, Monday is 1; null: FSx chooses")
    ] = None
    automatic_backup_retention_days: Annotated[
        int | None, Field(ge=0, le=90, description="How long daily backups are kept; 0: none any more; null: none")
    ] = None
    log_level: Annotated[
        Literal["DISABLED", "WARN_ONLY", "ERROR_ONLY", "WARN_ERROR"] | None,
        Field(description="Which events of associations are logged; null: WARN_ERROR where something is linked"),
    ] = None
    removal_policy: Annotated[
        RemovalPolicy, Field(description="retain: the file system outlives its stack; destroy: it is deleted with it")
    ] = "retain"
    data_repository_associations: Annotated[
        tuple[DataRepositoryAssociation, ...],
        Field(description="Links between folders of the file system and prefixes of buckets"),
    ] = ()

    @property
    def logged(self) -> str | None:
        """Which events of associations are logged: what the file says; else all of them where something is linked.

        What can't be exported is told in the log and nowhere else, and what was not exported goes with the file system.

        Source: FSx for Lustre user guide, "Logging with Amazon CloudWatch Logs": on by default in the console, and off
        in the API; "Data repository event logs".
        """
        linked = self.existing_file_system is None and self.data_repository_associations
        return self.log_level or ("WARN_ERROR" if linked else None)

    @property
    def undescribed(self) -> tuple[str, ...]:
        """What is not written of an adopted file system and its figures follow from; of a new one that is nothing."""
        if self.existing_file_system is None:
            return ()
        needed = ["storage_gib"] if self.deployment_type == "SCRATCH_2" else ["storage_gib", "throughput_mbps_per_tib"]
        if self.storage_type == "INTELLIGENT_TIERING":
            needed = ["throughput_capacity_mbps"]
        return tuple(field for field in needed if field not in self.model_fields_set)


class Storage(Section):
    """Everything that outlives a cluster."""

    checkpoints: Annotated[
        Checkpoints, Field(description="The bucket that holds what was trained; it always exists")
    ] = Checkpoints()
    datasets: Annotated[tuple[Dataset, ...], Field(description="Existing buckets that the nodes may read")] = ()
    lustre: Annotated[Lustre | None, Field(description="The FSx for Lustre file system; null: none")] = None

    def linked_prefixes(self) -> tuple[str, ...]:
        """Returns the prefixes of the checkpoint bucket that associations link, without slashes around them."""
        links = self.lustre.data_repository_associations if self.lustre else ()
        return tuple(self.prefix_of(link) for link in links if link.bucket == CHECKPOINTS)

    def dataset(self, name: str) -> Dataset | None:
        """Returns the dataset of that name; None where there is none."""
        return next((dataset for dataset in self.datasets if dataset.name == name), None)

    def prefix_of(self, association: DataRepositoryAssociation) -> str:
        """Returns an association's prefix without slashes around it: its own, or its dataset's where it names none."""
        dataset = self.dataset(association.bucket)
        named = dataset is None or "prefix" in association.model_fields_set
        return (association.prefix if named or dataset is None else dataset.prefix).strip("/")
