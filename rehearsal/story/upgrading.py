"""A new Kubernetes minor version: control plane, add-ons, nodes, in the order of ``trnstack plan --against``."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ami.no_pin import NoPinError
from rehearsal.faults import Fault
from rehearsal.story.beginning import begin
from rehearsal.story.changing import follow
from rehearsal.story.error import RehearsalError
from rehearsal.story.expectations import deployed_differently
from rehearsal.story.record import LEFT_OUT
from rehearsal.story.stage import Stage, check, say, shown
from rehearsal.survey.paging import every
from rehearsal.survey.records import Survey
from trnstack.advice.steps import Step, steps
from trnstack.catalog.kubernetes_versions import KUBECTL_VERSIONS, KUBERNETES_VERSIONS
from trnstack.findings import InvalidEnvironmentError

_VERSION = ("eks", "kubernetes_version")


def upgrade_it(stage: Stage, faults: tuple[Fault, ...] = ()) -> None:
    """Tells it; where no later minor version is known, that.

    Args:
        stage: The environment.
        faults: What goes wrong in the first deploy.

    Raises:
        RehearsalError: A deploy failed, nodes went before the control plane, or what stands is not what was planned.
    """
    found = begin(stage, faults)
    before = stage.plan.cluster.kubernetes_version
    after = next_minor(before, tuple(KUBERNETES_VERSIONS), KUBECTL_VERSIONS)
    if after is None:
        say(f"No minor version after {before} is in the tables, so there is none to move to.\n")
        stage.note("upgrade", 0.0, f"no minor version after {before} is known", outcome=LEFT_OUT)
        return
    say(f"Moving it from Kubernetes {before} to {after}")
    try:
        old = stage.edit({_VERSION: after}, lock=True)
    except (NoPinError, InvalidEnvironmentError) as error:
        say(f"             not to {after}: {error}\n")
        stage.note("upgrade", 0.0, f"not to {after}: {error}", outcome=LEFT_OUT)
        return
    way = steps(old, stage.plan)
    check(wrong_way(way, f"{stage.plan.name}-cluster"))
    for step in way:
        if not step.command:
            raise RehearsalError(f"{step.stack}: {step.reason}")
    follow(stage, way)
    cloudformation, stack = stage.client("cloudformation"), f"{stage.plan.name}-cluster"
    check(wrong_order(every(cloudformation, "describe_stack_events", "StackEvents", StackName=stack)))
    check((*deployed_differently(stage.plan, stage.survey()), *_not_moved(stage, found, after)))
    say(f"             ({shown({_VERSION: after})}) control plane, add-ons and every node of {after}\n")


def next_minor(minor: str, known: Sequence[str], with_kubectl: Sequence[str]) -> str | None:
    """Returns the minor version that follows; None where EKS is not known to have it, or there is no kubectl of it."""
    major, _, number = minor.partition(".")
    following = f"{major}.{int(number) + 1}"
    return following if following in known and following in with_kubectl else None


def wrong_way(way: Sequence[Step], cluster_stack: str) -> Iterator[str]:
    """Yields a sentence where the steps would move nodes before the control plane."""
    stacks = [step.stack for step in way]
    if cluster_stack not in stacks:
        yield "no step moves the control plane"
    elif any("-nodes-" in stack for stack in stacks[: stacks.index(cluster_stack)]):
        yield "nodes would move before the control plane"


def wrong_order(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yields a sentence where a stack's newest operation moved nodes before the control plane had moved.

    Args:
        events: The stack's events as CloudFormation's API gives them, newest first.
    """
    moved = False
    for event in reversed([event for event in events if event["OperationId"] == events[0]["OperationId"]]):
        kind, status = event["ResourceType"], event["ResourceStatus"]
        moved = moved or (kind == "AWS::EKS::Cluster" and status == "UPDATE_COMPLETE")
        if kind == "AWS::EKS::Nodegroup" and status == "UPDATE_IN_PROGRESS" and not moved:
            yield f"nodes of {event['LogicalResourceId']} moved before the control plane"


def _not_moved(stage: Stage, before: Survey, minor: str) -> Iterator[str]:
    found = stage.survey()
    old = {group.name: group for cluster in before.clusters for group in cluster.node_groups}
    for cluster in found.clusters:
        if cluster.version != minor:
            yield f"cluster {cluster.name} is {cluster.version}, not {minor}"
        for group in cluster.node_groups:
            if set(group.instance_ids) & set(old[group.name].instance_ids):
                yield f"nodes of {group.name} were not replaced"
