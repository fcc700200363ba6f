"""Edits that keep a resource and let what it holds go: shorter lives, versions switched off."""

from collections.abc import Iterator
from typing import Any

from trnstack.advice.impact.leaves import Leaf
from trnstack.advice.impact.schemas import at

LINK = "AWS::FSx::DataRepositoryAssociation"
_BUCKET, _LOG_GROUP, _FILE_SYSTEM = "AWS::S3::Bucket", "AWS::Logs::LogGroup", "AWS::FSx::FileSystem"
#: The keys of a lifecycle rule under which days are counted until objects or old versions go.
_DAYS = frozenset({"ExpirationInDays", "NoncurrentDays", "NoncurrentVersionExpirationInDays"})
_TRANSITIONS = frozenset({"Transitions", "NoncurrentVersionTransitions", "Transition", "NoncurrentVersionTransition"})


def expires(kind: str, leaf: Leaf) -> tuple[str, str] | None:
    """Returns what an edit lets go, and where that is documented; None where nothing goes sooner than before."""
    top = leaf.path[0] if leaf.path else ""
    if kind == LINK:
        return _deletions(leaf)
    if kind == _LOG_GROUP and top == "RetentionInDays" and _sooner(_number(leaf.before), _number(leaf.after)):
        return "log entries older than that are deleted", "CloudWatch Logs API reference, PutRetentionPolicy"
    if kind == _FILE_SYSTEM and leaf.path[1:2] == ("AutomaticBackupRetentionDays",) and _fewer(leaf):
        return "automatic backups are kept no longer than that", "FSx for Lustre user guide, Working with backups"
    return _of_bucket(top, leaf) if kind == _BUCKET else None


def _of_bucket(top: Any, leaf: Leaf) -> tuple[str, str] | None:
    if top == "VersioningConfiguration" and _suspends(leaf):
        return "what is overwritten or deleted from now on can't be had back", "S3 user guide, Using versioning"
    if top == "LifecycleConfiguration" and _sooner(_soonest(leaf.path, leaf.before), _soonest(leaf.path, leaf.after)):
        return "objects or old versions older than that are deleted", "S3 user guide, Expiring objects"
    return None


#: What a link carries over of deletions, by the policy that names the events, and where that is documented.
DELETIONS = {
    "AutoExportPolicy": (
        "what is deleted in the folder is deleted in the bucket too, from now on",
        "FSx for Lustre user guide, Automatically export updates to your S3 bucket",
    ),
    "AutoImportPolicy": (
        "what is deleted in the bucket is deleted in the folder too, from now on",
        "FSx for Lustre user guide, Automatically import updates from your S3 bucket",
    ),
}


def _deletions(leaf: Leaf) -> tuple[str, str] | None:
    """Returns what an edit of a link's events lets go: with DELETED, one side takes away what the other one has."""
    for name, told in DELETIONS.items():
        before, after = (_members(leaf.path, value, ("S3", name, "Events")) for value in (leaf.before, leaf.after))
        if "DELETED" in after and "DELETED" not in before:
            return told
    return None


def _members(path: tuple[str | int, ...], value: Any, wanted: tuple[str, ...]) -> tuple[Any, ...]:
    """Returns the members of a list that a leaf is, holds, or is one of; none where it is about something else."""
    inside, rest = path[: len(wanted)], wanted[len(path) :]
    if inside != wanted[: len(inside)]:
        return ()
    found = at(value, rest)
    return tuple(found) if isinstance(found, list) else (found,)


def _fewer(leaf: Leaf) -> bool:
    """Tells whether backups are kept for fewer days than they were; without a number, there are none."""
    before, after = _number(leaf.before) or 0, _number(leaf.after) or 0
    return after < before


def _suspends(leaf: Leaf) -> bool:
    after = leaf.after.get("Status") if isinstance(leaf.after, dict) else leaf.after
    return bool(after != "Enabled")


def _sooner(before: float | None, after: float | None) -> bool:
    """Tells whether something goes earlier than it did; None stands for never."""
    return after is not None and (before is None or after < before)


def _soonest(path: tuple[str | int, ...], value: Any) -> float | None:
    """Returns the fewest days after which a rule, or one value of it, lets something go."""
    named = (path[-1], value) if path and isinstance(path[-1], str) else ("", value)
    return min(_found(*named), default=None)


def _found(key: str, value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        if value.get("Status") == "Disabled":
            return
        for inner, each in value.items():
            if inner not in _TRANSITIONS:
                yield from _found(inner, each)
    elif isinstance(value, list):
        for each in value:
            yield from _found(key, each)
    elif key in _DAYS and (number := _number(value)) is not None:
        yield number


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
