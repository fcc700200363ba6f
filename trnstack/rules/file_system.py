"""What must hold of the file system's use: where it is mounted, which zone reads it, what it exchanges with buckets."""

import posixpath
from collections.abc import Iterator
from pathlib import PurePosixPath

from trnstack.findings import Finding, Path, Severity
from trnstack.rules import fleet
from trnstack.rules.lustre import LUSTRE, new_file_system
from trnstack.rules.shape import repeated
from trnstack.spec import Environment
from trnstack.spec.storage import CHECKPOINTS, DataRepositoryAssociation

#: Folders that an image or a node needs as they are; /opt/amazon holds libfabric, /opt/aws the Neuron tools.
_SYSTEM_FOLDERS = tuple(
    PurePosixPath(text)
    for text in (
        "/bin",
        "/boot",
        "/dev",
        "/etc",
        "/lib",
        "/lib64",
        "/opt/amazon",
        "/opt/aws",
        "/proc",
        "/root",
        "/run",
        "/sbin",
        "/sys",
        "/tmp",  # noqa: S108  # named here so that nothing is mounted over it
        "/usr",
        "/var",
    )
)
_MOST_ASSOCIATIONS = 8


def _associations(environment: Environment) -> Iterator[tuple[Path, DataRepositoryAssociation]]:
    lustre = environment.storage.lustre
    for index, association in enumerate(lustre.data_repository_associations if lustre else ()):
        yield (*LUSTRE, "data_repository_associations", index), association


def scratch_keeps_no_checkpoints(environment: Environment) -> Iterator[Finding]:
    """FSX011: What is written to scratch storage also goes to the checkpoint bucket: scratch is not replicated.

    New files go with NEW, and what is written to them later with CHANGED; DELETED carries nothing there.

    Source: FSx for Lustre user guide, "Deployment and storage class options" and "Automatically export updates to your
    S3 bucket".
    """
    lustre = new_file_system(environment)
    links = [each for _, each in _associations(environment) if each.bucket == CHECKPOINTS and each.exports]
    if not lustre or lustre.deployment_type != "SCRATCH_2" or any(link.keeps_all for link in links):
        return
    what = "not all that is written is exported" if links else "nothing is exported"
    add = "write auto_export: [NEW, CHANGED]" if links else "add an association with bucket: checkpoints"
    yield Finding(
        code="FSX011",
        severity=Severity.WARNING,
        path=(*LUSTRE, "deployment_type"),
        message=f"a failed server of SCRATCH_2 loses its data, and {what} to the checkpoint bucket",
        hint=f"{add}, or write deployment_type: PERSISTENT_2",
    )


def nodes_are_in_the_file_systems_zone(environment: Environment) -> Iterator[Finding]:
    """FSX012: Nodes are in the file system's zone, the first of the list: otherwise traffic is slower and paid for.

    Source: FSx for Lustre user guide, "Accessing file systems"; EC2 pricing, "Data transfer" (FSX-11).
    """
    home, lustre = environment.availability_zone_ids[0], new_file_system(environment)
    by_tcp = "go by TCP, " if lustre and lustre.efa_enabled else ""
    for index, group in enumerate(environment.node_groups):
        zone_id = fleet.zone_of(environment, group)
        if lustre and zone_id != home:
            yield Finding(
                code="FSX012",
                severity=Severity.WARNING,
                path=("node_groups", index, "availability_zone_id"),
                message=f"the nodes are in {zone_id}, the file system in {home}: reads {by_tcp}are slower and paid for",
                hint=f"put {zone_id} first in availability_zone_ids, or the node group into {home}",
            )


def deletions_stay_in_the_file_system(environment: Environment) -> Iterator[Finding]:
    """FSX013: What is deleted in the file system stays in the bucket: with DELETED exported, a slip deletes both.

    A rename is a change: with CHANGED the object of the old name is deleted, and one of the new name made.

    Source: FSx for Lustre user guide, "Automatically export updates to your S3 bucket" (FSX-06).
    """
    for path, association in _associations(environment):
        if "DELETED" in association.auto_export:
            yield Finding(
                code="FSX013",
                severity=Severity.WARNING,
                path=(*path, "auto_export"),
                message=f"what is deleted in '{association.file_system_path}' is deleted in the bucket too",
                hint="write auto_export: [NEW, CHANGED]",
            )


def the_mount_path_is_free(environment: Environment) -> Iterator[Finding]:
    """FSX014: The file system is not mounted over a folder that images or nodes need.

    Source: Filesystem Hierarchy Standard 3.0, section 3; AWS Neuron documentation, "Neuron containers".
    """
    lustre = environment.storage.lustre
    if not lustre:
        return
    mount = PurePosixPath(posixpath.normpath(lustre.mount_path))
    covered = next((each for each in _SYSTEM_FOLDERS if mount.is_relative_to(each) or each.is_relative_to(mount)), None)
    if covered:
        where = "the root folder" if mount == PurePosixPath("/") else f"'{covered}', which the system needs"
        yield Finding(
            code="FSX014",
            path=(*LUSTRE, "mount_path"),
            message=f"mount path '{lustre.mount_path}' covers {where}",
            hint="use /fsx",
        )


def association_events_are_unique(environment: Environment) -> Iterator[Finding]:
    """FSX015: No event is listed twice.

    Source: CloudFormation resource schema, AWS::FSx::DataRepositoryAssociation, ``Events``.
    """
    for path, association in _associations(environment):
        for field, events in (("auto_import", association.auto_import), ("auto_export", association.auto_export)):
            for index, event in repeated(events):
                yield Finding(
                    code="FSX015",
                    path=(*path, field, index),
                    message=f"event '{event}' is listed twice",
                    hint="remove one of the two",
                )


def paths_are_plain(environment: Environment) -> Iterator[Finding]:
    """FSX016: Paths lead downwards, without ``.`` and ``..``, so that each folder has one name.

    Source: FSx API reference, CreateDataRepositoryAssociation, ``FileSystemPath``.
    """
    lustre = environment.storage.lustre
    written: list[tuple[Path, str]] = [((*LUSTRE, "mount_path"), lustre.mount_path)] if lustre else []
    written += [((*path, "file_system_path"), each.file_system_path) for path, each in _associations(environment)]
    for path, text in written:
        if set(text.split("/")) & {".", ".."}:
            yield Finding(
                code="FSX016",
                path=path,
                message=f"path '{text}' holds '.' or '..'",
                hint=f"use {posixpath.normpath(text)}",
            )


def associations_fit_the_limit(environment: Environment) -> Iterator[Finding]:
    """FSX017: A file system has at most eight associations.

    Source: FSx for Lustre user guide, "Linking your file system to an Amazon S3 bucket".
    """
    count = len(list(_associations(environment)))
    if count > _MOST_ASSOCIATIONS:
        yield Finding(
            code="FSX017",
            path=(*LUSTRE, "data_repository_associations"),
            message=f"{count} associations are more than {_MOST_ASSOCIATIONS}",
            hint="link folders further up",
        )


RULES = (
    scratch_keeps_no_checkpoints,
    nodes_are_in_the_file_systems_zone,
    deletions_stay_in_the_file_system,
    the_mount_path_is_free,
    association_events_are_unique,
    paths_are_plain,
    associations_fit_the_limit,
)
