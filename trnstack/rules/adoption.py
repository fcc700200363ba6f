"""What must hold of buckets, keys and file systems that stand already: nothing of theirs is made or changed."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.rules.lustre import LUSTRE
from trnstack.spec import Environment
from trnstack.spec.base import Section
from trnstack.spec.storage import CHECKPOINTS

_CHECKPOINTS: Path = ("storage", "checkpoints")
#: What describes a file system that stands may be written, since checks and figures read it; these would change it.
_SETTINGS_OF_LUSTRE = (
    *("metadata_iops", "drive_cache", "read_cache", "read_cache_gib", "weekly_maintenance_start"),
    *("automatic_backup_retention_days", "log_level"),
)
_DESCRIPTION_OF_LUSTRE = (
    *("deployment_type", "storage_type", "storage_gib", "throughput_mbps_per_tib", "throughput_capacity_mbps"),
    *("data_compression", "efa_enabled"),
)
_DESCRIPTION_OF_BUCKET = ("versioned", "noncurrent_expiration_days", "infrequent_access_after_days")
_SETTINGS_OF_BUCKET = ("replicate_to", "object_lock_days", "object_lock_mode")


def _settings(section: Section, fields: tuple[str, ...]) -> Iterator[str]:
    """Yields what a section sets, and ``removal_policy`` where something of others' would be destroyed."""
    yield from (field for field in fields if field in section.model_fields_set and getattr(section, field) is not None)
    if getattr(section, "removal_policy", "") == "destroy":
        yield "removal_policy"


def an_adopted_file_system_keeps_its_settings(environment: Environment) -> Iterator[Finding]:
    """FSX029: An adopted file system stays as it is, and is never deleted.

    Its type, size and rate may be written all the same: they describe it to the checks.

    Source: CloudFormation user guide: a stack changes and deletes what it made or imported, and nothing else.
    """
    lustre = environment.storage.lustre
    if lustre and lustre.existing_file_system:
        for field in _settings(lustre, _SETTINGS_OF_LUSTRE):
            yield Finding(
                code="FSX029",
                path=(*LUSTRE, field),
                message=f"{field} can't be set on a file system that is adopted",
                hint=f"remove {field}; aws fsx update-file-system changes the file system itself",
            )


def a_description_of_a_file_system_sets_nothing(environment: Environment) -> Iterator[Finding]:
    """FSX033: Type, size and rate of an adopted file system say what it is: an edit of them changes nothing of it.

    Where size and rate are written, the figures of checkpoints follow from them, with the defaults for what is not.

    Source: CloudFormation user guide: a stack changes and deletes what it made or imported, and nothing else.
    """
    lustre = environment.storage.lustre
    fields = [field for field in _DESCRIPTION_OF_LUSTRE if lustre and field in lustre.model_fields_set]
    if lustre and lustre.existing_file_system and fields:
        missing = ", ".join(lustre.undescribed)
        yield Finding(
            code="FSX033",
            severity=Severity.NOTE,
            path=(*LUSTRE, fields[0]),
            message=f"what is written of {', '.join(fields)} describes the adopted file system, and changes nothing",
            hint=f"write {missing} too, from which its figures follow, or remove it"
            if missing
            else "keep it as aws fsx describe-file-systems shows it, or remove it",
        )


def an_adopted_file_system_is_in_reach(environment: Environment) -> Iterator[Finding]:
    """FSX030: An adopted file system stands in the nodes' VPC, which is the one that it was made in.

    Security groups of two VPCs can't name each other unless the VPCs are peered.

    Source: FSx for Lustre user guide, "File system access control with Amazon VPC".
    """
    lustre = environment.storage.lustre
    if lustre and lustre.existing_file_system and environment.network.existing_vpc is None:
        yield Finding(
            code="FSX030",
            severity=Severity.WARNING,
            path=(*LUSTRE, "existing_file_system"),
            message="the nodes get a VPC of the environment's own, and a file system stays in the VPC of its making",
            hint="name that VPC in network.existing_vpc, unless this environment's network stack made it and stands",
        )


def an_adopted_bucket_has_its_key(environment: Environment) -> Iterator[Finding]:
    """BKT005: The key of an adopted bucket is named, since jobs need it; that of a new bucket is the environment's own.

    Source: S3 user guide, "Using server-side encryption with AWS KMS keys": permissions.
    """
    section = environment.storage.checkpoints
    path = (*_CHECKPOINTS, "kms_key_arn")
    if section.kms_key_arn and not section.existing_bucket:
        message, hint = "a new checkpoint bucket gets a key of the environment's own", "remove kms_key_arn"
    elif section.kms_key_arn and section.encryption == "s3":
        message, hint = "kms_key_arn is not used with encryption: s3", "remove one of the two"
    elif section.existing_bucket and section.encryption == "kms" and not section.kms_key_arn:
        message = f"the key of bucket '{section.existing_bucket}' is not named"
        hint = "add kms_key_arn, which aws s3api get-bucket-encryption shows, or write encryption: s3"
        path = (*_CHECKPOINTS, "existing_bucket")
    else:
        return
    yield Finding(code="BKT005", path=path, message=message, hint=hint)


def an_adopted_bucket_keeps_its_settings(environment: Environment) -> Iterator[Finding]:
    """BKT006: An adopted bucket stays as it is, policy, lifecycle and versions included, and is never deleted.

    Source: CloudFormation user guide: a stack changes and deletes what it made or imported, and nothing else.
    """
    section = environment.storage.checkpoints
    if section.existing_bucket:
        for field in _settings(section, _SETTINGS_OF_BUCKET):
            yield Finding(
                code="BKT006",
                path=(*_CHECKPOINTS, field),
                message=f"{field} can't be set on a bucket that is adopted",
                hint=f"remove {field}; change the bucket itself where it was made",
            )


def a_description_of_a_bucket_sets_nothing(environment: Environment) -> Iterator[Finding]:
    """BKT021: What is written of an adopted bucket's versions and lifecycle changes nothing of them.

    Source: CloudFormation user guide: a stack changes and deletes what it made or imported, and nothing else.
    """
    section = environment.storage.checkpoints
    fields = [field for field in _DESCRIPTION_OF_BUCKET if field in section.model_fields_set]
    if section.existing_bucket and fields:
        yield Finding(
            code="BKT021",
            severity=Severity.NOTE,
            path=(*_CHECKPOINTS, fields[0]),
            message=f"what is written of {', '.join(fields)} changes nothing of the adopted bucket",
            hint="remove it; change the bucket itself where it was made",
        )


def _keys(environment: Environment) -> Iterator[tuple[Path, str]]:
    section = environment.storage.checkpoints
    named: list[tuple[Path, str | None]] = [((*_CHECKPOINTS, "kms_key_arn"), section.kms_key_arn)]
    if section.replicate_to:
        named.append(((*_CHECKPOINTS, "replicate_to", "kms_key_arn"), section.replicate_to.kms_key_arn))
    for index, dataset in enumerate(environment.storage.datasets):
        named.append((("storage", "datasets", index, "kms_key_arn"), dataset.kms_key_arn))
    yield from ((path, arn) for path, arn in named if arn)


def keys_are_named_by_their_own_arn(environment: Environment) -> Iterator[Finding]:
    """BKT007: Keys are named by their own ARN: a policy that names an alias lets nobody use the key behind it.

    Source: KMS developer guide, "Specifying KMS keys in IAM policy statements".
    """
    for path, arn in _keys(environment):
        if ":alias/" in arn:
            yield Finding(
                code="BKT007",
                path=path,
                message=f"'{arn}' is an alias, which no policy can name as a key",
                hint="use the ARN with :key/ that aws kms describe-key --key-id ALIAS shows",
            )


def keys_are_in_their_buckets_region(environment: Environment) -> Iterator[Finding]:
    """BKT022: The key of an adopted bucket or of a dataset is in the region of that bucket, which takes no other.

    Source: S3 user guide, "Specifying server-side encryption with AWS KMS": a key of the bucket's own region.
    """
    section, datasets = environment.storage.checkpoints, environment.storage.datasets
    named = [((*_CHECKPOINTS, "kms_key_arn"), section.kms_key_arn, environment.region, "name the bucket's own key")]
    for index, dataset in enumerate(datasets):
        hint = "name the bucket's own key, or its region in region"
        path: Path = ("storage", "datasets", index, "kms_key_arn")
        named.append((path, dataset.kms_key_arn, dataset.region or environment.region, hint))
    for path, arn, region, hint in named:
        if arn and f":kms:{region}:" not in arn:
            message = f"the key is in {arn.split(':')[3]}, and its bucket in {region}"
            yield Finding(code="BKT022", path=path, message=message, hint=hint)


def keys_of_others_let_fsx_in(environment: Environment) -> Iterator[Finding]:
    """BKT008: The key of a bucket that is linked lets FSx's linked role in; of a key that stands this can't be checked.

    The keys of earlier environments of this toolkit do.

    Source: FSx for Lustre user guide, "Working with server-side encrypted Amazon S3 buckets".
    """
    lustre = environment.storage.lustre
    for index, association in enumerate(lustre.data_repository_associations if lustre else ()):
        dataset = environment.storage.dataset(association.bucket)
        checkpoints = environment.storage.checkpoints.kms_key_arn if association.bucket == CHECKPOINTS else None
        arn = dataset.kms_key_arn if dataset else checkpoints
        if arn:
            yield Finding(
                code="BKT008",
                severity=Severity.NOTE,
                path=(*LUSTRE, "data_repository_associations", index, "bucket"),
                message=f"FSx reads bucket '{association.bucket}' only if its key lets FSx's service-linked role in",
                hint=f"see the policy of {arn}: docs/storage.md has the statement",
            )


RULES = (
    an_adopted_file_system_keeps_its_settings,
    a_description_of_a_file_system_sets_nothing,
    an_adopted_file_system_is_in_reach,
    an_adopted_bucket_has_its_key,
    an_adopted_bucket_keeps_its_settings,
    a_description_of_a_bucket_sets_nothing,
    keys_are_named_by_their_own_arn,
    keys_are_in_their_buckets_region,
    keys_of_others_let_fsx_in,
)
