"""What must hold of what links carry between folders of the file system and buckets, and of what they fail to."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.rules.lustre import LUSTRE, new_file_system
from trnstack.spec import Environment
from trnstack.spec.storage import CHECKPOINTS, DataRepositoryAssociation

_WRITTEN = {"NEW": "new files", "CHANGED": "changed files"}
#: Levels at which a failed export, which is an error, is not logged.
_WITHOUT_ERRORS = ("DISABLED", "WARN_ONLY")


def _exporting(environment: Environment) -> Iterator[tuple[Path, DataRepositoryAssociation]]:
    """Yields every link that exports to the checkpoint bucket, with its place."""
    lustre = environment.storage.lustre
    for index, association in enumerate(lustre.data_repository_associations if lustre else ()):
        if association.bucket == CHECKPOINTS and association.exports:
            yield (*LUSTRE, "data_repository_associations", index), association


def imports_stay_in_their_region(environment: Environment) -> Iterator[Finding]:
    """FSX034: Changes are imported from buckets of the file system's own region alone.

    What a bucket of another region holds when it is linked is listed by a task, for which AWS names no such limit.

    Source: FSx for Lustre user guide, "Using data repositories", "Region and account support for linked S3 buckets".
    """
    lustre = environment.storage.lustre
    for index, association in enumerate(lustre.data_repository_associations if lustre else ()):
        dataset = environment.storage.dataset(association.bucket)
        if dataset and dataset.region not in (None, environment.region) and association.auto_import:
            yield Finding(
                code="FSX034",
                path=(*LUSTRE, "data_repository_associations", index, "auto_import"),
                message=f"dataset '{dataset.name}' is in {dataset.region}: no change of it is imported from there",
                hint=f"write auto_import: [], or copy the dataset to a bucket of {environment.region}",
            )


def exports_carry_what_is_written(environment: Environment) -> Iterator[Finding]:
    """FSX035: What exports carries new and changed files: NEW alone misses what is written later, DELETED all of it.

    Source: FSx for Lustre user guide, "Automatically export updates to your S3 bucket".
    """
    for path, association in _exporting(environment):
        missed = " and ".join(word for event, word in _WRITTEN.items() if event not in association.exports)
        if missed:
            yield Finding(
                code="FSX035",
                severity=Severity.WARNING,
                path=(*path, "auto_export"),
                message=f"{missed} of '{association.file_system_path}' do not go to the bucket",
                hint="write auto_export: [NEW, CHANGED], or [] for a folder that exports nothing",
            )


def failed_exports_are_logged(environment: Environment) -> Iterator[Finding]:
    """FSX036: Files that can't be exported are told in the log, which alone names them.

    Such are files that the bucket or its key refuses, and those whose path is longer than a key may be.

    Source: FSx for Lustre user guide, "Data repository event logs".
    """
    lustre = new_file_system(environment)
    if lustre and lustre.log_level in _WITHOUT_ERRORS and any(_exporting(environment)):
        yield Finding(
            code="FSX036",
            severity=Severity.WARNING,
            path=(*LUSTRE, "log_level"),
            message=f"with log_level: {lustre.log_level} nobody is told of files that could not be exported",
            hint="remove log_level, which logs warnings and errors of what is linked",
        )


def an_adopted_folder_is_exported_by_hand(environment: Environment) -> Iterator[Finding]:
    """FSX038: What an adopted folder holds before its link is exported by hand: automatic export begins with the link.

    Nor is listed there what the bucket holds: of two files of a name the bucket's would win, the older one too.

    Source: FSx for Lustre user guide, "Automatically import updates from your S3 bucket", of June 2023: "S3 always
    prevails"; "Using data repository tasks to export changes".
    """
    lustre = environment.storage.lustre
    for path, association in _exporting(environment) if lustre and lustre.existing_file_system else ():
        yield Finding(
            code="FSX038",
            severity=Severity.NOTE,
            path=(*path, "file_system_path"),
            message=f"what '{association.file_system_path}' holds by now is not exported when it is linked",
            hint="export it after the deploy, by the task of docs/storage.md, Adoption",
        )


RULES = (
    imports_stay_in_their_region,
    exports_carry_what_is_written,
    failed_exports_are_logged,
    an_adopted_folder_is_exported_by_hand,
)
