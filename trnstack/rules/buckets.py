"""What must hold of buckets: names that S3 takes, and checkpoints that survive mistakes."""

import ipaddress
from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.spec import Environment

_LONGEST = 63
_ACCOUNT = "0" * 12
_RESERVED_STARTS = ("xn--", "sthree-", "amzn-s3-demo-")
_RESERVED_ENDS = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")
_CHECKPOINTS: Path = ("storage", "checkpoints")


def the_checkpoint_bucket_has_a_name(environment: Environment) -> Iterator[Finding]:
    """BKT001: The checkpoint bucket's name, NAME-checkpoints-ACCOUNT-REGION, is one that S3 takes.

    It has at most 63 characters, and does not start with what S3 reserves.

    Source: S3 user guide, "General purpose bucket naming rules".
    """
    if environment.storage.checkpoints.existing_bucket:
        return
    start = next((each for each in _RESERVED_STARTS if environment.name.startswith(each)), None)
    if start:
        yield Finding(
            code="BKT001",
            path=("name",),
            message=f"buckets are named after the environment, and S3 reserves names that start with '{start}'",
            hint=f"use another name, such as {environment.name.removeprefix(start) or 'dev'}",
        )
    length = len(f"{environment.name}-checkpoints-{_ACCOUNT}-{environment.region}")
    if length > _LONGEST:
        longest = len(environment.name) - (length - _LONGEST)
        yield Finding(
            code="BKT001",
            path=("name",),
            message=f"bucket {environment.name}-checkpoints-ACCOUNT-{environment.region} has {length} characters",
            hint=f"in {environment.region} use a name of at most {longest} characters",
        )


def checkpoints_are_retained(environment: Environment) -> Iterator[Finding]:
    """BKT002: The checkpoint bucket outlives its stack: with ``destroy`` it goes with it.

    CloudFormation deletes no bucket that holds anything: one with checkpoints fails the deletion half way, until
    somebody has emptied it and its access log, every version of every object.

    Source: CloudFormation user guide, ``DeletionPolicy``; S3 user guide, "Deleting a bucket".
    """
    section = environment.storage.checkpoints
    if section.removal_policy == "destroy" and not section.existing_bucket:
        yield Finding(
            code="BKT002",
            severity=Severity.WARNING,
            path=(*_CHECKPOINTS, "removal_policy"),
            message="the storage stack's deletion wants to delete the checkpoint bucket, and fails unless it is empty",
            hint="write removal_policy: retain, or empty both of its buckets before the stack is destroyed",
        )


def checkpoints_are_versioned(environment: Environment) -> Iterator[Finding]:
    """BKT003: The checkpoint bucket keeps earlier versions, so that what is overwritten or deleted can be had back.

    Source: S3 user guide, "Retaining multiple versions of objects with S3 Versioning".
    """
    section = environment.storage.checkpoints
    if not section.versioned and not section.existing_bucket:
        yield Finding(
            code="BKT003",
            severity=Severity.WARNING,
            path=(*_CHECKPOINTS, "versioned"),
            message="without versions an overwritten or deleted checkpoint is gone",
            hint="write versioned: true, and noncurrent_expiration_days for what it may cost",
        )


def _named(environment: Environment) -> Iterator[tuple[Path, str]]:
    section = environment.storage.checkpoints
    if section.existing_bucket:
        yield (*_CHECKPOINTS, "existing_bucket"), section.existing_bucket
    if section.replicate_to:
        yield (*_CHECKPOINTS, "replicate_to", "bucket_name"), section.replicate_to.bucket_name
    for index, dataset in enumerate(environment.storage.datasets):
        yield ("storage", "datasets", index, "bucket_name"), dataset.bucket_name


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _flaw(name: str) -> str:
    if ".." in name:
        return "has two dots in a row"
    if _is_address(name):
        return "has the form of an IP address"
    start = next((each for each in _RESERVED_STARTS if name.startswith(each)), None)
    end = next((each for each in _RESERVED_ENDS if name.endswith(each)), None)
    if start:
        return f"starts with '{start}', which S3 reserves"
    return f"ends with '{end}', which S3 reserves" if end else ""


def bucket_names_are_valid(environment: Environment) -> Iterator[Finding]:
    """BKT004: The buckets that are named can exist: S3 refuses some names that look right.

    Source: S3 user guide, "General purpose bucket naming rules".
    """
    for path, name in _named(environment):
        flaw = _flaw(name)
        if flaw:
            yield Finding(
                code="BKT004",
                path=path,
                message=f"bucket name '{name}' {flaw}",
                hint="name the bucket as the S3 console lists it",
            )


RULES = (
    the_checkpoint_bucket_has_a_name,
    checkpoints_are_retained,
    checkpoints_are_versioned,
    bucket_names_are_valid,
)
