"""What becomes of each resource, and of what refers to it.

A resource that is replaced has another id. Whatever refers to it changes with it, in its own stack and, through exports
and imports, in others; and where what refers to it can't change in place, that is replaced too.
"""

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trnstack.advice.impact import objects, permissions, refusals
from trnstack.advice.impact.fate import added, deleted, replaced
from trnstack.advice.impact.leaves import Leaf, differing, dotted, hits, leaves, own
from trnstack.advice.impact.model import Action, Impact, PropertyChange, ResourceChange, StackTemplate, worst
from trnstack.advice.impact.overlay import overlay
from trnstack.advice.impact.properties import conditional, feels, in_place, policies, tags
from trnstack.advice.impact.schemas import ABSENT, Schema, schema
from trnstack.advice.impact.symbols import Reference, shown
from trnstack.advice.impact.values import Values

_SCHEMA = "CloudFormation resource type schema, createOnlyProperties"
_NO_IMPACT = frozenset({"AWS::CDK::Metadata"})


class _Move(enum.IntEnum):
    """Whether what a reference stands for changes."""

    STAYS = 0
    PERHAPS = 1
    MOVES = 2


@dataclass
class Comparison:
    """The comparison of two sides that are in the same region and account."""

    old: Values
    new: Values
    _found: dict[tuple[str, str], ResourceChange | None] = field(default_factory=dict)
    _asked: set[tuple[str, str]] = field(default_factory=set)

    def change(self, stack: str, logical_id: str) -> ResourceChange | None:
        """Returns what becomes of a resource; None where it stays as it is."""
        key = (stack, logical_id)
        if key not in self._found:
            if key in self._asked:
                return None  # a circle of references, which CloudFormation refuses anyway
            self._asked.add(key)
            self._found[key] = self._named(self._change(stack, logical_id))
        return self._found[key]

    def _named(self, change: ResourceChange | None) -> ResourceChange | None:
        """Returns a change with what people call what it is about, by its new properties where there are any."""
        for values in (self.new, self.old) if change else ():
            stack = values.side.stacks.get(change.stack)  # type: ignore[union-attr]
            resource = values.resources(stack).get(change.logical_id) if stack else None  # type: ignore[union-attr]
            if change and stack and resource is not None:
                name = objects.called(str(resource.get("Type")), values.of(resource.get("Properties"), stack))
                return replace(change, object=name)
        return change

    def _change(self, stack: str, logical_id: str) -> ResourceChange | None:
        was, now = self.old.side.stacks.get(stack), self.new.side.stacks.get(stack)
        old = self.old.resources(was).get(logical_id) if was else None
        new = self.new.resources(now).get(logical_id) if now else None
        kind = str((new or old or {}).get("Type", ""))
        if kind in _NO_IMPACT:
            return None
        known = schema(self.new.side.region, kind)
        if new is None and old is not None:
            return deleted(stack, logical_id, old, known=known is not None, stack_goes=now is None)
        if old is None or was is None or now is None:
            return added(stack, logical_id, kind, known=known is not None)
        if old.get("Type") != new.get("Type"):  # type: ignore[union-attr]
            gone = deleted(stack, logical_id, old, known=known is not None, stack_goes=False)
            return refusals.of_another_type(gone, str(old.get("Type")), kind)
        return self._update(logical_id, (was, old), (now, new or {}), known)

    def _update(
        self,
        logical_id: str,
        before: tuple[StackTemplate, Mapping[str, Any]],
        after: tuple[StackTemplate, Mapping[str, Any]],
        known: Schema | None,
    ) -> ResourceChange | None:
        (was, old), (now, new) = before, after
        kind = str(new.get("Type"))
        old_values = self.old.of(old.get("Properties", {}), was)
        new_values = self.new.of(new.get("Properties", {}), now)
        found = list(leaves(old_values, new_values, lambda each: self._move(each) is not _Move.STAYS))
        allowed = permissions.permissions(kind, found, old_values, new_values)
        plain = [leaf for leaf in found if allowed is None or not permissions.is_of_policies(kind, leaf)]
        properties = [self._property(kind, leaf, known) for leaf in plain]
        properties += allowed.properties if allowed else ()
        properties += policies(old, new, overlay().holds_data.get(kind, ""))
        properties += tags(was, now, known)
        if not properties:
            return None
        impacts = tuple(each.impact for each in properties)
        change = ResourceChange(
            stack=now.name,
            logical_id=logical_id,
            type=kind,
            action=Action.REPLACE if Impact.REPLACES in impacts else Action.UPDATE,
            impact=worst(impacts),
            properties=tuple(properties),
            feels=tuple(dict.fromkeys((*feels(kind, plain), *self._lost(allowed, now.name, logical_id)))),
        )
        if change.action is Action.REPLACE:
            change = replaced(change, new, old_values)
        change = refusals.with_refusals(change, found, old_values, new_values)
        in_cluster = objects.refusals(kind, old_values, new_values, lambda each: self._move(each) is not _Move.STAYS)
        return replace(change, refused=(*change.refused, *in_cluster))

    def _lost(self, allowed: permissions.Permissions | None, stack: str, logical_id: str) -> Iterator[str]:
        if allowed and allowed.lost:
            yield from permissions.feels(allowed.lost, permissions.holder(self.new, stack, logical_id))

    def _property(self, kind: str, leaf: Leaf, known: Schema | None) -> PropertyChange:
        impact, reason, source = self._impact(kind, leaf, known)
        through = dict.fromkeys(self._through(each) for each in leaf.through)
        before, after = objects.differing(kind, leaf) if leaf.through else differing(leaf)
        return PropertyChange(
            path=dotted(leaf.path),
            before=None if before is ABSENT else shown(before),
            after=None if after is ABSENT else f"{shown(after)}{' (new)' if leaf.through else ''}",
            impact=impact,
            reason="; ".join(part for part in (reason, *through) if part),
            source=source,
        )

    def _impact(self, kind: str, leaf: Leaf, known: Schema | None) -> tuple[Impact, str, str]:
        """Returns what the change of a property does, why, and where that is documented."""
        if known is None:
            return Impact.UNKNOWN, f"nothing is published of {kind}", ""
        if not own(leaf.path):
            return Impact.UNKNOWN, "its properties are no object, or are made by a function", ""
        if not known.knows(own(leaf.path)):
            return Impact.UNKNOWN, f"the published schema of {kind} has no such property", ""
        fixed = next((pointer for pointer in known.create_only if hits(leaf, pointer)), None)
        if fixed is not None:
            source = overlay().source_of(kind, fixed) or _SCHEMA
            if leaf.through and all(self._move(each) is _Move.PERHAPS for each in leaf.through):
                return Impact.UNKNOWN, "replaces, if what it refers to changes", source
            return Impact.REPLACES, "can't change in place", source
        perhaps = next((pointer for pointer in known.conditional_create_only if hits(leaf, pointer)), None)
        return in_place(kind, leaf) if perhaps is None else conditional(kind, leaf, perhaps)

    def moves(self, reference: Reference) -> bool:
        """Says whether what a reference stands for is sure to change."""
        return self._move(reference) is _Move.MOVES

    def _move(self, reference: Reference) -> _Move:
        """Says whether what a reference stands for changes when its resource does."""
        change = self.change(reference.stack, reference.logical_id)
        if change is None or change.action in (Action.ADD, Action.DELETE):
            return _Move.STAYS
        if change.action is Action.REPLACE:
            return _Move.MOVES
        if change.impact is Impact.UNKNOWN:
            return _Move.PERHAPS
        return self._attribute_move(change, reference.attribute)

    def _attribute_move(self, change: ResourceChange, attribute: str | None) -> _Move:
        """Says whether an update in place changes an attribute."""
        changed = {each.path.partition(".")[0].partition("[")[0] for each in change.properties}
        known = schema(self.new.side.region, change.type)
        if attribute is None or known is None:
            return _Move.STAYS
        first = attribute.partition(".")[0]
        for row in overlay().volatile:
            if row.type == change.type and attribute in row.names:
                return _Move.MOVES if row.properties & changed else _Move.STAYS
        stable = any(row.type == change.type and attribute in row.names for row in overlay().stable)
        if stable or (first,) in known.primary_identifier or first.endswith(("Arn", "ARN")) or first == "Id":
            return _Move.STAYS
        if (first,) not in known.read_only and first in known.properties:
            return _Move.MOVES if first in changed else _Move.STAYS
        return _Move.PERHAPS

    def _through(self, reference: Reference) -> str:
        change = self.change(reference.stack, reference.logical_id)
        assert change is not None  # noqa: S101 - only what changes moves a reference
        if change.action is Action.REPLACE:
            return f"{reference.stack}/{reference.logical_id} is replaced"
        return f"{reference.attribute} of {reference.stack}/{reference.logical_id} changes with it"
