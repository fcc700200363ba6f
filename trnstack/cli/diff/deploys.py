"""The deploys that a difference takes, in their order, with what AWS would refuse of them as they are."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnstack.advice.impact import Report, ResourceChange
    from trnstack.advice.steps import Step
    from trnstack.cli.diff.sides import Known
    from trnstack.plan import Plan

#: The order of an environment's stacks, by the end of their names; node groups come last.
_ORDER = ("-network", "-storage", "-images", "-cluster", "-kubernetes")
#: How many objects in the cluster a step names.
_NAMED = 6
#: What is split into several deploys where one is refused.
_SPLIT = frozenset({"AWS::EKS::Nodegroup", "AWS::FSx::DataRepositoryAssociation"})


def deploys(old: "Known", new: "Known", report: "Report") -> "tuple[Step, ...]":
    """Returns the deploys: those of the plans whose templates differ, and of what else differs between templates.

    Args:
        old: What is deployed; where there is no plan of it, its templates alone tell.
        new: What is to be deployed.
        report: What differs between the templates.
    """
    assert new.plan is not None  # noqa: S101 - the new side is a file's
    same = {name for name, stack in new.side.stacks.items() if old.side.stacks.get(name) == stack}
    return _deploys(old.plan, new.plan, report, same)


def _deploys(old: "Plan | None", new: "Plan", report: "Report", same: set[str]) -> "tuple[Step, ...]":
    from trnstack.advice.steps import steps  # noqa: PLC0415 - as every command, see the package's docstring

    planned = [step for step in steps(old, new) if step.stack not in same] if old is not None else []
    if old is not None and (old.name, old.region) != (new.name, new.region):
        return tuple(planned)
    told = {step.stack for step in planned}
    others = [step for step in _of_templates(old or new, new, report) if step.stack not in told]
    found = sorted((*planned, *others), key=lambda step: (_goes(step), _place(new, step.stack)))
    return tuple(_with_refusals(list(_with_room(found, new, report)), report))


def _of_templates(old: "Plan", new: "Plan", report: "Report") -> "Iterator[Step]":
    """Yields a deploy for each stack of which resources change."""
    from trnstack.advice.group_steps import Step, deleted, deploy  # noqa: PLC0415

    changed: dict[str, list[ResourceChange]] = {}
    for change in report.changes:
        changed.setdefault(change.stack, []).append(change)
    for stack in new.stacks:
        found = changed.pop(stack.name, [])
        if found:
            yield Step(stack=stack.name, command=deploy(stack.name), changes=tuple(_told(found)))
    for name in changed:
        yield deleted(old.region, name, ("all of it goes",))


def _told(changes: "list[ResourceChange]") -> "Iterator[str]":
    """Yields what changes in a stack: of what is in the cluster the names, of the rest how much."""
    names = [change.object for change in changes if change.object]
    yield from names[:_NAMED]
    if names[_NAMED:]:
        yield f"{len(names) - _NAMED} more objects"
    count = len(changes) - len(names)
    if count:
        yield f"{count} resource{'' if count == 1 else 's'}"


def _goes(step: "Step") -> bool:
    return "delete-stack" in step.command


def _place(plan: "Plan", stack: str) -> int:
    """Returns where a stack comes in the order; steps of one stack stay as they are."""
    ends = [stack == f"{plan.name}{end}" for end in _ORDER]
    return ends.index(True) if True in ends else len(ends)


def _with_room(steps: "list[Step]", new: "Plan", report: "Report") -> "Iterator[Step]":
    """Yields the steps; before a deploy of volumes whose source changes, the one by which those that stand go."""
    from trnstack.advice.cluster_steps import make_room  # noqa: PLC0415

    waiting: dict[str, list[str]] = {}
    for change in report.changes:
        if change.refused_by_kubernetes:
            waiting.setdefault(change.stack, []).append(change.object.rpartition(" ")[2])
    for step in steps:
        if step.command.startswith("kubectl "):
            waiting.pop(step.stack, None)  # the plans have told it
        elif step.stack in waiting and not _goes(step):
            yield make_room(step.stack, new.kubernetes.namespace, tuple(dict.fromkeys(waiting.pop(step.stack))))
        yield step


def _with_refusals(steps: "list[Step]", report: "Report") -> "Iterator[Step]":
    """Yields the steps; those that AWS would refuse as they are say so. A stack of several steps was split for that.

    What Kubernetes refuses goes through once what stands there was deleted, which is a step of its own.
    """
    by_aws = [change for change in report.changes if change.refused and not change.refused_by_kubernetes]
    refused = {change.stack for change in by_aws}
    whole = {each.stack for each in report.refusals}
    whole |= {change.stack for change in by_aws if change.type not in _SPLIT}
    count = Counter(step.stack for step in steps)
    for step in steps:
        split = count[step.stack] > 1 and step.stack not in whole
        if step.command and step.stack in refused | whole and not split and not _goes(step):
            text = "AWS refuses the deploy as it is, for what is REFUSED above, and takes it back"
            yield replace(step, command="", reason="; ".join(part for part in (text, step.reason) if part))
        else:
            yield step
