"""What FSx refuses of the links between file systems and buckets: two of one file system may not overlap.

CloudFormation makes what is new before it deletes what is old, so a link whose folder or prefix is edited meets the old
one. Deleting one first takes a deploy of its own.

Source: FSx API reference, CreateDataRepositoryAssociation: folders may not overlap, and folder and prefix are unique;
FSx for Lustre user guide, "Linking your file system to an S3 bucket": data repository paths may not overlap either, and
data repositories can't be linked to file systems that have backups enabled; CloudFormation user guide, "Update
behaviors of stack resources".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trnstack.advice.impact.expiry import DELETIONS, LINK
from trnstack.advice.impact.leaves import equal
from trnstack.advice.impact.lustre import FILE_SYSTEM
from trnstack.advice.impact.model import Action, Impact, ResourceChange
from trnstack.advice.impact.schemas import ABSENT, at
from trnstack.advice.impact.symbols import Reference, shown
from trnstack.advice.impact.values import Values

_CREATE = "FSx API reference, CreateDataRepositoryAssociation"
_GUIDE = "FSx for Lustre user guide, Linking your file system to an S3 bucket"
_BACKUPS = ("LustreConfiguration", "AutomaticBackupRetentionDays")

Moves = Callable[[Reference], bool]


@dataclass(frozen=True, slots=True)
class Link:
    """A link between a folder of a file system and a prefix of a bucket.

    Attributes:
        stack, logical_id: Its resource.
        file_system: What names the file system.
        folder: Its folder.
        prefix: ``s3://``, the bucket and the prefix; what is not known yet as people read it.
        exports: Which events of the folder it carries over.
        imports: Which events of the bucket it carries over.
    """

    stack: str
    logical_id: str
    file_system: Any
    folder: str
    prefix: str
    exports: tuple[str, ...]
    imports: tuple[str, ...] = ()


def links(values: Values) -> tuple[Link, ...]:
    """Returns all links of one side."""
    return tuple(
        _link(values, stack.name, logical_id, resource)
        for stack in values.side.stacks.values()
        for logical_id, resource in values.resources(stack).items()
        if resource.get("Type") == LINK
    )


def _link(values: Values, stack: str, logical_id: str, resource: Mapping[str, Any]) -> Link:
    made = values.of(resource.get("Properties"), values.side.stacks[stack])
    exports, imports = (at(made, ("S3", name, "Events")) for name in DELETIONS)
    folder, prefix = (at(made, (name,)) for name in ("FileSystemPath", "DataRepositoryPath"))
    return Link(
        stack=stack,
        logical_id=logical_id,
        file_system=at(made, ("FileSystemId",)),
        folder="" if folder is ABSENT else shown(folder),
        prefix="" if prefix is ABSENT else shown(prefix),
        exports=tuple(map(shown, exports)) if isinstance(exports, list) else (),
        imports=tuple(map(shown, imports)) if isinstance(imports, list) else (),
    )


def with_refusals(
    changes: Iterable[ResourceChange], old: Values, new: Values, moves: Moves
) -> Iterator[ResourceChange]:
    """Yields the changes; those of links and of backups with what FSx refuses of them.

    Args:
        changes: All changes.
        old: The old side.
        new: The new side.
        moves: Says whether what a reference stands for changes.
    """
    before, after = links(old), {(link.stack, link.logical_id): link for link in links(new)}
    for change in changes:
        link = after.get((change.stack, change.logical_id))
        reasons: list[str] = []
        told = change
        if link is not None and change.action in (Action.ADD, Action.REPLACE):
            reasons += _overlaps(link, before, moves)
            lost = tuple(_deletes(link, before)) if change.stack in old.side.stacks else ()
            told = replace(
                change,
                impact=Impact.LOSES_DATA if lost else change.impact,
                reason="; ".join((change.reason, *_perhaps_the_same(link, before), *lost)),
            )
        elif change.type == FILE_SYSTEM and change.action is Action.UPDATE:
            reasons += _backups(change, new, (*before, *after.values()))
        yield replace(told, refused=(*told.refused, *reasons))


def _overlaps(link: Link, others: Iterable[Link], moves: Moves) -> Iterator[str]:
    """Yields what a new link meets, of those that stand until the deploy is done."""
    for other in others:
        known = link.file_system is not ABSENT and equal(link.file_system, other.file_system)
        if not known or (isinstance(link.file_system, Reference) and moves(link.file_system)):
            continue
        what = "folder" if overlap(link.folder, other.folder) else ""
        what = what or ("prefix" if overlap(link.prefix, other.prefix) else "")
        if what:
            mine, theirs = (getattr(each, what) for each in (link, other))
            same = (link.stack, link.logical_id) == (other.stack, other.logical_id)
            whose = "the link in whose place it comes" if same else f"the link {other.logical_id}"
            meets = "is that" if mine == theirs else f"overlaps with {theirs}"
            yield (
                f"its {what} {mine} {meets} of {whose}, which goes only when the new one stands, and FSx takes no two "
                f"that overlap: take the old one away first, in a deploy of its own ({_CREATE}; {_GUIDE})"
            )


def _deletes(link: Link, others: Iterable[Link]) -> Iterator[str]:
    """Yields the deletions that a new link carries over, and no link of the same prefix did."""
    same = [other for other in others if other.prefix == link.prefix]
    for told, mine, theirs in (
        (DELETIONS["AutoExportPolicy"], link.exports, [other.exports for other in same]),
        (DELETIONS["AutoImportPolicy"], link.imports, [other.imports for other in same]),
    ):
        if "DELETED" in mine and not any("DELETED" in events for events in theirs):
            text, source = told
            yield f"{text} ({source})"


def _perhaps_the_same(link: Link, others: Iterable[Link]) -> Iterator[str]:
    """Yields what becomes of a link whose file system is named by its id now, where that is the one that it had."""
    for other in others:
        same = (link.stack, link.logical_id) == (other.stack, other.logical_id)
        if same and isinstance(other.file_system, Reference) and isinstance(link.file_system, str):
            own = other.file_system.logical_id
            yield f"if {link.file_system} is {own} itself, nothing changes, or FSx refuses the overlap"


def overlap(one: str, other: str) -> bool:
    """Says whether one of two folders or prefixes lies within the other, or is it."""
    first, second = (f"{each.rstrip('/')}/" for each in (one, other))
    return bool(one and other) and (first.startswith(second) or second.startswith(first))


def _backups(change: ResourceChange, new: Values, linked: Iterable[Link]) -> Iterator[str]:
    """Yields that FSx takes no backups of a file system that is linked, or is until the deploy is done."""
    stack = new.side.stacks[change.stack]
    made = new.of(new.resources(stack)[change.logical_id].get("Properties"), stack)
    if at(made, _BACKUPS) in (ABSENT, 0, "0"):
        return
    mine = Reference(change.stack, change.logical_id)
    names = sorted({link.logical_id for link in linked if link.file_system == mine})
    if names:
        yield (
            f"FSx takes no backups of a file system that is linked to a bucket, as this one is by {', '.join(names)}: "
            f"take the links away first, in a deploy of its own, which leaves files and objects ({_GUIDE})"
        )
