"""Tells of a role's policies what they allow no longer, and what they allow from now on.

A running job feels a narrowing at its next call: permissions are looked at for every request, whenever the credentials
were handed out.

Source: IAM user guide, "Disabling permissions for temporary security credentials" and "Policy evaluation logic".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trnstack.advice.impact.leaves import Leaf
from trnstack.advice.impact.model import Impact, PropertyChange
from trnstack.advice.impact.schemas import ABSENT, at
from trnstack.advice.impact.symbols import Reference, references, shown
from trnstack.advice.impact.values import Values

ROLE = "AWS::IAM::Role"
_POLICIES = "Policies"
_SOURCE = "IAM user guide, Disabling permissions for temporary security credentials"
_DENY = "Deny"
#: The keys of a statement that is understood; any other, such as NotAction, turns its meaning around.
_KEYS = frozenset({"Action", "Condition", "Effect", "Resource", "Sid"})
_NEEDED = frozenset({"Action", "Resource"})
#: The properties by which roles are given away, and to whom.
_HOLDERS = {
    ("AWS::EKS::PodIdentityAssociation", "RoleArn"): "jobs",
    ("AWS::EKS::Nodegroup", "NodeRole"): "nodes, and pods without a role of their own",
    ("AWS::EKS::Addon", "PodIdentityAssociations"): "the add-on's pods",
    ("AWS::EKS::Cluster", "RoleArn"): "the control plane",
    ("AWS::S3::Bucket", "ReplicationConfiguration"): "replication",
}
_ANYONE = "whoever takes the role"


@dataclass(frozen=True, slots=True)
class _Grant:
    """One action on one resource, under a condition."""

    effect: str
    action: str
    resource: str
    condition: str

    def within(self, other: "_Grant") -> bool:
        """Says whether all that this allows or denies, another does too."""
        return (
            self.effect == other.effect
            and other.condition in ("", self.condition)
            and _within(self.action.lower(), other.action.lower())
            and _within(self.resource, other.resource)
        )


@dataclass(frozen=True, slots=True)
class Permissions:
    """What changes of a role's own policies.

    Attributes:
        properties: A property each of what is allowed or denied of a resource, and changes.
        lost: What is no longer allowed, in words.
    """

    properties: tuple[PropertyChange, ...]
    lost: tuple[str, ...]


def permissions(kind: str, found: Iterable[Leaf], old: Any, new: Any) -> Permissions | None:
    """Returns what changes of a role's own policies; None where that can't be told, or nothing of them is written anew.

    Args:
        kind: The resource's type.
        found: Where its properties differ.
        old: Its properties before, worked out.
        new: Its properties after.
    """
    leaves = [leaf for leaf in found if is_of_policies(kind, leaf)]
    before, after = (_grants(at(values, (_POLICIES,))) for values in (old, new))
    if not leaves or any(leaf.through for leaf in leaves) or before is None or after is None:
        return None
    properties: list[PropertyChange] = []
    lost: list[str] = []
    for place in dict.fromkeys(_place(grant) for grant in (*before, *after)):
        was, now = ([grant for grant in grants if _place(grant) == place] for grants in (before, after))
        gone = [grant for grant in was if not any(grant.within(each) for each in after)]
        come = [grant for grant in now if not any(grant.within(each) for each in before)]
        if gone or come:
            properties.append(_property(place, gone, come))
            lost += _narrowed(place, gone, come, after)
    return Permissions(tuple(properties), tuple(lost)) if properties else None


def is_of_policies(kind: str, leaf: Leaf) -> bool:
    """Says whether a leaf is of a role's own policies."""
    return kind == ROLE and leaf.path[:1] == (_POLICIES,)


def feels(lost: Iterable[str], holder: str) -> Iterator[str]:
    """Yields what is noticed of permissions that go."""
    what = "; ".join(lost)
    if what:
        yield f"{holder} may lose access, at the next call: the role allows no longer {what}"


def holder(values: Values, stack: str, logical_id: str) -> str:
    """Returns who has a role."""
    for each in values.side.stacks.values():
        for resource in values.resources(each).values():
            for (kind, name), who in _HOLDERS.items():
                if resource.get("Type") == kind:
                    made = at(values.of(resource.get("Properties"), each), (name,))
                    if Reference(stack, logical_id, "Arn") in tuple(references(made)):
                        return who
    return _ANYONE


def _property(place: tuple[str, str, str], gone: list[_Grant], come: list[_Grant]) -> PropertyChange:
    effect, resource, condition = place
    narrows, widens = (come, gone) if effect == _DENY else (gone, come)
    word = "denied from now on" if effect == _DENY else "no longer allowed"
    more = "no longer denied" if effect == _DENY else "allowed from now on"
    reasons = [text for text, grants in ((word, narrows), (more, widens)) if grants]
    denied = "denied " if effect == _DENY else ""
    return PropertyChange(
        path=f"{_POLICIES}: {denied}on {resource}{f' if {condition}' if condition else ''}",
        before=_actions(gone) or None,
        after=_actions(come) or None,
        impact=Impact.IN_PLACE,
        reason=" and ".join(reasons),
        source=_SOURCE,
    )


def _narrowed(
    place: tuple[str, str, str], gone: list[_Grant], come: list[_Grant], after: tuple[_Grant, ...]
) -> Iterator[str]:
    """Yields what is no longer allowed of a resource, and what of it still is."""
    effect, resource, condition = place
    grants = come if effect == _DENY else gone
    left = [each for each in after if effect != _DENY and any(each.within(grant) for grant in gone)]
    but = dict.fromkeys(each.condition or each.resource for each in left)
    if grants:
        where = f"{resource}{f' if {condition}' if condition else ''}"
        yield f"{_actions(grants)} on {where}{f', but for {_and(but)}' if but else ''}"


def _grants(policies: Any) -> tuple[_Grant, ...] | None:
    """Returns what inline policies allow and deny; None where a statement is not understood."""
    grants: list[_Grant] = []
    for policy in _listed(policies):
        statements = at(policy, ("PolicyDocument", "Statement")) if isinstance(policy, Mapping) else ABSENT
        for statement in _listed(statements):
            if not isinstance(statement, Mapping) or not _NEEDED <= statement.keys() <= _KEYS:
                return None
            condition = statement.get("Condition")
            grants += [
                _Grant(str(statement.get("Effect", "Allow")), shown(action), shown(resource), _condition(condition))
                for action in _listed(statement["Action"])
                for resource in _listed(statement["Resource"])
            ]
    return tuple(grants)


def _condition(condition: Any) -> str:
    """Returns a condition as people read it: ``s3:prefix StringLike a, a/*``."""
    if not isinstance(condition, Mapping):
        return "" if condition is None else shown(condition)
    tests = [
        f"{key} {operator} {', '.join(shown(value) for value in _listed(values))}"
        for operator, keys in condition.items()
        for key, values in (keys.items() if isinstance(keys, Mapping) else [("", keys)])
    ]
    return " and ".join(tests)


def _within(inner: str, outer: str) -> bool:
    """Says whether a pattern of IAM's matches all that another one does: ``*`` is any text, ``?`` any letter."""
    pattern = "".join(".*" if part == "*" else "[^*]" if part == "?" else re.escape(part) for part in outer)
    return re.fullmatch(pattern, inner, re.DOTALL) is not None


def _place(grant: _Grant) -> tuple[str, str, str]:
    return grant.effect, grant.resource, grant.condition


def _actions(grants: Iterable[_Grant]) -> str:
    return ", ".join(sorted({grant.action for grant in grants}))


def _and(names: Iterable[str]) -> str:
    return " and ".join(names)


def _listed(value: Any) -> list[Any]:
    if value is ABSENT or value is None:
        return []
    return value if isinstance(value, list) else [value]
