"""What AWS refuses. A refused update rolls its stack back: nothing is lost, and nothing is reached either."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trnstack.advice.impact import lustre
from trnstack.advice.impact.leaves import Leaf, equal, hits
from trnstack.advice.impact.model import Action, ResourceChange
from trnstack.advice.impact.overlay import overlay
from trnstack.advice.impact.schemas import ABSENT, Pointer, at, index, published
from trnstack.advice.impact.symbols import Reference, Text, references, shown, texts
from trnstack.advice.impact.values import Values

_CUSTOM = ("Custom::", "AWS::CloudFormation::CustomResource")


@dataclass(frozen=True, slots=True)
class _Case:
    """What the rules look at."""

    change: ResourceChange
    leaves: Sequence[Leaf]
    old: Mapping[str, Any]
    new: Mapping[str, Any]

    def values(self, *path: str) -> tuple[Any, Any]:
        return at(self.old, path), at(self.new, path)

    def changes(self, *path: str) -> bool:
        return any(hits(leaf, path) for leaf in self.leaves)


def _name_is_free(case: _Case) -> Iterator[str]:
    """A new resource is made before the old one goes, and can't have its name.

    Source: CloudFormation user guide, Troubleshooting: a custom-named resource that requires replacing can't be
    updated; the rows of ``names`` in the overlay.
    """
    if case.change.action is not Action.REPLACE:
        return
    for paths, beside, source in _names(case.change.type):
        values = [at(case.new, path) for path in paths]
        taken = all(value is not ABSENT for value in values) and not any(
            hits(leaf, path) for leaf in case.leaves for path in (*paths, *beside)
        )
        if taken:
            name = " and ".join("/".join(path) for path in paths)
            yield (
                f"the new one would be made beside the old one with the same {name}, {_listed(values)}, which only one "
                f"can have: give it another ({source})"
            )


def _version_changes_alone(case: _Case) -> Iterator[str]:
    """A node group's Version or ReleaseVersion changes beside nothing else.

    Source: aws/containers-roadmap issue 1258; CloudFormation template reference, AWS::EKS::Nodegroup ReleaseVersion.
    """
    if case.change.type != "AWS::EKS::Nodegroup" or case.change.action is not Action.UPDATE:
        return
    changed = {str(step) for leaf in case.leaves for step in leaf.path[:1]}
    others = sorted(changed - {"Version", "ReleaseVersion", "ForceUpdateEnabled"})
    if (case.changes("Version") or case.changes("ReleaseVersion")) and others:
        yield (
            f"EKS changes the version of a node group alone, and CloudFormation refuses it beside {', '.join(others)}: "
            "deploy the version first (aws/containers-roadmap issue 1258)"
        )


def _release_goes_forward(case: _Case) -> Iterator[str]:
    """Source: EKS API reference, UpdateNodegroupVersion: no way back to an earlier release."""
    if case.change.type == "AWS::EKS::Nodegroup" and case.changes("ReleaseVersion"):
        old, new = (_figures(value) for value in case.values("ReleaseVersion"))
        if old and new and new < old:
            yield (
                "EKS takes no node group back to an earlier release: make a group of another name (EKS API reference, "
                "UpdateNodegroupVersion)"
            )


def _kubernetes_moves_one_up(case: _Case) -> Iterator[str]:
    """Source: EKS user guide, Update existing cluster to new Kubernetes version: one minor version at a time."""
    if case.change.type == "AWS::EKS::Cluster" and case.changes("Version"):
        old, new = (_figures(value) for value in case.values("Version"))
        if old and new and (new[0], new[-1] - old[-1]) != (old[0], 1):
            yield (
                "EKS moves a cluster one minor version up at a time, and not back (EKS user guide, Update existing "
                "cluster to new Kubernetes version)"
            )


def _token_stays(case: _Case) -> Iterator[str]:
    """A custom resource keeps its function.

    Source: CloudFormation template reference, AWS::CloudFormation::CustomResource ServiceToken: updates are not
    supported; aws-cloudformation/cloudformation-coverage-roadmap issue 802.
    """
    if case.change.type.startswith(_CUSTOM) and case.changes("ServiceToken"):
        yield (
            "CloudFormation changes no custom resource's ServiceToken: give the resource another logical id "
            "(CloudFormation template reference, AWS::CloudFormation::CustomResource)"
        )


def _lustre_grows(case: _Case) -> Iterator[str]:
    """Source: see ``trnstack.advice.impact.lustre``."""
    if case.change.type == lustre.FILE_SYSTEM and case.change.action is Action.UPDATE:
        yield from lustre.refusals(case.old, case.new)


def _lock_stays(case: _Case) -> Iterator[str]:
    """Source: S3 user guide, Configuring S3 Object Lock: once enabled, it can't be disabled."""
    locked = shown(at(case.old, ("ObjectLockEnabled",))).lower() == "true"
    if case.change.type == "AWS::S3::Bucket" and case.changes("ObjectLockEnabled") and locked:
        yield "S3 can't turn object lock off once it is on (S3 user guide, Configuring S3 Object Lock)"


RULES: tuple[Callable[[_Case], Iterator[str]], ...] = (
    _name_is_free,
    _version_changes_alone,
    _release_goes_forward,
    _kubernetes_moves_one_up,
    _token_stays,
    _lustre_grows,
    _lock_stays,
)


def with_refusals(
    change: ResourceChange, found: Sequence[Leaf], old: Mapping[str, Any], new: Mapping[str, Any]
) -> ResourceChange:
    """Returns a change with the reasons for which AWS refuses it, if any.

    Args:
        change: The change.
        found: What differs.
        old: The resource's properties before, worked out.
        new: Its properties after.
    """
    case = _Case(change, found, old, new)
    return replace(change, refused=tuple(text for rule in RULES for text in rule(case)))


def of_another_type(gone: ResourceChange, before: str, after: str) -> ResourceChange:
    """Returns the deletion of a resource in whose place one of another type stands under the same logical id."""
    text = (
        f"CloudFormation changes no resource's type, here from {before} to {after}: give the new one another logical "
        "id (CloudFormation user guide, Update behaviors of stack resources)"
    )
    return replace(gone, refused=(text,))


def with_moves(
    change: ResourceChange, properties: Mapping[str, Any], gone: Sequence[tuple[ResourceChange, Mapping[str, Any]]]
) -> ResourceChange:
    """Returns a new resource with what is known of it from those that go.

    CloudFormation knows no renames: another logical id is another resource, which is made before the old one goes.

    Args:
        change: The new resource.
        properties: Its properties, worked out.
        gone: The resources of its type that go, with their properties.
    """
    for other, old in gone:
        if other.stack == change.stack and equal(dict(old), dict(properties)):
            text = f"is new; {other.called}, which goes, is the same under another logical id"
            change = replace(change, reason=text)
        for paths, beside, source in _names(change.type):
            values = [at(properties, path) for path in paths]
            if ABSENT not in values and all(equal(at(old, path), at(properties, path)) for path in (*paths, *beside)):
                text = f"{other.called} has its name, {_listed(values)}, until it goes, which is later ({source})"
                change = replace(change, refused=(*change.refused, text))
    return change


def importers(side: Values, name: str) -> tuple[str, ...]:
    """Returns the stacks that import what is exported under a name."""
    return tuple(
        stack.name
        for stack in side.side.stacks.values()
        if any(side.of(argument, stack) == name for argument in texts(stack.template, "Fn::ImportValue"))
    )


def export_changed(name: str, users: Sequence[str]) -> str:
    """Returns why an export that others import can't change."""
    return f"its export {name} would change while {_others(users)}, which CloudFormation refuses: the stack rolls back"


def export_gone(name: str, users: Sequence[str]) -> str:
    """Returns why an export that others import can't go."""
    return f"its export {name} would go while {_others(users)}, which CloudFormation refuses: the stack rolls back"


def _others(users: Sequence[str]) -> str:
    return f"{', '.join(users)} {'imports' if len(users) == 1 else 'import'} it"


def _names(kind: str) -> Iterator[tuple[tuple[Pointer, ...], tuple[Pointer, ...], str]]:
    """Yields the properties that are a type's name, those that may be part of it, and where it is documented."""
    for row in overlay().names:
        if row.type == kind:
            yield row.paths, row.beside, row.source
    known = _identity(kind)
    if known:
        yield known, (), "CloudFormation user guide, Troubleshooting: custom-named resources"


def _identity(kind: str) -> tuple[Pointer, ...]:
    """Returns the primary identifier of a type, where a template writes all of it; empty where the service gives it."""
    file = index("us-east-1").get(kind)
    if file is None:
        return ()
    known = published(kind, file)
    return () if any(path in known.read_only for path in known.primary_identifier) else known.primary_identifier


def _listed(values: Sequence[Any]) -> str:
    return " and ".join(shown(value) if not isinstance(value, Reference | Text) else str(value) for value in values)


def _figures(value: Any) -> tuple[int, ...]:
    """Returns the numbers in a value, by which versions and sizes follow each other; none where it is not known."""
    if value is ABSENT or isinstance(value, Mapping | list) or any(references(value)):
        return ()
    return tuple(map(int, re.findall(r"\d+", str(value))))
