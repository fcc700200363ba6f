"""What must hold of capacity: reservations fit the node groups that stand on them, and types can be had that way."""

from collections.abc import Iterator
from itertools import pairwise

from trnstack.findings import Finding, Severity
from trnstack.rules import fleet
from trnstack.spec import Environment

#: What the EC2 API calls the ways to get capacity.
_USAGE_CLASSES = {
    "on_demand": "on-demand",
    "capacity_reservation": "on-demand",
    "spot": "spot",
    "capacity_block": "capacity-block",
}
_GROUPS_IN_A_CLUSTER = 30
_NODES_IN_A_GROUP = 450


def types_have_the_usage_class(environment: Environment) -> Iterator[Finding]:
    """CAP001: A node group's type can be had in the way that its capacity says.

    Source: EC2 API reference, DescribeInstanceTypes, ``SupportedUsageClasses``, as in the catalog.
    """
    for index, group, row in fleet.known(environment):
        if _USAGE_CLASSES[group.capacity.type] not in row.usage_classes:
            offered = [name for name, usage_class in _USAGE_CLASSES.items() if usage_class in row.usage_classes]
            yield Finding(
                code="CAP001",
                path=("node_groups", index, "capacity", "type"),
                message=f"{row.name} can't be had as {group.capacity.type}",
                hint=f"use {' or '.join(offered)}",
            )


def reservations_are_in_the_nodes_zone(environment: Environment) -> Iterator[Finding]:
    """CAP002: A reservation is in the zone in which its node group starts.

    Source: EC2 user guide, "On-Demand Capacity Reservations": a reservation is for one zone.
    """
    for index, group, reservation in fleet.reserved(environment):
        zone_id = fleet.zone_of(environment, group)
        if reservation.availability_zone_id != zone_id:
            yield Finding(
                code="CAP002",
                path=("node_groups", index, "capacity", "availability_zone_id"),
                message=f"the reservation is in {reservation.availability_zone_id}, the node group in {zone_id}",
                hint=f"write availability_zone_id: {reservation.availability_zone_id} on the node group",
            )


def counts_fit_the_reservation(environment: Environment) -> Iterator[Finding]:
    """CAP003: A node group never grows beyond its reservation.

    Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML"; AWS PCS user guide, the same.
    """
    for index, group, reservation in fleet.reserved(environment):
        if group.largest_count > reservation.instance_count:
            field = "max_count" if group.node_count is None else "node_count"
            yield Finding(
                code="CAP003",
                path=("node_groups", index, field),
                message=f"{group.largest_count} nodes are more than the {reservation.instance_count} reserved",
                hint=f"write {field}: {reservation.instance_count} or less",
            )


def _shared(environment: Environment) -> dict[str, list[int]]:
    """Returns the positions of the node groups that stand on each reservation."""
    positions: dict[str, list[int]] = {}
    for index, _, reservation in fleet.reserved(environment):
        name = fleet.reservation_name(reservation)
        if name:
            positions.setdefault(name, []).append(index)
    return positions


def _counts(environment: Environment, positions: list[int]) -> tuple[int, int]:
    """Returns the most nodes of all the groups, and how many instances they share."""
    groups = [environment.node_groups[index] for index in positions]
    reservations = [group.capacity for group in groups if isinstance(group.capacity, fleet.Reservation)]
    return sum(group.largest_count for group in groups), min(each.instance_count for each in reservations)


def reservations_are_used_in_full(environment: Environment) -> Iterator[Finding]:
    """CAP004: The node groups on a reservation can use all of it: what stands idle is paid for as well.

    Source: EC2 user guide, "Capacity Reservation pricing and billing".
    """
    for positions in _shared(environment).values():
        nodes, reserved = _counts(environment, positions)
        sized = all(fleet.has_size(environment.node_groups[index]) for index in positions)
        if sized and nodes < reserved:
            yield Finding(
                code="CAP004",
                severity=Severity.WARNING,
                path=("node_groups", positions[0], "capacity", "instance_count"),
                message=f"{reserved - nodes} of {reserved} reserved instances are paid for and never used",
                hint=f"raise the node group to {reserved} nodes, or reserve {nodes}",
            )


def reservations_have_one_name(environment: Environment) -> Iterator[Finding]:
    """CAP005: A reservation is named by its id or by its resource group's ARN, and not by both.

    Source: EC2 API reference, CapacityReservationTarget.
    """
    for index, _, reservation in fleet.reserved(environment):
        names = (reservation.capacity_reservation_id, reservation.capacity_reservation_resource_group_arn)
        if names.count(None) != 1:
            yield Finding(
                code="CAP005",
                path=("node_groups", index, "capacity"),
                message="the reservation has " + ("no name" if not any(names) else "two names"),
                hint="give either capacity_reservation_id or capacity_reservation_resource_group_arn",
            )


def groups_fit_into_the_reservation_they_share(environment: Environment) -> Iterator[Finding]:
    """CAP006: Node groups that stand on one reservation fit into it together.

    Source: EC2 user guide, "On-Demand Capacity Reservations".
    """
    for positions in _shared(environment).values():
        nodes, reserved = _counts(environment, positions)
        largest = max(environment.node_groups[index].largest_count for index in positions)
        if len(positions) > 1 and largest <= reserved < nodes:
            names = ", ".join(environment.node_groups[index].name for index in positions)
            yield Finding(
                code="CAP006",
                path=("node_groups", positions[-1], "capacity"),
                message=f"{names} may have {nodes} nodes together, and share {reserved} reserved instances",
                hint=f"lower their counts by {nodes - reserved}, or give each its own reservation",
            )


def shared_reservations_are_described_alike(environment: Environment) -> Iterator[Finding]:
    """CAP007: Node groups that stand on one reservation say the same of it, and are of the one type that it holds.

    Source: EC2 API reference, CapacityReservation: one ``InstanceType``, one ``TotalInstanceCount``, one zone.
    """
    for positions in _shared(environment).values():
        for first, second in pairwise(positions):
            one, other = environment.node_groups[first], environment.node_groups[second]
            if (one.instance_type, one.capacity) != (other.instance_type, other.capacity):
                yield Finding(
                    code="CAP007",
                    path=("node_groups", second, "capacity"),
                    message=f"node groups '{one.name}' and '{other.name}' describe one reservation differently",
                    hint="give both the same instance_type and the same capacity",
                )


def on_demand_capacity_exists(environment: Environment) -> Iterator[Finding]:
    """CAP008: Trn2 UltraServers are not waited for on demand: AWS sells them as blocks or by contract.

    Source: EC2 Trn2 product page, "Amazon EC2 Trn2 UltraServers"; the price list has no on-demand rate of trn2u.
    """
    for index, group, row in fleet.known(environment):
        if row.name.startswith("trn2u") and group.capacity.type == "on_demand":
            yield Finding(
                code="CAP008",
                severity=Severity.WARNING,
                path=("node_groups", index, "capacity"),
                message=f"{row.name} has no on-demand price: capacity is rarely found without a reservation",
                hint="use capacity_block or capacity_reservation",
            )


def placement_groups_are_in_one_zone(environment: Environment) -> Iterator[Finding]:
    """CAP009: Node groups that name the same placement group are in the same zone.

    Source: EC2 user guide, "Placement strategies": a cluster placement group can't span zones.
    """
    zones: dict[str, str] = {}
    for index, group in enumerate(environment.node_groups):
        if group.placement_group in {"auto", "none"}:
            continue
        zone_id = fleet.zone_of(environment, group)
        first = zones.setdefault(group.placement_group, zone_id)
        if first != zone_id:
            yield Finding(
                code="CAP009",
                path=("node_groups", index, "placement_group"),
                message=f"placement group '{group.placement_group}' can't be in both {first} and {zone_id}",
                hint="name another group, or write placement_group: auto",
            )


def node_groups_fit_the_quotas(environment: Environment) -> Iterator[Finding]:
    """CAP010: The node groups, the system's among them, and their nodes fit into the default quotas of EKS.

    Source: Service Quotas, EKS: "Managed node groups per cluster" (L-6D54EA21), 30; "Nodes per managed node group"
    (L-BD136A63), 450.
    """
    groups = len(environment.node_groups) + 1
    if groups > _GROUPS_IN_A_CLUSTER:
        yield Finding(
            code="CAP010",
            severity=Severity.WARNING,
            path=("node_groups",),
            message=f"{groups} node groups, the system's among them, exceed the default quota {_GROUPS_IN_A_CLUSTER}",
            hint="have 'Managed node groups per cluster' (EKS, L-6D54EA21) raised before the deployment",
        )
    for index, group in enumerate(environment.node_groups):
        if group.largest_count > _NODES_IN_A_GROUP:
            yield Finding(
                code="CAP010",
                severity=Severity.WARNING,
                path=("node_groups", index),
                message=f"{group.largest_count} nodes exceed the default quota {_NODES_IN_A_GROUP} of one group",
                hint="have 'Nodes per managed node group' (EKS, L-BD136A63) raised, or make two groups",
            )


RULES = (
    types_have_the_usage_class,
    reservations_are_in_the_nodes_zone,
    counts_fit_the_reservation,
    reservations_are_used_in_full,
    reservations_have_one_name,
    groups_fit_into_the_reservation_they_share,
    shared_reservations_are_described_alike,
    on_demand_capacity_exists,
    placement_groups_are_in_one_zone,
    node_groups_fit_the_quotas,
)
