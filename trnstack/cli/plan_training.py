"""How ``trnstack plan`` tells what training asks of storage: checkpoints, the time they take, and what is kept."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import CheckpointBucketPlan, CheckpointWritePlan, OfferPlan, Plan, TrainingPlan

_UNITS = ((10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"))
_MINUTE = 60


def sections(decided: "Plan") -> list[list[str]]:
    """Returns the section on training's storage; none without a training run."""
    if decided.training is None:
        return []
    training, region = decided.training, decided.region
    rows = [*_checkpoint(training), *_write(training, region), *_bucket(training, region)]
    return [["Checkpoints", *output.columns(rows)]]


def _checkpoint(training: "TrainingPlan") -> Iterator[tuple[str, str]]:
    made = training.checkpoint
    parts = [
        (made.weights_bytes, "weights"),
        (made.master_weights_bytes, "FP32 weights"),
        (made.moments_bytes, "optimizer"),
    ]
    told = " + ".join(f"{_size(size)} {name}" for size, name in parts if size)
    yield "one checkpoint", f"{_size(made.total_bytes)}: {told}"
    if made.repeated_bytes_at_most:
        more = _size(made.repeated_bytes_at_most)
        yield "", f"up to {more} more where queries share keys and values: add key_value_heads"
    several = f"{made.nodes} nodes, of which the busiest writes {_size(made.busiest_node_bytes)}"
    yield "written by", several if made.nodes > 1 else "the only node"
    yield "every", f"{training.interval_minutes} minutes of training"


def _write(training: "TrainingPlan", region: str) -> Iterator[tuple[str, str]]:
    write = training.write
    if write is None:
        yield "write time", "not known: no file system, or an adopted one that is not described"
        return
    rates = f"the file system takes {write.file_system_mbps:,} MB/s, a node sends {write.node_mbps:,}"
    yield "write time", f"{_time(write.seconds)}: {rates}"
    limit = f"the file allows {training.stall_limit_percent} %"
    yield "training waits", f"{write.stall_percent:.2f} % of the time if steps wait for each write; {limit}"
    yield "", _beside(training, write)
    yield "exported", _exported(write)
    yield "kept", f"{training.checkpoints_kept} and a new one, {_size(write.kept_bytes)} of {_room(write)}"
    unknown = f"no price of this kind and rate was found in {region}"
    yield "file system", unknown if write.monthly_usd is None else _usd(write.monthly_usd)
    yield from _offers(write)


def _beside(training: "TrainingPlan", write: "CheckpointWritePlan") -> str:
    in_time = write.seconds <= training.interval_minutes * _MINUTE
    return "for the copy to memory alone if they go on beside it" if in_time else "writes pile up if they go on"


def _exported(write: "CheckpointWritePlan") -> str:
    if write.export_seconds is None:
        return "never: no association exports it"
    return f"{_time(write.export_seconds)} later at the earliest; AWS promises no rate"


def _room(write: "CheckpointWritePlan") -> str:
    return "what it grows to" if write.capacity_bytes is None else _size(write.capacity_bytes)


def _offers(write: "CheckpointWritePlan") -> Iterator[tuple[str, str]]:
    if write.suggestion is None:
        yield "would suffice", "none of this rate: save less often, or choose another kind"
    for place, offer in enumerate(write.offers):
        yield "would suffice" if place == 0 and write.suggestion else "", _offer(offer, write.suggestion)


def _offer(offer: "OfferPlan", suggestion: "OfferPlan | None") -> str:
    size = f"{offer.storage_gib:,} GiB" if offer.storage_gib else f"{offer.write_mbps:,} MB/s"
    rate = f" at {offer.throughput_mbps_per_tib:,} MB/s per TiB" if offer.throughput_mbps_per_tib else ""
    this = ", the rate that it has" if rate and offer == suggestion else ""
    price = f": {_usd(offer.monthly_usd)}" if offer.monthly_usd is not None else ""
    return f"{size}{rate}{this}{price}"


def _bucket(training: "TrainingPlan", region: str) -> Iterator[tuple[str, str]]:
    bucket = training.bucket
    if bucket is None:
        return
    yield "bucket", f"{bucket.checkpoints_a_day:,.0f} checkpoints a day, {_held(bucket)}"
    yield "", f"no price of S3 was found in {region}" if bucket.monthly_usd is None else _bucket_usd(bucket)


def _held(bucket: "CheckpointBucketPlan") -> str:
    if bucket.added_bytes_a_month is not None:
        return f"{_size(bucket.added_bytes_a_month)} a month, which nothing removes there"
    old = f" and {_size(bucket.noncurrent_bytes)} of removed ones" if bucket.noncurrent_bytes else ""
    return f"{_size(bucket.kept_bytes or 0)} kept{old}"


def _bucket_usd(bucket: "CheckpointBucketPlan") -> str:
    most = "at most " if bucket.is_most else ""
    grows = ", and as much more with every month" if bucket.added_bytes_a_month is not None else ""
    return f"{most}{_usd(bucket.monthly_usd or 0)}{grows}"


def _usd(usd: float) -> str:
    return f"{usd:,.0f} USD a month"


def _size(size: int) -> str:
    unit, name = next((each for each in _UNITS if size >= each[0]), _UNITS[-1])
    return f"{size / unit:,.1f} {name}"


def _time(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds < 2 * _MINUTE else f"{seconds / _MINUTE:,.1f} min"
