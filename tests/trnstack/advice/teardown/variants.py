"""Environments that differ in what a teardown has to say, as sections for the builder."""

import datetime as dt
from typing import Any

KEY = "arn:aws:kms:us-west-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
EARLIER = {"existing_bucket": "earlier-checkpoints", "encryption": "s3"}
PLAIN_LUSTRE = {"storage_gib": 4800, "throughput_mbps_per_tib": 250}
OTHERS = {"file_system_id": "fs-0a1b2c3d4e5f60718", "mount_name": "abcdefgh", "security_group_id": "sg-0c100000"}
DESTROY = {"removal_policy": "destroy"}
BLOCK = {
    "type": "capacity_block",
    "capacity_reservation_id": "cr-0123456789abcdef0",
    "instance_count": 2,
    "availability_zone_id": "use2-az3",
    "starts_at": dt.datetime(2027, 3, 1, 11, 30, tzinfo=dt.UTC),
    "ends_at": dt.datetime(2027, 3, 8, 11, 30, tzinfo=dt.UTC),
}


def link(folder: str = "/checkpoints", **fields: object) -> dict[str, Any]:
    """Returns an association of the checkpoint bucket."""
    return {"file_system_path": folder, **fields}


def linked(*associations: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Returns a file system with associations."""
    return {**PLAIN_LUSTRE, "data_repository_associations": list(associations), **fields}


LUSTRE = linked(link())
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "file system": {"lustre": LUSTRE},
    "several folders": {
        "lustre": linked(
            link("/runs", prefix="runs"),
            link("/new", prefix="new's", auto_export=["NEW"]),
            link("/gone", prefix="gone", auto_export=["DELETED"]),
            link("/read", prefix="read", auto_export=[]),
        )
    },
    "whole file system": {"lustre": linked(link("/"))},
    "deletions alone": {"lustre": linked(link(auto_export=["DELETED"]))},
    "backups": {"lustre": {**PLAIN_LUSTRE, "automatic_backup_retention_days": 7}},
    "root squash": {"lustre": {**PLAIN_LUSTRE, "root_squash": "65534:65534"}},
    "logged": {"lustre": {**LUSTRE, "log_level": "WARN_ERROR"}},
    "not logged": {"lustre": {**LUSTRE, "log_level": "DISABLED"}},
    "all goes": {"lustre": {**LUSTRE, **DESTROY}, "checkpoints": DESTROY},
    "bucket goes": {"lustre": LUSTRE, "checkpoints": DESTROY},
    "file system goes": {"lustre": {**PLAIN_LUSTRE, **DESTROY, "automatic_backup_retention_days": 7}},
    "locked and copied": {
        "checkpoints": {
            "object_lock_days": 7,
            "object_lock_mode": "COMPLIANCE",
            "replicate_to": {"region": "us-west-2", "bucket_name": "copies", "kms_key_arn": KEY},
        }
    },
    "adopted bucket": {"checkpoints": EARLIER, "lustre": LUSTRE},
    "adopted file system": {"lustre": {**LUSTRE, "existing_file_system": OTHERS}},
    "scratch": {"lustre": {"deployment_type": "SCRATCH_2", "storage_gib": 4800}},
    "block": {"node_group": {"capacity": BLOCK}},
    "custom image": {"node_group": {"image": {"type": "custom", "recipe": "neuron"}}},
}
