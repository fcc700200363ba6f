"""Rules of datasets and of the links between folders of the file system and prefixes of buckets."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity, did_you_mean
from trnstack.rules.shape import CHECKPOINTS, repeated
from trnstack.spec import Environment


def _association(index: int) -> Path:
    return ("storage", "lustre", "data_repository_associations", index)


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
    lustre = environment.storage.lustre
    associations = lustre.data_repository_associations if lustre else ()
    folders = [f"{association.file_system_path.rstrip('/')}/" for association in associations]
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
    """SPEC025: No two associations have the same prefix of a bucket; one inside another's is a warning.

    Source: FSx for Lustre user guide, "Linking your file system to an Amazon S3 bucket": a unique folder and a unique
    bucket or prefix for each.
    """
    lustre = environment.storage.lustre
    associations = lustre.data_repository_associations if lustre else ()
    places = [f"{association.bucket}/{association.prefix.strip('/')}".rstrip("/") + "/" for association in associations]
    for index, place in enumerate(places):
        overlapped = [earlier for earlier in places[:index] if place.startswith(earlier) or earlier.startswith(place)]
        for earlier in sorted(overlapped, key=lambda other: other != place)[:1]:
            yield Finding(
                code="SPEC025",
                severity=Severity.ERROR if earlier == place else Severity.WARNING,
                path=(*_association(index), "prefix"),
                message=f"'{place}' overlaps '{earlier}' of another association",
                hint="give each a prefix of its own, such as the name of its folder",
            )


def association_buckets_exist(environment: Environment) -> Iterator[Finding]:
    """SPEC020: An association's bucket is ``checkpoints`` or the name of a dataset.

    Source: the environment file's format, version 1.
    """
    lustre = environment.storage.lustre
    names = [CHECKPOINTS, *(dataset.name for dataset in environment.storage.datasets)]
    for index, association in enumerate(lustre.data_repository_associations if lustre else ()):
        if association.bucket not in names:
            yield Finding(
                code="SPEC020",
                path=(*_association(index), "bucket"),
                message=f"'{association.bucket}' is not one of {', '.join(names)}",
                hint=did_you_mean(association.bucket, names) or "name the bucket under storage.datasets first",
            )


RULES = (
    dataset_names_are_unique,
    association_paths_do_not_overlap,
    association_prefixes_do_not_overlap,
    association_buckets_exist,
)
