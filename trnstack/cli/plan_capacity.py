"""How ``trnstack plan`` tells of capacity: what a node group stands in, what happens when, and the quotas."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import NodeGroupPlan, Plan

_TOLD = {"topic": "tells people, by SNS", "events": "tells programs, by EventBridge"}


def count(group: "NodeGroupPlan") -> str:
    """Returns how many nodes a group has: one number, a range, or those that start in a block."""
    scaling = group.scaling
    if group.block is not None:
        return f"{group.block.node_count} x"
    fixed = scaling.minimum == scaling.maximum
    return f"{scaling.minimum} x" if fixed else f"{scaling.minimum} to {scaling.maximum} x"


def capacity(group: "NodeGroupPlan") -> str:
    """Returns where the nodes come from."""
    template = group.launch_template
    reservation = template.capacity_reservation_id or template.capacity_reservation_resource_group_arn
    if group.block is not None:
        return f"capacity block {reservation}; no node before it and none after"
    return f"reservation {reservation}" if reservation else group.capacity_type


def efa(group: "NodeGroupPlan") -> str:
    """Returns the EFA interfaces and their bandwidth: both figures where the published ones contradict each other."""
    used = sum(interface.is_efa for interface in group.launch_template.interfaces)
    if not used:
        return "none"
    interfaces = f"{used} interface{'' if used == 1 else 's'}"
    if group.efa_gbps is None or group.network_gbps is None:
        return f"{interfaces}, bandwidth not published"
    if group.efa_gbps == group.network_gbps:
        return f"{interfaces}, {group.efa_gbps:,g} Gbit/s a node"
    cards = "network card" if used == 1 else "network cards"
    return f"{interfaces}, {group.network_gbps:,g} Gbit/s advertised, {group.efa_gbps:,g} by its {cards}"


def schedules(group: "NodeGroupPlan") -> Iterator[tuple[str, str]]:
    """Yields a row for each thing that happens by itself."""
    if group.block is None:
        return
    for place, schedule in enumerate(group.block.schedules):
        does = _TOLD.get(schedule.target) or f"{schedule.desired_size} nodes"
        yield "schedules" if place == 0 else "", f"{schedule.at.replace('T', ' ')} UTC  {schedule.name}: {does}"


def quotas(decided: "Plan") -> list[str]:
    """Returns the section of quotas."""
    rows = [
        (
            quota.code,
            quota.name,
            f"{quota.vcpus:,}",
            " + ".join(f"{use.user}: {use.count:,} x {use.vcpus_each:,}" for use in quota.uses),
        )
        for quota in decided.quotas
    ]
    return [
        "Quotas that the environment needs at its largest, in vCPUs",
        *output.columns([("quota", "name", "vCPUs", "of which"), *rows], right=frozenset({2})),
    ]
