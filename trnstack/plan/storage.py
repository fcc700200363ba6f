"""Decides what outlives a cluster."""

from trnstack.layout.lustre import throughput_mbps
from trnstack.plan.model import AssociationPlan, BucketPlan, LustrePlan, StoragePlan
from trnstack.spec import Environment
from trnstack.spec.storage import DataRepositoryAssociation, Lustre

#: AL2023's client refuses older servers, and associations need 2.12. Source: FSx for Lustre user guide, "Lustre file
#: system and client compatibility".
LUSTRE_VERSION = "2.15"


def bucket_name(environment: Environment, purpose: str) -> str:
    """Returns a bucket's name; ``ACCOUNT`` stands for the account's number where the environment names none."""
    return f"{environment.name}-{purpose}-{environment.account or 'ACCOUNT'}-{environment.region}"


def storage(environment: Environment) -> StoragePlan:
    """Returns bucket and file system with everything in them decided."""
    section = environment.storage.checkpoints
    lustre = environment.storage.lustre
    return StoragePlan(
        checkpoints=BucketPlan(
            name=bucket_name(environment, "checkpoints"),
            access_log_name=bucket_name(environment, "access-logs"),
            encryption=section.encryption,
            versioned=section.versioned,
            noncurrent_expiration_days=section.noncurrent_expiration_days if section.versioned else None,
            infrequent_access_after_days=section.infrequent_access_after_days,
            access_log_expiration_days=environment.observability.log_retention_days,
            retain=section.removal_policy == "retain",
        ),
        lustre=_lustre(lustre, environment.availability_zone_ids[0]) if lustre else None,
    )


def _lustre(section: Lustre, zone_id: str) -> LustrePlan:
    return LustrePlan(
        deployment_type=section.deployment_type,
        storage_type=section.storage_type,
        file_system_type_version=LUSTRE_VERSION,
        storage_gib=section.storage_gib,
        throughput_mbps_per_tib=section.throughput_mbps_per_tib,
        throughput_mbps=throughput_mbps(section.storage_gib, section.throughput_mbps_per_tib),
        data_compression=section.data_compression,
        mount_path=section.mount_path,
        subnet=f"nodes-{zone_id}",
        retain=section.removal_policy == "retain",
        associations=tuple(_association(entry) for entry in section.data_repository_associations),
    )


def _association(entry: DataRepositoryAssociation) -> AssociationPlan:
    return AssociationPlan(
        file_system_path=entry.file_system_path,
        prefix=entry.prefix.strip("/"),
        auto_import=entry.auto_import,
        auto_export=entry.auto_export,
    )
