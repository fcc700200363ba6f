"""Rules of datasets and of the links between folders of the file system and prefixes of buckets."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, did_you_mean
from trnstack.rules.shape import repeated
from trnstack.spec import Environment
from trnstack.spec.storage import CHECKPOINTS, DataRepositoryAssociation


def _association(index: int) -> Path:
    return ("storage", "lustre", "data_repository_associations", index)


def _associations(environment: Environment) -> tuple[DataRepositoryAssociation, ...]:
    lustre = environment.storage.lustre
    return lustre.data_repository_associations if lustre else ()


def _place(environment: Environment, association: DataRepositoryAssociation) -> str:
    """Returns bucket and prefix, with a slash at the end; two datasets may be prefixes of one bucket."""
    dataset = environment.storage.dataset(association.bucket)
    bucket = dataset.bucket_name if dataset else association.bucket
    return f"{bucket}/{environment.storage.prefix_of(association)}".rstrip("/") + "/"


def dataset_names_are_unique(environment: Environment) -> Iterator[Finding]:
    """SPEC018: Datasets have names of their own, and none is called ``checkpoints``.

    Source: the environment file's format, version 1: an association names its bucket by one of these words.
    """
    names = [dataset.name for dataset in environment.storage.datasets]
    for index, name in repeated([CHECKPOINTS, *names]):
        owner = "the checkpoint bucket" if name == CHECKPOINTS else "another dataset"
        yield Finding(
            code="SPEC018",
            path=("storage", "datasets", index - 1, "name"),
            message=f"{owner} is named '{name}' already",
            hint="give the dataset another name",
        )


def association_paths_do_not_overlap(environment: Environment) -> Iterator[Finding]:
    """SPEC019: No two associations have the same folder, or one inside the other's.

    Source: FSx API reference, CreateDataRepositoryAssociation, ``FileSystemPath``.
    """
    folders = [f"{association.file_system_path.rstrip('/')}/" for association in _associations(environment)]
    for index, folder in enumerate(folders):
        overlapped = [
            earlier for earlier in folders[:index] if folder.startswith(earlier) or earlier.startswith(folder)
        ]
        for earlier in overlapped[:1]:
            yield Finding(
                code="SPEC019",
                path=(*_association(index), "file_system_path"),
                message=f"folder '{folder.rstrip('/') or '/'}' overlaps '{earlier.rstrip('/') or '/'}' of another one",
                hint="link folders beside each other",
            )


def association_prefixes_do_not_overlap(environment: Environment) -> Iterator[Finding]:
    """SPEC025: No two associations have the same prefix of a bucket, or one inside the other's.

    Source: FSx for Lustre user guide, "Linking your file system to an Amazon S3 bucket": "Two data repository
    associations cannot have overlapping data repository paths".
    """
    places = [_place(environment, association) for association in _associations(environment)]
    for index, place in enumerate(places):
        overlapped = [earlier for earlier in places[:index] if place.startswith(earlier) or earlier.startswith(place)]
        for earlier in sorted(overlapped, key=lambda other: other != place)[:1]:
            yield Finding(
                code="SPEC025",
                path=(*_association(index), "prefix"),
                message=f"'{place}' overlaps '{earlier}' of another association",
                hint="give each a prefix of its own, such as the name of its folder",
            )


def association_buckets_exist(environment: Environment) -> Iterator[Finding]:
    """SPEC020: An association's bucket is ``checkpoints`` or the name of a dataset.

    Source: the environment file's format, version 1.
    """
    names = [CHECKPOINTS, *(dataset.name for dataset in environment.storage.datasets)]
    for index, association in enumerate(_associations(environment)):
        if association.bucket not in names:
            yield Finding(
                code="SPEC020",
                path=(*_association(index), "bucket"),
                message=f"'{association.bucket}' is not one of {', '.join(names)}",
                hint=did_you_mean(association.bucket, names) or "name the bucket under storage.datasets first",
            )


def datasets_are_imported_only(environment: Environment) -> Iterator[Finding]:
    """FSX018: Nothing is exported to a dataset, which belongs to somebody else and which nodes may only read.

    Source: the environment file's format, version 1.
    """
    for index, association in enumerate(_associations(environment)):
        if association.bucket != CHECKPOINTS and association.exports:
            yield Finding(
                code="FSX018",
                path=(*_association(index), "auto_export"),
                message=f"dataset '{association.bucket}' is read only: nothing is exported to it",
                hint="write auto_export: []",
            )


def associations_stay_in_their_dataset(environment: Environment) -> Iterator[Finding]:
    """FSX019: An association's prefix lies within its dataset's, which is all that nodes may read.

    Source: the environment file's format, version 1.
    """
    for index, association in enumerate(_associations(environment)):
        dataset = environment.storage.dataset(association.bucket)
        if dataset is None:
            continue
        outer, inner = (f"{each.strip('/')}/" for each in (dataset.prefix, environment.storage.prefix_of(association)))
        if outer != "/" and not inner.startswith(outer):
            yield Finding(
                code="FSX019",
                path=(*_association(index), "prefix"),
                message=f"'{association.prefix}' is not within '{dataset.prefix}' of dataset '{dataset.name}'",
                hint=f"use {outer.rstrip('/')}, or leave prefix out",
            )


def intelligent_tiering_has_no_associations(environment: Environment) -> Iterator[Finding]:
    """FSX020: No bucket is linked to an INTELLIGENT_TIERING file system, new or adopted; all others may be with 2.15.

    Source: FSx for Lustre user guide, "Using data repositories"; FSx API reference, DataRepositoryAssociation.
    """
    lustre = environment.storage.lustre
    if lustre and lustre.storage_type == "INTELLIGENT_TIERING" and lustre.data_repository_associations:
        instead = "correct what describes it" if lustre.existing_file_system else "write storage_type: SSD"
        yield Finding(
            code="FSX020",
            path=("storage", "lustre", "data_repository_associations"),
            message="INTELLIGENT_TIERING can't be linked to buckets",
            hint=f"remove the associations, or {instead}",
        )


RULES = (
    dataset_names_are_unique,
    association_paths_do_not_overlap,
    association_prefixes_do_not_overlap,
    association_buckets_exist,
    datasets_are_imported_only,
    associations_stay_in_their_dataset,
    intelligent_tiering_has_no_associations,
)
