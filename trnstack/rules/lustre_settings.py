"""What must hold of a Lustre file system's caches, backups, removal, logs and root squash."""

from collections.abc import Iterator

from trnstack.findings import Finding, Severity
from trnstack.layout.lustre import SMALL_TIERING_MBPS
from trnstack.rules.lustre import LUSTRE, new_file_system
from trnstack.spec import Environment
from trnstack.spec.storage import CHECKPOINTS

_CACHE_UNIT_MBPS = 1000
_SMALLEST_CACHE_GIB, _LARGEST_CACHE_GIB = 8, 32_768


def drive_cache_is_for_hdd(environment: Environment) -> Iterator[Finding]:
    """FSX021: A drive cache is for HDD, whose SSD cache it is.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, ``DriveCacheType``.
    """
    lustre = new_file_system(environment)
    if lustre and lustre.drive_cache != "NONE" and lustre.storage_type != "HDD":
        yield Finding(
            code="FSX021",
            path=(*LUSTRE, "drive_cache"),
            message=f"drive_cache is for HDD, not for {lustre.storage_type}",
            hint="remove drive_cache",
        )


def read_cache_is_for_intelligent_tiering(environment: Environment) -> Iterator[Finding]:
    """FSX022: A read cache is for INTELLIGENT_TIERING, and its size is given where the file is to decide it.

    Source: FSx API reference, LustreReadCacheConfiguration.
    """
    lustre = new_file_system(environment)
    if not lustre:
        return
    written = sorted({"read_cache", "read_cache_gib"} & lustre.model_fields_set)
    own = lustre.read_cache == "USER_PROVISIONED"
    if lustre.storage_type != "INTELLIGENT_TIERING":
        for field in written:
            message = f"{field} is for INTELLIGENT_TIERING, not for {lustre.storage_type}"
            yield Finding(code="FSX022", path=(*LUSTRE, field), message=message, hint=f"remove {field}")
    elif own and lustre.read_cache_gib is None:
        message, hint = "read_cache: USER_PROVISIONED needs read_cache_gib", "add read_cache_gib"
        yield Finding(code="FSX022", path=(*LUSTRE, "read_cache"), message=message, hint=hint)
    elif lustre.read_cache_gib is not None and not own:
        message = f"read_cache_gib is not used with read_cache: {lustre.read_cache}"
        hint = "write read_cache: USER_PROVISIONED, or remove read_cache_gib"
        yield Finding(code="FSX022", path=(*LUSTRE, "read_cache_gib"), message=message, hint=hint)


def read_cache_fits_the_throughput(environment: Environment) -> Iterator[Finding]:
    """FSX023: A read cache has 8 to 32768 GiB for every 1000 MB/s of throughput.

    Source: FSx API reference, LustreReadCacheConfiguration, ``SizeGiB``.
    """
    lustre = new_file_system(environment)
    if not lustre or lustre.read_cache_gib is None or not lustre.throughput_capacity_mbps:
        return
    units = lustre.throughput_capacity_mbps // _CACHE_UNIT_MBPS
    least, most = units * _SMALLEST_CACHE_GIB, units * _LARGEST_CACHE_GIB
    if not least <= lustre.read_cache_gib <= most:
        yield Finding(
            code="FSX023",
            path=(*LUSTRE, "read_cache_gib"),
            message=f"a read cache of {lustre.read_cache_gib} GiB does not fit {lustre.throughput_capacity_mbps} MB/s",
            hint=f"use {least} to {most}",
        )


def a_small_throughput_capacity_is_tried(environment: Environment) -> Iterator[Finding]:
    """FSX031: Less than 4000 MB/s of INTELLIGENT_TIERING is tried before it is relied upon: AWS contradicts itself.

    The API reference names 1000 and 2000 as valid, and its own model, by which SDKs check, starts at 4000.

    Source: FSx API reference, CreateFileSystemLustreConfiguration, ``ThroughputCapacity``: valid values and range.
    """
    lustre = new_file_system(environment)
    if (
        lustre
        and lustre.throughput_capacity_mbps in SMALL_TIERING_MBPS
        and lustre.storage_type == "INTELLIGENT_TIERING"
    ):
        yield Finding(
            code="FSX031",
            severity=Severity.WARNING,
            path=(*LUSTRE, "throughput_capacity_mbps"),
            message=f"AWS's API reference names {lustre.throughput_capacity_mbps} MB/s, and its model refuses it",
            hint="use 4000, or try it before it is relied upon; a rehearsal refuses it",
        )


def backups_are_offered(environment: Environment) -> Iterator[Finding]:
    """FSX024: FSx backs up persistent file systems only, and none that is linked to a bucket.

    Source: FSx API reference, CreateBackup; FSx for Lustre user guide, "Working with backups".
    """
    lustre = new_file_system(environment)
    if not lustre or not lustre.automatic_backup_retention_days:
        return
    if lustre.deployment_type == "SCRATCH_2":
        message, instead = "SCRATCH_2 has no backups", "or write deployment_type: PERSISTENT_2"
    elif lustre.data_repository_associations:
        message = "a file system that is linked to a bucket has no backups"
        instead = "since what is exported is in the bucket, with its versions"
    else:
        return
    hint = f"remove automatic_backup_retention_days, {instead}"
    yield Finding(code="FSX024", path=(*LUSTRE, "automatic_backup_retention_days"), message=message, hint=hint)


def file_systems_are_retained(environment: Environment) -> Iterator[Finding]:
    """FSX032: The file system outlives its stack: with ``destroy`` it is deleted with it, and by what replaces it.

    Many edits replace a file system, such as one of its rate: docs/updates.md. Automatic backups go with it, and FSx
    takes no last one.

    Source: CloudFormation user guide, ``DeletionPolicy`` and ``UpdateReplacePolicy``; FSx API reference,
    DeleteFileSystem.
    """
    lustre = new_file_system(environment)
    if not lustre or lustre.removal_policy != "destroy":
        return
    links = [each for each in lustre.data_repository_associations if each.bucket == CHECKPOINTS and each.exports]
    exported = any(link.keeps_all for link in links)
    lost = "what is not exported by then" if exported else "all that it holds, since nothing is exported"
    if links and not exported:
        lost = "all that auto_export leaves out"
    backups = ", and its automatic backups" if lustre.automatic_backup_retention_days else ""
    yield Finding(
        code="FSX032",
        severity=Severity.WARNING,
        path=(*LUSTRE, "removal_policy"),
        message=f"the file system is deleted with its stack and by an edit that replaces it, with {lost}{backups}",
        hint="write removal_policy: retain, or read docs/teardown.md on what to flush before either",
    )


def logs_have_something_to_tell(environment: Environment) -> Iterator[Finding]:
    """FSX025: What FSx logs are the events of associations: a file system without one logs nothing.

    Source: FSx API reference, LustreLogCreateConfiguration, ``Level``.
    """
    lustre = new_file_system(environment)
    on = lustre and lustre.log_level not in (None, "DISABLED")
    if lustre and on and not lustre.data_repository_associations:
        yield Finding(
            code="FSX025",
            severity=Severity.WARNING,
            path=(*LUSTRE, "log_level"),
            message="log_level is about associations, of which there is none: nothing will be logged",
            hint="remove log_level, or add an association",
        )


def root_squash_is_set_by_hand(environment: Environment) -> Iterator[Finding]:
    """FSX026: Root squash is set by the command that the storage stack prints: CloudFormation has no property for it.

    Until then clients' root is root on the file system. A job that runs as root writes as the other user from then on,
    so that its folders must belong to it.

    Source: CloudFormation resource schema, AWS::FSx::FileSystem, LustreConfiguration; FSx API reference,
    UpdateFileSystem, ``RootSquashConfiguration``.
    """
    lustre = environment.storage.lustre
    if lustre and lustre.root_squash:
        yield Finding(
            code="FSX026",
            severity=Severity.NOTE,
            path=(*LUSTRE, "root_squash"),
            message="no stack can set root_squash",
            hint="after the deploy, run the RootSquashCommand that the storage stack prints",
        )


def backups_and_root_squash_are_tried(environment: Environment) -> Iterator[Finding]:
    """FSX037: Backups beside root squash are tried before they are relied upon: FSx's guide has excluded the two.

    That a file system with root squash is neither backed up nor restored stands in the guide of 2023; a newer copy of
    the page was not found.

    Source: FSx for Lustre user guide, "Lustre root squash", of June 2023.
    """
    lustre = new_file_system(environment)
    if lustre and lustre.root_squash and lustre.automatic_backup_retention_days:
        yield Finding(
            code="FSX037",
            severity=Severity.WARNING,
            path=(*LUSTRE, "automatic_backup_retention_days"),
            message="FSx's guide of 2023 has no backups of a file system with root squash, and no restores",
            hint="remove one of the two, or take a backup and restore it before it is relied upon",
        )


RULES = (
    drive_cache_is_for_hdd,
    read_cache_is_for_intelligent_tiering,
    read_cache_fits_the_throughput,
    a_small_throughput_capacity_is_tried,
    backups_are_offered,
    file_systems_are_retained,
    logs_have_something_to_tell,
    root_squash_is_set_by_hand,
    backups_and_root_squash_are_tried,
)
