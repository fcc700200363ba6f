"""Decides what happens at the times of a Capacity Block: nodes start, jobs are told to stop, nodes go."""

import datetime as dt
import json
from collections.abc import Iterator

from trnstack.layout.block_times import BlockTimes, block_times
from trnstack.plan.model import Decision, ScalingPlan
from trnstack.plan.model.capacity import BlockPlan, SchedulePlan
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityBlock, NodeGroup

_SCALE_UP = "scale-up"


def block(environment: Environment, group: NodeGroup) -> BlockPlan | None:
    """Returns what happens at the times of the group's Capacity Block; None for other capacity."""
    capacity = group.capacity
    if not isinstance(capacity, CapacityBlock):
        return None
    times = block_times(capacity.starts_at, capacity.ends_at, capacity.drain_minutes)
    sharing = [each.largest_count for each in environment.node_groups if _name(each) == _name(group)]
    scheduled = capacity.scale_up == "scheduled"
    return BlockPlan(
        capacity_reservation_id=capacity.capacity_reservation_id,
        node_count=group.largest_count,
        unused_instances=max(capacity.instance_count - sum(sharing), 0),
        schedules=(
            *((_scale_up(environment, group, times),) if scheduled else ()),
            *_notices(environment, group, times),
            _scale_down(environment, group, times),
        ),
        scale_up_command=(
            f"aws eks update-nodegroup-config --region {environment.region} --cluster-name {environment.name}"
            f" --nodegroup-name {group.name} --scaling-config desiredSize={group.largest_count}"
        ),
        notice_emails=environment.observability.alarm_emails,
    )


def block_scaling(group: NodeGroup, capacity: CapacityBlock) -> ScalingPlan:
    """Returns the sizes of a group in a block: no node whatever the date, and room for the whole block.

    CloudFormation sends all three sizes when one of them changes, which would end the nodes that a schedule has
    started. So the largest size is the block's own and not the group's count: an edit of the count leaves the group as
    it is. An UltraServer's nodes are complete, and its group never holds more.

    Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML"; EKS API reference,
    NodegroupScalingConfig; aws/containers-roadmap issue 1259.
    """
    maximum = group.ultraserver.config if group.ultraserver else capacity.instance_count
    return ScalingPlan(minimum=0, desired=0, maximum=maximum)


def block_decisions(path: str, decided: BlockPlan) -> Iterator[Decision]:
    """Yields the block's times with their reasons."""
    for schedule in decided.schedules:
        yield Decision(path=f"{path}.capacity.{schedule.name}", value=f"{schedule.at}Z", reason=schedule.reason)
    if not any(schedule.name == _SCALE_UP for schedule in decided.schedules):
        yield Decision(
            path=f"{path}.capacity.{_SCALE_UP}",
            value="by hand",
            reason=f"a new schedule for the past would be refused; start the nodes with: {decided.scale_up_command}",
        )
    yield Decision(
        path=f"{path}.capacity.scaling",
        value="0 nodes until a schedule or a person starts them",
        reason="nodes can't start before the block does, and an edit of the counts must not end those that run",
    )


def _name(group: NodeGroup) -> str:
    """Returns the name of the block that a group stands in; empty for other capacity."""
    capacity = group.capacity
    if not isinstance(capacity, CapacityBlock):
        return ""
    return capacity.capacity_reservation_id or capacity.capacity_reservation_resource_group_arn or ""


def _at(time: dt.datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S}"


def _resize(environment: Environment, group: NodeGroup, desired: int) -> str:
    """Returns the parameters of eks:UpdateNodegroupConfig, which Scheduler wants in the SDK's capitals."""
    call = {
        "ClusterName": environment.name,
        "NodegroupName": group.name,
        "ScalingConfig": {"DesiredSize": desired},
    }
    return json.dumps(call)


def _scale_up(environment: Environment, group: NodeGroup, times: BlockTimes) -> SchedulePlan:
    return SchedulePlan(
        name=_SCALE_UP,
        at=_at(times.starts_at),
        target="nodes",
        desired_size=group.largest_count,
        input=_resize(environment, group, group.largest_count),
        reason=f"the block starts, and {group.largest_count} nodes with it: it is paid for from its first minute",
    )


def _scale_down(environment: Environment, group: NodeGroup, times: BlockTimes) -> SchedulePlan:
    return SchedulePlan(
        name="scale-down",
        at=_at(times.scale_down_at),
        target="nodes",
        desired_size=0,
        input=_resize(environment, group, 0),
        reason="10 minutes before EC2 starts to terminate the block's nodes, so that their pods are evicted in order",
    )


def _notices(environment: Environment, group: NodeGroup, times: BlockTimes) -> tuple[SchedulePlan, SchedulePlan]:
    at = _at(times.drain_at)
    detail = {
        "environment": environment.name,
        "node_group": group.name,
        "scale_down_at": f"{_at(times.scale_down_at)}Z",
        "termination_starts_at": f"{_at(times.termination_at)}Z",
        "ends_at": f"{_at(times.ends_at)}Z",
    }
    message = (
        f"The capacity block of node group {group.name} in {environment.name} ends at {detail['ends_at']}. "
        f"Its nodes are scaled to zero at {detail['scale_down_at']}; EC2 terminates what still runs from "
        f"{detail['termination_starts_at']} on. Let jobs write a checkpoint and stop, and start no new ones."
    )
    return (
        SchedulePlan(
            name="notice",
            at=at,
            target="topic",
            desired_size=None,
            input=message,
            reason="drain_minutes before EC2 starts to terminate: people are told to let jobs stop",
        ),
        SchedulePlan(
            name="event",
            at=at,
            target="events",
            desired_size=None,
            input=json.dumps(detail),
            reason="at the same time programs are told by an event, such as what holds back a job queue",
        ),
    )
