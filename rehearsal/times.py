"""Tells how long the stacks of a rehearsal would have taken on AWS, from the times of their events.

``trnstack.plan.times`` estimates the same from the plan, without templates, by the same rows; both name the same path.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rehearsal.durations import row
from rehearsal.stack import STACK_TYPE
from rehearsal.templates.references import references
from rehearsal.templates.text import read
from trnstack.catalog.creation_times import Duration, unconfirmed

#: What is shorter, in minutes, is summed up and not named.
_SHORTEST_SHOWN = 0.45
#: What ended closer together ended at the same time: events are a moment apart, so that they have an order.
_SAME_TIME = dt.timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Took:
    """One operation on one resource.

    Attributes:
        logical_id, type: The resource.
        began, ended: When, by the rehearsal's clock.
        row: The catalog's row of the operation.
    """

    logical_id: str
    type: str
    began: dt.datetime
    ended: dt.datetime
    row: Duration

    @property
    def minutes(self) -> float:
        """How long it took."""
        return (self.ended - self.began).total_seconds() / 60


@dataclass(frozen=True, slots=True)
class Run:
    """A stack's last operation.

    Attributes:
        stack: The stack's name.
        minutes: How long it took.
        path: The resources that each waited for the one before it, and that nothing shortens without shortening one of
            them; the first one first.
        imports, exports: The names of the exports that the stack uses, and of those that it offers.
    """

    stack: str
    minutes: float
    path: tuple[Took, ...]
    imports: frozenset[str]
    exports: frozenset[str]

    @property
    def low(self) -> float:
        """The least minutes that the path takes by what was found; never more than it took."""
        return min(self.minutes, sum(took.row.low for took in self.path))

    @property
    def high(self) -> float:
        """The most minutes that the path takes by what was found; never less than it took."""
        return max(self.minutes, sum(took.row.high for took in self.path))


def times_section(client: Any, stack_names: Sequence[str]) -> str:
    """Returns what a person reads of the times of a rehearsal's stacks: lines without an indent or an empty end.

    Args:
        client: A boto3 client of the rehearsal's CloudFormation.
        stack_names: The names or ARNs of the stacks, in the order in which they were deployed.
    """
    return "\n".join(report([last_run(client, name) for name in stack_names]))


def last_run(client: Any, stack: str) -> Run:
    """Reads a stack's last operation from its events."""
    described = client.describe_stacks(StackName=stack)["Stacks"][0]
    events = list(_events(client, stack))
    mine = [event for event in events if event["OperationId"] == events[-1]["OperationId"]]
    template = _template(client, stack)
    took = list(_took(mine))
    needs = _needs(template, reverse=any(event["ResourceStatus"] == "DELETE_COMPLETE" for event in mine[-1:]))
    return Run(
        stack=str(described["StackName"]),
        minutes=(mine[-1]["Timestamp"] - mine[0]["Timestamp"]).total_seconds() / 60,
        path=_path(took, needs),
        imports=frozenset(_imports(template)),
        exports=frozenset(one["ExportName"] for one in described.get("Outputs", []) if "ExportName" in one),
    )


def report(runs: Sequence[Run]) -> list[str]:
    """Returns the lines that tell the whole time, the critical path and how sure it is.

    Args:
        runs: The stacks' operations, in the order in which they were deployed.
    """
    chain = _longest(runs)
    serial, side_by_side = sum(run.minutes for run in runs), sum(run.minutes for run in chain)
    steps = [(run, took) for run in chain for took in run.path if took.minutes >= _SHORTEST_SHOWN]
    low, high = sum(run.low for run in runs), sum(run.high for run in runs)
    lines = ["How long AWS would take: an estimate, by what third parties measured and AWS documents"]
    lines.append(f"  {serial:5.0f} min  one stack after another, as cdk deploys ({low:.0f} to {high:.0f})")
    if len(chain) < len(runs):
        lines.append(f"  {side_by_side:5.0f} min  side by side, with cdk deploy --concurrency {len(runs)}")
    if steps:
        lines.append("  what all else waits for:")
        width = max(len(run.stack) for run, _ in steps)
        lines += [
            f"    {took.minutes:5.1f} min  {run.stack:{width}}  {took.row.label} {took.logical_id}"
            for run, took in steps
        ]
    doubtful = unconfirmed(took.row for _, took in steps)
    if doubtful:
        lines.append(f"  no figure of AWS's own: {', '.join(doubtful)}")
    return lines


def _events(client: Any, stack: str) -> Iterable[Mapping[str, Any]]:
    """Gives a stack's events, oldest first."""
    pages = client.get_paginator("describe_stack_events").paginate(StackName=stack)
    newest_first: list[Mapping[str, Any]] = [event for page in pages for event in page["StackEvents"]]
    return newest_first[::-1]


def _template(client: Any, stack: str) -> Mapping[str, Any]:
    """Reads a stack's template, which boto3 gives as an object where it is JSON."""
    body: Mapping[str, Any] | str = client.get_template(StackName=stack)["TemplateBody"]
    return read(body) if isinstance(body, str) else body


def _took(events: Iterable[Mapping[str, Any]]) -> Iterable[Took]:
    """Pairs the events of each resource that began and ended something."""
    begun: dict[tuple[str, str], Mapping[str, Any]] = {}
    for event in events:
        verb, _, state = event["ResourceStatus"].partition("_")
        if event["ResourceType"] == STACK_TYPE and event["PhysicalResourceId"] == event["StackId"]:
            continue
        name = event["LogicalResourceId"]
        if state == "IN_PROGRESS":
            begun[name, verb] = event
        elif (name, verb) in begun:
            began = begun.pop((name, verb))["Timestamp"]
            properties = json.loads(event.get("ResourceProperties") or "{}")
            known = row(event["ResourceType"], verb, properties, properties)
            yield Took(name, event["ResourceType"], began, event["Timestamp"], known)


def _needs(template: Mapping[str, Any], *, reverse: bool) -> Mapping[str, frozenset[str]]:
    """Gives what each resource waits for: what it depends on, or, of a deletion, what depends on it."""
    found: dict[str, set[str]] = {name: set() for name in template["Resources"]}
    for name, resource in template["Resources"].items():
        wanted = resource.get("DependsOn", [])
        named = {wanted} if isinstance(wanted, str) else set(wanted)
        named |= {reference.target for reference in references(resource.get("Properties", {}))}
        for other in named & found.keys():
            if reverse:
                found[other].add(name)
            else:
                found[name].add(other)
    return {name: frozenset(others) for name, others in found.items()}


def _path(took: Sequence[Took], needs: Mapping[str, frozenset[str]]) -> tuple[Took, ...]:
    """Follows what each resource waited for last, from the one that ended last."""
    path: list[Took] = []
    here = last(took)
    while here is not None:
        path.append(here)
        wanted, began = needs.get(here.logical_id, frozenset()), here.began
        before = [one for one in took if one.logical_id in wanted and one.ended <= began and one not in path]
        here = last(before)
    return tuple(reversed(path))


def last(took: Sequence[Took]) -> Took | None:
    """Gives the one that ended last; of several at the same time the first by its name, as ``trnstack plan`` has it."""
    if not took:
        return None
    latest = max(one.ended for one in took)
    return min((one for one in took if latest - one.ended < _SAME_TIME), key=lambda one: one.logical_id)


def _imports(value: Any) -> Iterable[str]:
    """Finds the exports that a template imports by names that are written out."""
    if isinstance(value, list):
        for member in value:
            yield from _imports(member)
    elif isinstance(value, Mapping):
        for key, member in value.items():
            if key == "Fn::ImportValue" and isinstance(member, str):
                yield member
            yield from _imports(member)


def _longest(runs: Sequence[Run]) -> list[Run]:
    """Gives the chain of stacks that takes longest, each importing of the one before it."""
    chains: dict[str, list[Run]] = {}
    for run in runs:
        before = [chains[other.stack] for other in runs if other.stack in chains and other.exports & run.imports]
        chains[run.stack] = [*max(before, key=_minutes, default=[]), run]
    return max(chains.values(), key=_minutes, default=[])


def _minutes(runs: Iterable[Run]) -> float:
    return sum(run.minutes for run in runs)
