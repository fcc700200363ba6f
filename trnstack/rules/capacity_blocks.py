"""What must hold of Capacity Blocks for ML: their times are ones that AWS sells, and leave time for work."""

import datetime as dt
from collections.abc import Iterator

from trnstack.catalog.ultraservers import ultraservers_with
from trnstack.findings import Finding, Severity
from trnstack.rules import fleet
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityBlock

_DAY = dt.timedelta(days=1)
#: The durations of blocks that are sold, in days.
_BLOCK_DAYS = (*range(1, 15), *range(21, 183, 7))
_BLOCKS_END_AT = dt.time(11, 30)
#: EC2 starts to terminate a block's instances so long before its end.
_TERMINATION = dt.timedelta(minutes=30)
_INSTANCES_IN_A_BLOCK = 64


def _blocks(environment: Environment) -> Iterator[tuple[int, CapacityBlock]]:
    for index, group in enumerate(environment.node_groups):
        if isinstance(group.capacity, CapacityBlock):
            yield index, group.capacity


def blocks_end_after_they_start(environment: Environment) -> Iterator[Finding]:
    """CAP011: A capacity block ends after it starts.

    Source: EC2 user guide, "Capacity Blocks for ML".
    """
    for index, block in _blocks(environment):
        if block.ends_at <= block.starts_at:
            yield Finding(
                code="CAP011",
                path=("node_groups", index, "capacity", "ends_at"),
                message=f"the block ends at {block.ends_at:%Y-%m-%dT%H:%MZ}, which is not after its start",
                hint="copy both times from the reservation",
            )


def block_durations_are_offered(environment: Environment) -> Iterator[Finding]:
    """CAP012: A block lasts 1 to 14 days or 3 to 26 weeks.

    All blocks end at one hour, so a block that starts at another is up to a day shorter or longer than it is sold as.

    Source: EC2 user guide, "Find and purchase Capacity Blocks".
    """
    for index, block in _blocks(environment):
        days, rest = divmod(block.ends_at - block.starts_at, _DAY)
        if block.ends_at <= block.starts_at or days in _BLOCK_DAYS or (rest and days + 1 in _BLOCK_DAYS):
            continue
        longer = next((each for each in _BLOCK_DAYS if each > days), None)
        shorter = next((each for each in reversed(_BLOCK_DAYS) if each < days), None)
        near = " or ".join(str(each) for each in (shorter, longer) if each)
        yield Finding(
            code="CAP012",
            path=("node_groups", index, "capacity", "ends_at"),
            message=f"no block of {days} days is offered",
            hint=f"blocks last {near} days: copy both times from the reservation",
        )


def blocks_end_at_their_hour(environment: Environment) -> Iterator[Finding]:
    """CAP013: A block ends at 11:30 UTC, as all of them do; another time is probably a slip.

    Source: EC2 user guide, "Find and purchase Capacity Blocks".
    """
    for index, block in _blocks(environment):
        ends_at = block.ends_at.astimezone(dt.UTC)
        if ends_at.time() != _BLOCKS_END_AT:
            yield Finding(
                code="CAP013",
                severity=Severity.WARNING,
                path=("node_groups", index, "capacity", "ends_at"),
                message=f"the block ends at {ends_at:%H:%M} UTC, and all blocks end at {_BLOCKS_END_AT:%H:%M}",
                hint=f"write {ends_at:%Y-%m-%d}T{_BLOCKS_END_AT:%H:%M}:00Z if that is the day",
            )


def drains_fit_into_the_block(environment: Environment) -> Iterator[Finding]:
    """CAP014: There is time left for work between a block's start and the moment at which jobs are told to stop.

    Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML": EC2 terminates instances from 30
    minutes before the end.
    """
    for index, block in _blocks(environment):
        work = block.ends_at - block.starts_at - _TERMINATION
        if dt.timedelta() < work <= dt.timedelta(minutes=block.drain_minutes):
            yield Finding(
                code="CAP014",
                path=("node_groups", index, "capacity", "drain_minutes"),
                message=f"drain_minutes {block.drain_minutes} leave nothing of a block of {work + _TERMINATION}",
                hint="write drain_minutes: 60",
            )


def blocks_start_their_nodes(environment: Environment) -> Iterator[Finding]:
    """CAP015: The nodes of a paid block are started by its schedule, or somebody is told to start them.

    Source: EC2 user guide, "Capacity Blocks for ML": the price is charged up front, used or not.
    """
    for index, block in _blocks(environment):
        if block.scale_up == "by_hand":
            yield Finding(
                code="CAP015",
                severity=Severity.WARNING,
                path=("node_groups", index, "capacity", "scale_up"),
                message="no schedule starts the nodes of this block, which is paid for from its first minute",
                hint="run the stack's ScaleUpCommand after the deploy, or write scale_up: scheduled before starts_at",
            )


def ultraserver_blocks_are_whole(environment: Environment) -> Iterator[Finding]:
    """CAP016: A block of UltraServers holds whole ones: they are sold by the UltraServer, not by the instance.

    Source: EC2 API reference, PurchaseCapacityBlock and DescribeCapacityBlockOfferings, ``UltraserverCount``.
    """
    for index, block in _blocks(environment):
        group = environment.node_groups[index]
        size = next((row.instances for row in ultraservers_with(group.instance_type, "")), 0)
        if group.ultraserver and size and block.instance_count % size:
            below = block.instance_count // size * size
            yield Finding(
                code="CAP016",
                severity=Severity.WARNING,
                path=("node_groups", index, "capacity", "instance_count"),
                message=f"{block.instance_count} instances are no whole number of UltraServers, which have {size}",
                hint=f"write instance_count: {' or '.join(str(each) for each in (below, below + size) if each)}",
            )


def one_ultraserver_is_one_reservation(environment: Environment) -> Iterator[Finding]:
    """CAP017: The instances of one UltraServer are not looked for in a resource group that holds several.

    EC2 takes each node from any reservation of the group, so that one node group may get parts of two UltraServers.

    Source: EC2 user guide, "Create a Capacity Reservation Resource Group for UltraServer Capacity Blocks".
    """
    for index, group, reservation in fleet.reserved(environment):
        several = group.ultraserver and reservation.instance_count > group.ultraserver.config
        if several and reservation.capacity_reservation_resource_group_arn:
            yield Finding(
                code="CAP017",
                severity=Severity.WARNING,
                path=("node_groups", index, "capacity", "capacity_reservation_resource_group_arn"),
                message=f"nodes of '{group.name}' may come from different UltraServers of the resource group",
                hint="name this UltraServer's own reservation by capacity_reservation_id",
            )


def blocks_are_of_a_size_that_is_sold(environment: Environment) -> Iterator[Finding]:
    """CAP018: One block holds up to 64 instances; more take several blocks, behind one resource group.

    Source: EC2 user guide, "Capacity Blocks for ML": up to 64 instances in a block, up to 256 across blocks.
    """
    for index, block in _blocks(environment):
        if block.capacity_reservation_id and block.instance_count > _INSTANCES_IN_A_BLOCK:
            yield Finding(
                code="CAP018",
                path=("node_groups", index, "capacity", "instance_count"),
                message=f"one block holds up to {_INSTANCES_IN_A_BLOCK} instances, not {block.instance_count}",
                hint="put several blocks into a resource group, or make a node group for each block",
            )


RULES = (
    blocks_end_after_they_start,
    block_durations_are_offered,
    blocks_end_at_their_hour,
    drains_fit_into_the_block,
    blocks_start_their_nodes,
    ultraserver_blocks_are_whole,
    one_ultraserver_is_one_reservation,
    blocks_are_of_a_size_that_is_sold,
)
