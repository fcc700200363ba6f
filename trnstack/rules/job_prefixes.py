"""What must hold of the prefixes of the checkpoint bucket that jobs may use beside those of associations."""

import posixpath
from collections.abc import Iterator, Sequence

from trnstack.findings import Finding, Path, Severity
from trnstack.layout.role_policies import MOST_CHARACTERS
from trnstack.plan.model import DatasetPlan
from trnstack.plan.storage import bucket_name, job_prefixes
from trnstack.spec import Environment
from trnstack.spec.storage import Dataset

_PREFIXES: Path = ("storage", "checkpoints", "job_prefixes")
#: Of the jobs' policy: what it has of itself and for each dataset, names and prefixes not counted; for each prefix the
#: bucket's ARN and both forms of what may be listed.
_POLICY_CHARACTERS, _DATASET_CHARACTERS, _PREFIX_CHARACTERS = 630, 280, 28
_ACCOUNT_DIGITS, _ACCOUNT = "0" * 12, "ACCOUNT"


def _folder(prefix: str) -> str:
    """Returns what every key of a prefix starts with."""
    return f"{prefix.strip('/')}/" if prefix else ""


def jobs_policy_characters(bucket: str, prefixes: Sequence[str], datasets: Sequence[Dataset | DatasetPlan]) -> int:
    """Returns about how long the policy of the jobs' role is, and no less than it is.

    Args:
        bucket: The checkpoint bucket's name.
        prefixes: The prefixes of it that jobs may use; none for all of it.
        datasets: The datasets that they may read.
    """
    named = len(bucket.replace(_ACCOUNT, _ACCOUNT_DIGITS))
    characters = _POLICY_CHARACTERS + 2 * named
    characters += sum(_PREFIX_CHARACTERS + named + 3 * len(prefix) for prefix in prefixes)
    for dataset in datasets:
        written = 3 * len(dataset.bucket_name) + 3 * len(dataset.prefix) + len(dataset.kms_key_arn or "")
        characters += _DATASET_CHARACTERS + written
    return characters


def job_prefixes_are_plain(environment: Environment) -> Iterator[Finding]:
    """BKT017: Job prefixes hold no ``.`` and ``..``: S3 takes them as they are, and tools make other prefixes of them.

    Source: S3 user guide, "Naming Amazon S3 objects": period-only path segments.
    """
    for index, prefix in enumerate(environment.storage.checkpoints.job_prefixes):
        if set(prefix.split("/")) & {".", ".."}:
            plain = posixpath.normpath(f"/{prefix}").strip("/")
            yield Finding(
                code="BKT017",
                path=(*_PREFIXES, index),
                message=f"prefix '{prefix}' holds '.' or '..'",
                hint=f"use {plain}" if plain else "name a prefix such as runs",
            )


def job_prefixes_do_not_overlap(environment: Environment) -> Iterator[Finding]:
    """BKT018: No job prefix is the same as another or lies inside it; inside an association's it is a warning.

    Source: the environment file's format, version 1.
    """
    folders = [_folder(prefix) for prefix in environment.storage.checkpoints.job_prefixes]
    linked = [_folder(prefix) for prefix in environment.storage.linked_prefixes() if prefix]
    for index, folder in enumerate(folders):
        others = [earlier for earlier in folders[:index] if folder.startswith(earlier) or earlier.startswith(folder)]
        around = [link for link in linked if folder.startswith(link)]
        if not others and not around:
            continue
        what = f"overlaps '{others[0]}'" if others else f"lies within '{around[0]}', which an association links"
        yield Finding(
            code="BKT018",
            severity=Severity.ERROR if others else Severity.WARNING,
            path=(*_PREFIXES, index),
            message=f"'{folder}' {what}",
            hint="remove the one that the other covers" if others else "remove it: jobs may use it already",
        )


def job_prefixes_add_something(environment: Environment) -> Iterator[Finding]:
    """BKT019: Job prefixes are there where associations leave jobs parts of the bucket; otherwise all of it is theirs.

    They add to what jobs may use, and take nothing away.

    Source: the environment file's format, version 1.
    """
    linked = environment.storage.linked_prefixes()
    if environment.storage.checkpoints.job_prefixes and (not linked or "" in linked):
        links = "an association links all of it" if linked else "no association links a part of it"
        yield Finding(
            code="BKT019",
            severity=Severity.WARNING,
            path=_PREFIXES,
            message=f"jobs may use all of the checkpoint bucket, since {links}",
            hint="give the association a prefix, or remove job_prefixes"
            if linked
            else "remove job_prefixes until one does",
        )


def prefixes_fit_the_jobs_policy(environment: Environment) -> Iterator[Finding]:
    """BKT020: What jobs may use fits their role's policy, in which each prefix stands three times.

    Source: IAM user guide, "IAM and AWS STS quotas": 10,240 characters of inline policies in a role, without spaces.
    """
    section, prefixes = environment.storage.checkpoints, job_prefixes(environment)
    bucket = section.existing_bucket or bucket_name(environment, "checkpoints")
    characters = jobs_policy_characters(bucket, prefixes, environment.storage.datasets)
    if characters > MOST_CHARACTERS:
        yield Finding(
            code="BKT020",
            severity=Severity.WARNING,
            path=_PREFIXES if section.job_prefixes else ("storage",),
            message=f"the jobs' policy would have about {characters} characters, and IAM takes {MOST_CHARACTERS}",
            hint="name fewer or shorter prefixes: one further up covers those below it",
        )


RULES = (
    job_prefixes_are_plain,
    job_prefixes_do_not_overlap,
    job_prefixes_add_something,
    prefixes_fit_the_jobs_policy,
)
