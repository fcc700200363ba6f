"""The storage of a rehearsal: whether it stands as planned, whatever else was taken down."""

from collections.abc import Iterator

from rehearsal.survey.records import Bucket, FileSystem, Survey
from trnstack.plan import Plan
from trnstack.plan.model import BucketPlan, ExistingLustrePlan, LustrePlan


def storage_differently(plan: Plan, found: Survey) -> Iterator[str]:
    """Yields a sentence for everything of the storage that does not stand as the plan says."""
    yield from _checkpoints(plan, found)
    lustre = plan.storage.lustre
    if lustre is None:
        return
    standing = file_system(lustre, found)
    if standing is None:
        yield "there is no file system"
        return
    if isinstance(lustre, LustrePlan):
        yield from _lustre(lustre, standing)
    if len(standing.associations) != len(lustre.associations):
        yield f"the file system has {len(standing.associations)} data repository associations"


def _checkpoints(plan: Plan, found: Survey) -> Iterator[str]:
    checkpoints = plan.storage.checkpoints
    bucket = checkpoint_bucket(plan, found)
    if bucket is None:
        yield f"there is no bucket {checkpoints.name}"
    elif isinstance(checkpoints, BucketPlan):
        if not _is_closed(bucket):
            yield f"bucket {bucket.name} is open to the public or to requests without TLS"
        if bucket.noncurrent_expiration_days != checkpoints.noncurrent_expiration_days:
            yield f"bucket {bucket.name} keeps old versions for {bucket.noncurrent_expiration_days} days"


def _is_closed(bucket: Bucket) -> bool:
    return bucket.public_access_blocked and bucket.tls_only


def checkpoint_bucket(plan: Plan, found: Survey) -> Bucket | None:
    """Returns the checkpoint bucket, by its name up to the account's number; None where it does not stand."""
    prefix = plan.storage.checkpoints.name.split("ACCOUNT", maxsplit=1)[0]
    return next((bucket for bucket in found.buckets if bucket.name.startswith(prefix)), None)


def file_system(lustre: LustrePlan | ExistingLustrePlan, found: Survey) -> FileSystem | None:
    """Returns the file system that the plan makes or adopts; the first one of the account is the plan's own."""
    if isinstance(lustre, LustrePlan):
        return next(iter(found.file_systems), None)
    return next((each for each in found.file_systems if each.file_system_id == lustre.file_system_id), None)


def _lustre(lustre: LustrePlan, found: FileSystem) -> Iterator[str]:
    if (found.storage_gib, found.version) != (lustre.storage_gib or 0, lustre.file_system_type_version):
        yield f"the file system has {found.storage_gib} GiB and Lustre {found.version}"
    if found.efa_enabled is not lustre.efa_enabled:
        yield f"EFA of the file system is {'on' if found.efa_enabled else 'off'}"
    if f"nodes-{found.subnet.zone_id}" != lustre.subnet:
        yield f"the file system stands in {found.subnet.zone_id}"
