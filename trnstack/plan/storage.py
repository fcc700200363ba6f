"""Decides what outlives a cluster."""

from trnstack.catalog.effective import instance_type_of
from trnstack.layout.lustre import FileSystem
from trnstack.layout.lustre_clients import reaches_by_efa
from trnstack.plan.model import (
    AssociationPlan,
    BucketPlan,
    DatasetPlan,
    ExistingBucketPlan,
    ExistingLustrePlan,
    LustrePlan,
    ObjectLockPlan,
    ReplicationPlan,
    StoragePlan,
)
from trnstack.plan.nodes import uses_efa, zone_of
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup
from trnstack.spec.storage import ExistingFileSystem, Lustre

#: AL2023's client refuses older servers, and associations need 2.12. Source: FSx for Lustre user guide, "Lustre file
#: system and client compatibility".
LUSTRE_VERSION = "2.15"
_WITH_RATE = ("PERSISTENT_1", "PERSISTENT_2")


def bucket_name(environment: Environment, purpose: str) -> str:
    """Returns a bucket's name; ``ACCOUNT`` stands for the account's number where the environment names none."""
    return f"{environment.name}-{purpose}-{environment.account or 'ACCOUNT'}-{environment.region}"


def storage(environment: Environment) -> StoragePlan:
    """Returns buckets and file system with everything in them decided."""
    section, lustre = environment.storage.checkpoints, environment.storage.lustre
    existing_bucket, existing = section.existing_bucket, lustre.existing_file_system if lustre else None
    return StoragePlan(
        checkpoints=_existing_bucket(environment, existing_bucket) if existing_bucket else _bucket(environment),
        datasets=tuple(
            DatasetPlan(
                name=dataset.name,
                bucket_name=dataset.bucket_name,
                prefix=dataset.prefix.strip("/"),
                kms_key_arn=dataset.kms_key_arn,
            )
            for dataset in environment.storage.datasets
        ),
        lustre=_existing_lustre(environment, lustre, existing) if lustre and existing else _lustre(environment, lustre),
    )


def _bucket(environment: Environment) -> BucketPlan:
    section = environment.storage.checkpoints
    other, days = section.replicate_to, section.object_lock_days
    return BucketPlan(
        name=bucket_name(environment, "checkpoints"),
        access_log_name=bucket_name(environment, "access-logs"),
        job_prefixes=job_prefixes(environment),
        encryption=section.encryption,
        versioned=section.versioned,
        noncurrent_expiration_days=section.noncurrent_expiration_days,
        infrequent_access_after_days=section.infrequent_access_after_days,
        replication=ReplicationPlan(region=other.region, bucket_name=other.bucket_name, kms_key_arn=other.kms_key_arn)
        if other
        else None,
        object_lock=ObjectLockPlan(mode=section.object_lock_mode, days=days) if days else None,
        access_log_expiration_days=environment.observability.log_retention_days,
        retain=section.removal_policy == "retain",
    )


def _existing_bucket(environment: Environment, name: str) -> ExistingBucketPlan:
    key_arn = environment.storage.checkpoints.kms_key_arn
    return ExistingBucketPlan(name=name, job_prefixes=job_prefixes(environment), kms_key_arn=key_arn)


def job_prefixes(environment: Environment) -> tuple[str, ...]:
    """Returns the prefixes that jobs may use; none where all of the bucket is theirs.

    Those are what the file system is linked to, and what the file adds. Where nothing is linked, they use all of it.
    """
    linked = environment.storage.linked_prefixes()
    added = [prefix.strip("/") for prefix in environment.storage.checkpoints.job_prefixes]
    prefixes = tuple(sorted({*linked, *added}))
    return () if not linked or "" in prefixes else prefixes


def _lustre(environment: Environment, section: Lustre | None) -> LustrePlan | None:
    if section is None:
        return None
    tiering, has_rate = section.storage_type == "INTELLIGENT_TIERING", section.deployment_type in _WITH_RATE
    has_metadata = section.deployment_type == "PERSISTENT_2"
    mode = "AUTOMATIC" if section.metadata_iops is None else "USER_PROVISIONED"
    logged = section.logged not in (None, "DISABLED")
    return LustrePlan(
        deployment_type=section.deployment_type,
        storage_type=section.storage_type,
        file_system_type_version=LUSTRE_VERSION,
        storage_gib=None if tiering else section.storage_gib,
        throughput_mbps_per_tib=section.throughput_mbps_per_tib if has_rate and not tiering else None,
        throughput_capacity_mbps=section.throughput_capacity_mbps if tiering else None,
        throughput_mbps=figures_of(section).read_mbps,
        data_compression=section.data_compression,
        own_key=section.deployment_type != "SCRATCH_2",
        metadata_mode=mode if has_metadata else None,
        metadata_iops=section.metadata_iops,
        drive_cache=section.drive_cache if section.storage_type == "HDD" else None,
        read_cache=section.read_cache if tiering else None,
        read_cache_gib=section.read_cache_gib if tiering else None,
        efa_enabled=section.efa_enabled,
        efa_clients=_efa_clients(environment) if section.efa_enabled else (),
        root_squash=section.root_squash,
        weekly_maintenance_start=section.weekly_maintenance_start,
        automatic_backup_retention_days=section.automatic_backup_retention_days,
        log_level=section.logged,
        log_retention_days=environment.observability.log_retention_days if logged else None,
        mount_path=section.mount_path,
        subnet=f"nodes-{environment.availability_zone_ids[0]}",
        retain=section.removal_policy == "retain",
        associations=_associations(environment, section),
    )


def figures_of(section: Lustre) -> FileSystem:
    """Returns what the figures of a file system follow from."""
    return FileSystem(
        deployment_type=section.deployment_type,
        storage_type=section.storage_type,
        storage_gib=section.storage_gib,
        throughput_mbps_per_tib=section.throughput_mbps_per_tib,
        throughput_capacity_mbps=section.throughput_capacity_mbps or 0,
        drive_cache=section.drive_cache,
        efa_enabled=section.efa_enabled,
    )


def in_its_zone(environment: Environment, group: NodeGroup) -> bool:
    """Tells whether nodes stand in the file system's zone, the first of the list; of an adopted one it is taken so.

    Source: AWS ParallelCluster user guide, "Elastic Fabric Adapter": EFA is not supported over different zones.
    """
    lustre = environment.storage.lustre
    adopted = lustre is not None and lustre.existing_file_system is not None
    return adopted or zone_of(environment, group) == environment.availability_zone_ids[0]


def _efa_clients(environment: Environment) -> tuple[str, ...]:
    return tuple(
        group.name
        for group in environment.node_groups
        if in_its_zone(environment, group)
        and reaches_by_efa(group.instance_type, efa_interfaces=int(uses_efa(group, instance_type_of(group))))
    )


def _existing_lustre(environment: Environment, section: Lustre, existing: ExistingFileSystem) -> ExistingLustrePlan:
    return ExistingLustrePlan(
        file_system_id=existing.file_system_id,
        mount_name=existing.mount_name,
        security_group_id=existing.security_group_id,
        efa_enabled=section.efa_enabled,
        root_squash=section.root_squash,
        mount_path=section.mount_path,
        associations=_associations(environment, section),
    )


def _associations(environment: Environment, section: Lustre) -> tuple[AssociationPlan, ...]:
    datasets = {dataset.name: dataset.bucket_name for dataset in environment.storage.datasets}
    return tuple(
        AssociationPlan(
            file_system_path=entry.file_system_path,
            bucket_name=datasets.get(entry.bucket),
            prefix=environment.storage.prefix_of(entry),
            auto_import=entry.auto_import,
            auto_export=entry.exports,
            lists_bucket=section.existing_file_system is None or not entry.exports,
        )
        for entry in section.data_repository_associations
    )
