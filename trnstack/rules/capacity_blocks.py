"""What must hold of Capacity Blocks for ML: their times are ones that AWS sells, and leave time for work."""

import datetime as dt
from collections.abc import Iterator

from trnstack.findings import Finding, Severity
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityBlock

_DAY = dt.timedelta(days=1)
#: The durations of blocks that are sold, in days.
_BLOCK_DAYS = (*range(1, 15), *range(21, 183, 7))
_BLOCKS_END_AT = dt.time(11, 30)
#: EC2 starts to terminate a block's instances so long before its end.
_TERMINATION = dt.timedelta(minutes=30)


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
                message=f"the block ends at {block.ends_at:%Y-%m-%dT%H:%MZ}, before it starts",
                hint="copy both times from the reservation",
            )


def block_durations_are_offered(environment: Environment) -> Iterator[Finding]:
    """CAP012: A block lasts 1 to 14 days or 3 to 26 weeks.

    All blocks end at one hour, so a block that starts at another is up to a day shorter or longer than it is sold as.

    Source: EC2 user guide, "Find and purchase Capacity Blocks".
    """
    for index, block in _blocks(environment):
        days, rest = divmod(block.ends_at - block.starts_at, _DAY)
        if days < 0 or days in _BLOCK_DAYS or (rest and days + 1 in _BLOCK_DAYS):
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


RULES = (
    blocks_end_after_they_start,
    block_durations_are_offered,
    blocks_end_at_their_hour,
    drains_fit_into_the_block,
)
