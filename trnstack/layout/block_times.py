"""When a Capacity Block's nodes start, when its jobs are told to stop, and when its nodes go."""

import datetime as dt
from dataclasses import dataclass

#: EC2 starts to terminate a block's instances so long before the block ends.
#: Source: EC2 user guide, "Capacity Blocks for ML": "we begin to terminate any instances ... thirty minutes before".
TERMINATION = dt.timedelta(minutes=30)
#: A managed node group that is scaled in evicts its pods first, which takes a few minutes: so much earlier than EC2.
#: Source: EKS user guide, "Create a managed node group with Capacity Blocks for ML": scale to zero more than 30 minutes
#: before the end; Karpenter drains a block's nodes 10 minutes before EC2 starts to terminate them, too.
SCALE_DOWN_LEAD = dt.timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTimes:
    """The moments of a block, in their order, all in UTC.

    Attributes:
        starts_at: The block begins.
        drain_at: Jobs are told to stop.
        scale_down_at: The node group is scaled to zero.
        termination_at: EC2 starts to terminate what still runs.
        ends_at: The block ends.
    """

    starts_at: dt.datetime
    drain_at: dt.datetime
    scale_down_at: dt.datetime
    termination_at: dt.datetime
    ends_at: dt.datetime


def block_times(starts_at: dt.datetime, ends_at: dt.datetime, drain_minutes: int) -> BlockTimes:
    """Returns the moments of a block.

    Jobs are told before the nodes go, however few the drain minutes are.
    """
    termination_at = ends_at.astimezone(dt.UTC) - TERMINATION
    scale_down_at = termination_at - SCALE_DOWN_LEAD
    return BlockTimes(
        starts_at=starts_at.astimezone(dt.UTC),
        drain_at=min(termination_at - dt.timedelta(minutes=drain_minutes), scale_down_at),
        scale_down_at=scale_down_at,
        termination_at=termination_at,
        ends_at=ends_at.astimezone(dt.UTC),
    )
