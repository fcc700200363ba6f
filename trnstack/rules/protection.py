"""What must hold of the checkpoint bucket's copies in another region and of its object lock."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.spec import Environment
from trnstack.spec.storage import CHECKPOINTS

_CHECKPOINTS: Path = ("storage", "checkpoints")
_REPLICATE: Path = (*_CHECKPOINTS, "replicate_to")
_LOCK: Path = (*_CHECKPOINTS, "object_lock_days")
_MINUTES_PER_DAY = 24 * 60


def copies_and_locks_need_versions(environment: Environment) -> Iterator[Finding]:
    """BKT009: A bucket that is replicated or locked keeps versions.

    Source: S3 user guide, "Requirements and considerations for replication" and "Configuring S3 Object Lock".
    """
    section = environment.storage.checkpoints
    for field, value in (("replicate_to", section.replicate_to), ("object_lock_days", section.object_lock_days)):
        if value is not None and not section.versioned:
            yield Finding(
                code="BKT009",
                path=(*_CHECKPOINTS, field),
                message=f"{field} needs a bucket that keeps versions",
                hint="write versioned: true",
            )


def copies_go_to_another_region(environment: Environment) -> Iterator[Finding]:
    """BKT010: Copies of checkpoints are kept in another region, whose key they are encrypted with.

    Source: S3 user guide, "Replicating encrypted objects"; KMS developer guide: a key is of one region.
    """
    section = environment.storage.checkpoints
    other = section.replicate_to
    if other is None:
        return
    if other.region == environment.region:
        message, hint = f"{other.region} is the environment's own region", "name a bucket of another region"
        yield Finding(code="BKT010", path=(*_REPLICATE, "region"), message=message, hint=hint)
    if other.kms_key_arn and f":kms:{other.region}:" not in other.kms_key_arn:
        message, hint = f"the key is not in {other.region}", f"name a key of {other.region}"
        yield Finding(code="BKT010", path=(*_REPLICATE, "kms_key_arn"), message=message, hint=hint)


def copies_are_encrypted_alike(environment: Environment) -> Iterator[Finding]:
    """BKT011: What a KMS key encrypts is replicated only with a KMS key for the copies, and the other way round.

    Source: S3 API reference, ReplicationRule: ``SourceSelectionCriteria`` and ``ReplicaKmsKeyID`` need each other.
    """
    section = environment.storage.checkpoints
    other = section.replicate_to
    if other is None or (section.encryption == "kms") == (other.kms_key_arn is not None):
        return
    if other.kms_key_arn is None:
        message, hint = "checkpoints that a KMS key encrypts need one for their copies", "add kms_key_arn"
        yield Finding(code="BKT011", path=_REPLICATE, message=message, hint=hint)
    else:
        message, hint = "kms_key_arn is not used with encryption: s3", "remove it, or write encryption: kms"
        yield Finding(code="BKT011", path=(*_REPLICATE, "kms_key_arn"), message=message, hint=hint)


def a_lock_is_for_good(environment: Environment) -> Iterator[Finding]:
    """BKT012: Object lock can't be switched off again, nor versions with it; COMPLIANCE can't be lifted by anybody.

    A copy's bucket must have object lock on as well.

    Source: S3 user guide, "Object Lock considerations" and "Retention modes".
    """
    section = environment.storage.checkpoints
    if section.object_lock_days is None:
        return
    final = section.object_lock_mode == "COMPLIANCE"
    who = "nobody, the account's root included, can delete a version" if final else "the bucket has it for good"
    copies = ", and so must the bucket of the copies" if section.replicate_to else ""
    yield Finding(
        code="BKT012",
        severity=Severity.WARNING if final else Severity.NOTE,
        path=_LOCK,
        message=f"object lock can't be switched off: {who}{copies}",
        hint="try with a bucket of its own and 1 day first",
    )


def a_lock_lets_checkpoints_rotate(environment: Environment) -> Iterator[Finding]:
    """BKT013: A lock is no longer than checkpoints are kept: what is rotated out before stays, unseen, and is paid for.

    Deleting a locked object hides it; its version goes when lock and expiry allow.

    Source: S3 user guide, "Managing delete markers with Object Lock".
    """
    section, training = environment.storage.checkpoints, environment.training
    days = section.object_lock_days
    if days is None or training is None:
        return
    interval = training.checkpoint_interval_minutes
    kept, locked = training.checkpoints_kept, days * _MINUTES_PER_DAY // interval
    if locked > kept:
        yield Finding(
            code="BKT013",
            severity=Severity.WARNING,
            path=_LOCK,
            message=f"of {kept} checkpoints that are kept, up to {locked} are stored, with object_lock_days: {days}",
            hint="reckon with their price, or lock a copy instead: replicate_to a bucket with object lock",
        )


def old_versions_outlive_their_lock(environment: Environment) -> Iterator[Finding]:
    """BKT014: Old versions are kept for at least as long as they are locked, since they can't go before.

    Source: S3 user guide, "Managing S3 Lifecycle policies with Object Lock".
    """
    section = environment.storage.checkpoints
    days = section.object_lock_days
    if days is not None and section.versioned and section.noncurrent_expiration_days < days:
        yield Finding(
            code="BKT014",
            severity=Severity.WARNING,
            path=(*_CHECKPOINTS, "noncurrent_expiration_days"),
            message=f"versions are locked for {days} days and can't go after {section.noncurrent_expiration_days}",
            hint=f"use {days} or more",
        )


def a_locked_bucket_is_retained(environment: Environment) -> Iterator[Finding]:
    """BKT015: A bucket with object lock is retained: it can't be emptied, so its stack can't delete it.

    Source: S3 user guide, "Locking objects with Object Lock".
    """
    section = environment.storage.checkpoints
    if section.object_lock_days is not None and section.removal_policy == "destroy":
        yield Finding(
            code="BKT015",
            path=(*_CHECKPOINTS, "removal_policy"),
            message="a bucket with object lock can't be emptied, and so not be deleted",
            hint="write removal_policy: retain, or remove object_lock_days",
        )


def exports_to_a_locked_bucket_are_tried(environment: Environment) -> Iterator[Finding]:
    """BKT016: Whether FSx exports to a bucket whose objects are locked by default is tried before it is relied upon.

    S3 refuses an upload to such a bucket that carries no checksum, and AWS does not say whether FSx's do.

    Source: S3 user guide, "Object Lock considerations": "Uploading objects to an Object Lock enabled bucket".
    """
    lustre = environment.storage.lustre
    if environment.storage.checkpoints.object_lock_days is None:
        return
    for index, association in enumerate(lustre.data_repository_associations if lustre else ()):
        if association.bucket == CHECKPOINTS and association.exports:
            yield Finding(
                code="BKT016",
                severity=Severity.WARNING,
                path=("storage", "lustre", "data_repository_associations", index, "auto_export"),
                message="AWS does not say whether FSx can export to a bucket with object lock",
                hint="try it before it is relied upon, or lock a copy: replicate_to a bucket with object lock",
            )


RULES = (
    copies_and_locks_need_versions,
    copies_go_to_another_region,
    copies_are_encrypted_alike,
    a_lock_is_for_good,
    a_lock_lets_checkpoints_rotate,
    old_versions_outlive_their_lock,
    a_locked_bucket_is_retained,
    exports_to_a_locked_bucket_are_tried,
)
