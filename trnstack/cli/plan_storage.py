"""Storage's part of ``trnstack plan``: the checkpoint bucket, datasets, the file system and its links."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import (
        AssociationPlan,
        BucketPlan,
        DatasetPlan,
        ExistingBucketPlan,
        ExistingLustrePlan,
        LustrePlan,
        StoragePlan,
    )

Rows = Iterator[tuple[str, str]]


def storage_section(storage: "StoragePlan") -> list[str]:
    """Returns the section's lines."""
    from trnstack.plan.model import BucketPlan, LustrePlan  # noqa: PLC0415 - as every command

    checkpoints, lustre = storage.checkpoints, storage.lustre
    rows = [*(_bucket(checkpoints) if isinstance(checkpoints, BucketPlan) else _existing_bucket(checkpoints))]
    rows += [row for dataset in storage.datasets for row in _dataset(dataset)]
    if lustre is None:
        rows.append(("file system", "none"))
    else:
        rows += _lustre(lustre) if isinstance(lustre, LustrePlan) else _existing_lustre(lustre)
        rows += [row for link in lustre.associations for row in _link(link, lustre.mount_path, checkpoints.name)]
        if isinstance(lustre, LustrePlan):
            rows.append(("  on deletion", _fate(retain=lustre.retain)))
    return ["Storage", *output.columns(rows)]


def _bucket(bucket: "BucketPlan") -> Rows:
    yield "checkpoint bucket", bucket.name
    yield "  encryption", "the environment's own KMS key" if bucket.encryption == "kms" else "S3's key"
    state = "on, old ones" if bucket.versioned else "off, those of before"
    yield "  versions", f"{state} kept {bucket.noncurrent_expiration_days} days"
    if bucket.object_lock:
        yield "  object lock", f"{bucket.object_lock.mode}, days: {bucket.object_lock.days}"
    days = bucket.infrequent_access_after_days
    yield "  cheaper class", f"infrequent access after {days} days" if days else "never"
    if bucket.replication:
        yield "  copies", f"{bucket.replication.bucket_name} in {bucket.replication.region}"
    yield from _jobs(bucket.job_prefixes)
    yield "  access log", f"{bucket.access_log_name}, kept {bucket.access_log_expiration_days} days"
    yield "  on deletion", _fate(retain=bucket.retain)


def _existing_bucket(bucket: "ExistingBucketPlan") -> Rows:
    yield "checkpoint bucket", f"{bucket.name}, which stands already"
    yield "  encryption", bucket.kms_key_arn or "S3's key"
    yield from _jobs(bucket.job_prefixes)
    yield "  on deletion", "stays: no stack made it"


def _jobs(prefixes: tuple[str, ...]) -> Rows:
    if prefixes:
        yield "  jobs may use", ", ".join(f"{prefix}/*" for prefix in prefixes)


def _dataset(dataset: "DatasetPlan") -> Rows:
    yield f"dataset {dataset.name}", f"s3://{dataset.bucket_name}/{dataset.prefix}, read only"
    yield "  encryption", dataset.kms_key_arn or "S3's key"


def _lustre(lustre: "LustrePlan") -> Rows:
    size = "as large as what it holds" if lustre.storage_gib is None else f"{lustre.storage_gib:,} GiB"
    rate = lustre.throughput_mbps_per_tib
    yield "file system", f"Lustre {lustre.file_system_type_version}, {lustre.deployment_type}, {lustre.storage_type}"
    yield "  storage", f"{size}, compression {lustre.data_compression}"
    yield "  throughput", f"{lustre.throughput_mbps:,} MB/s" + (f" ({rate:,} MB/s per TiB)" if rate else "")
    yield from _caches(lustre)
    if lustre.metadata_iops:
        yield "  metadata", f"{lustre.metadata_iops:,} operations a second"
    if lustre.efa_enabled:
        yield "  EFA", f"on, for {', '.join(lustre.efa_clients) or 'no node group'}; others reach it by TCP"
    if not lustre.own_key:
        yield "  encryption", "FSx's own key, as of all scratch file systems"
    if lustre.root_squash:
        yield "  root squash", f"{lustre.root_squash}, once the RootSquashCommand of its stack is run"
    if lustre.weekly_maintenance_start:
        yield "  maintenance", f"{lustre.weekly_maintenance_start} in UTC, Monday being 1"
    if lustre.automatic_backup_retention_days is not None:
        days = lustre.automatic_backup_retention_days
        yield "  backups", f"daily, kept {days} days" if days else "off"
    if lustre.log_level is not None:
        kept = f", kept {lustre.log_retention_days} days" if lustre.log_retention_days else ""
        yield "  log", f"{lustre.log_level}{kept}"
    yield "  mounted at", f"{lustre.mount_path}, in subnet {lustre.subnet}"


def _caches(lustre: "LustrePlan") -> Rows:
    if lustre.drive_cache is not None:
        yield "  drive cache", lustre.drive_cache
    if lustre.read_cache is not None:
        yield "  read cache", f"{lustre.read_cache_gib:,} GiB" if lustre.read_cache_gib else lustre.read_cache


def _existing_lustre(lustre: "ExistingLustrePlan") -> Rows:
    yield "file system", f"{lustre.file_system_id}, which stands already"
    yield "  mount name", lustre.mount_name
    yield "  security group", lustre.security_group_id
    if lustre.efa_enabled:
        yield "  EFA", "on, as the file says; its security group and the nodes' let it pass"
    if lustre.root_squash:
        yield "  root squash", f"{lustre.root_squash}, once the RootSquashCommand of the storage stack is run"
    yield "  mounted at", lustre.mount_path
    yield "  on deletion", "stays: no stack made it"


def _link(link: "AssociationPlan", mount_path: str, bucket: str) -> Rows:
    target = f"s3://{link.bucket_name or bucket}/{link.prefix}"
    arrow = "<->" if link.auto_export else "<--"
    yield "  association", f"{mount_path.rstrip('/')}{link.file_system_path} {arrow} {target}"
    yield "    carries over", f"imports {_events(link.auto_import)}; exports {_events(link.auto_export)}"


def _events(events: tuple[str, ...]) -> str:
    return ", ".join(events) or "nothing"


def _fate(*, retain: bool) -> str:
    return "retained with its data" if retain else "DELETED WITH ITS DATA"
