"""The part of the plan that says what training asks of storage."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPlan:
    """One checkpoint.

    Attributes:
        weights_bytes, master_weights_bytes, moments_bytes, total_bytes: What it holds.
        repeated_bytes_at_most: What repeated keys and values may add, where the file does not say how many there are.
        nodes: How many nodes train.
        busiest_node_bytes: What the node that writes most of it writes.
    """

    weights_bytes: int
    master_weights_bytes: int
    moments_bytes: int
    total_bytes: int
    repeated_bytes_at_most: int
    nodes: int
    busiest_node_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPlan:
    """The smallest file system of one rate that takes the checkpoints in time and holds those that are kept.

    Attributes:
        storage_gib: 0 for Intelligent-Tiering, which grows with what it holds.
        throughput_mbps_per_tib: 0 where there is no choice.
        write_mbps: What can be written to it.
        monthly_usd: What it costs; None where the price was not found.
    """

    storage_gib: int
    throughput_mbps_per_tib: int
    write_mbps: int
    monthly_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointWritePlan:
    """How checkpoints are written to the file system.

    Attributes:
        file_system_mbps: What can be written to it for as long as is needed, MB/s.
        node_mbps: What one node can send to it, MB/s.
        seconds: How long one checkpoint takes.
        stall_percent: The share of the time that training waits if it writes each one before it goes on.
        export_seconds: At least this long passes until it is in the bucket; None where it is not exported.
        kept_bytes: What is kept, and the one that is being written.
        capacity_bytes: What the file system holds; None for Intelligent-Tiering.
        monthly_usd: What the file system costs; None where the price was not found.
        suggestion: The smallest one of the same rate that suffices; None where none does.
        offers: The smallest ones of all rates that suffice.
    """

    file_system_mbps: int
    node_mbps: int
    seconds: float
    stall_percent: float
    export_seconds: float | None
    kept_bytes: int
    capacity_bytes: int | None
    monthly_usd: float | None
    suggestion: OfferPlan | None
    offers: tuple[OfferPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointBucketPlan:
    """What checkpoints come to in the bucket.

    Attributes:
        checkpoints_a_day: How many arrive.
        kept_bytes: The current versions once old ones are removed in the bucket too; None where nothing removes them.
        noncurrent_bytes: What was removed and is still there, for as long as the bucket keeps it.
        added_bytes_a_month: What 30 days add where nothing removes old ones; None where they are removed.
        monthly_usd: What all that costs in a month; of what is added, after the first month. None without a price.
        is_most: Whether it costs that at most: the lower prices of further terabytes were not found for the region.
    """

    checkpoints_a_day: float
    kept_bytes: int | None
    noncurrent_bytes: int
    added_bytes_a_month: int | None
    monthly_usd: float | None
    is_most: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """What a training run asks of storage.

    Attributes:
        interval_minutes: Minutes of training from one checkpoint to the next.
        checkpoints_kept: How many are kept.
        stall_limit_percent: The share of waiting that the environment allows.
        write: None without a file system, or where its size is not known.
        bucket: None where no checkpoint reaches it by itself, and for an adopted one, whose rules are not known.
    """

    interval_minutes: int
    checkpoints_kept: int
    stall_limit_percent: int
    checkpoint: CheckpointPlan
    write: CheckpointWritePlan | None
    bucket: CheckpointBucketPlan | None
