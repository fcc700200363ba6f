"""What changes of single properties do that replace nothing by themselves."""

from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.advice.impact.expiry import expires
from trnstack.advice.impact.fate import DELETED, policy
from trnstack.advice.impact.leaves import Leaf, hits
from trnstack.advice.impact.model import Impact, PropertyChange, StackTemplate
from trnstack.advice.impact.overlay import Row, overlay
from trnstack.advice.impact.schemas import Schema
from trnstack.advice.impact.symbols import shown

_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")


def conditional(kind: str, leaf: Leaf, pointer: tuple[str, ...]) -> tuple[Impact, str, str]:
    """Returns what the change of a conditionally create-only property does, why, and where that is documented."""
    for row in overlay().conditional:
        if row.type == kind and pointer in row.paths:
            in_place = shown(leaf.after) in row.names
            return (Impact.IN_PLACE if in_place else Impact.REPLACES), "", row.source
    source = "CloudFormation resource type schema, conditionalCreateOnlyProperties"
    return Impact.UNKNOWN, "replaces the resource where the service can't change it in place", source


def in_place(kind: str, leaf: Leaf) -> tuple[Impact, str, str]:
    """Returns what a change does that replaces nothing, why, and where that is documented."""
    lost = expires(kind, leaf)
    if lost is not None:
        return Impact.LOSES_DATA, *lost
    row = _effect(kind, leaf)
    if row is not None:
        return Impact(row.impact), "", row.source
    return Impact.IN_PLACE, "", "CloudFormation resource type schema"


def _effect(kind: str, leaf: Leaf) -> Row | None:
    rows = (row for row in overlay().effects if row.type == kind)
    return next((row for row in rows if any(hits(leaf, path) for path in row.paths)), None)


def feels(kind: str, found: list[Leaf]) -> Iterator[str]:
    """Yields what running jobs notice of changes in place."""
    for leaf in found:
        row = _effect(kind, leaf)
        if row is not None:
            yield row.feels


def policies(old: Mapping[str, Any], new: Mapping[str, Any], holds: str) -> Iterator[PropertyChange]:
    """Yields changes of what becomes of the resource later, which CloudFormation makes without touching it.

    That data goes with the resource from now on counts as losing it: the edit that then loses it may touch anything.
    """
    for name in _POLICIES:
        before, after = old.get(name), new.get(name)
        if before != after:
            risk = holds and policy(new, name) == DELETED
            reason = f"from now on, {holds} go with the resource" if risk else "says what becomes of it later"
            yield PropertyChange(
                path=name,
                before=None if before is None else shown(before),
                after=None if after is None else shown(after),
                impact=Impact.LOSES_DATA if risk else Impact.IN_PLACE,
                reason=reason,
                source="CloudFormation template reference, DeletionPolicy and UpdateReplacePolicy attributes",
            )


def tags(old: StackTemplate, new: StackTemplate, known: Schema | None) -> Iterator[PropertyChange]:
    """Yields what the tags of the stack, which CloudFormation hands on, change of a resource."""
    if dict(old.tags) == dict(new.tags) or known is None or not known.taggable:
        return
    replaces = known.replaced_by_tags
    if known.tag_property is None and not replaces:
        return
    yield PropertyChange(
        path="Tags",
        before=shown(dict(old.tags)),
        after=shown(dict(new.tags)),
        impact=Impact.REPLACES if replaces else Impact.IN_PLACE,
        reason="the stack's tags",
        source="CloudFormation user guide, Resource tags: a stack's tags are handed on",
    )
