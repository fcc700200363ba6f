"""Says what the training run asks of storage: how large checkpoints are, how long they take, what is kept of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from trnstack.catalog.storage_prices import lustre_monthly_usd, s3_monthly_usd, s3_price_is_most
from trnstack.layout import checkpoints
from trnstack.layout.lustre import FileSystem, rates, smallest
from trnstack.plan.model.training import (
    CheckpointBucketPlan,
    CheckpointPlan,
    CheckpointWritePlan,
    OfferPlan,
    TrainingPlan,
)
from trnstack.plan.trainers import Trainers, file_system_of, reach_mbps, trainers
from trnstack.spec import Environment
from trnstack.spec.storage import CHECKPOINTS
from trnstack.spec.training import Training

_BYTES_PER_MB = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What everything below is asked about: the run, its nodes, and its checkpoint."""

    environment: Environment
    section: Training
    nodes: Trainers
    checkpoint: CheckpointPlan

    def seconds(self, file_system: FileSystem) -> float:
        """Returns how long a checkpoint takes to be written."""
        return checkpoints.write_seconds(
            self.checkpoint.total_bytes,
            busiest=self.checkpoint.busiest_node_bytes,
            file_system_mbps=file_system.write_mbps,
            client_mbps=self.node_mbps(file_system),
        )

    def node_mbps(self, file_system: FileSystem) -> int:
        """Returns what one node can send."""
        return reach_mbps(self.environment, file_system, self.nodes.group, self.nodes.instance_type)

    def stall_percent(self, seconds: float) -> float:
        """Returns the share of the time that training waits, as it is shown and compared."""
        share = checkpoints.stall_share(seconds, interval_minutes=self.section.checkpoint_interval_minutes)
        return round(100 * share, 2)

    @property
    def needed_bytes(self) -> int:
        """What must fit the file system."""
        return checkpoints.needed_bytes(self.checkpoint.total_bytes, kept=self.section.checkpoints_kept)

    def suffices(self, file_system: FileSystem) -> bool:
        """Tells whether a file system takes the checkpoints in the time that is allowed, and holds those kept."""
        room = checkpoints.capacity_bytes(file_system.storage_gib) * checkpoints.FULL_SHARE
        in_time = self.stall_percent(self.seconds(file_system)) <= self.section.checkpoint_stall_percent
        return in_time and (file_system.is_tiering or self.needed_bytes <= room)

    def smallest(self, file_system: FileSystem) -> OfferPlan | None:
        """Returns the smallest file system of the same kind and rate that suffices; None where no size does."""
        found = smallest(file_system, self.suffices)
        if found is None:
            return None
        return OfferPlan(
            storage_gib=0 if found.is_tiering else found.storage_gib,
            throughput_mbps_per_tib=0 if found.has_no_rate else found.throughput_mbps_per_tib,
            write_mbps=found.write_mbps,
            monthly_usd=self.monthly_usd(found),
        )

    def monthly_usd(self, file_system: FileSystem) -> float | None:
        """Returns what a file system costs; None where its price was not found."""
        usd = lustre_monthly_usd(
            self.environment.region,
            deployment_type=file_system.deployment_type,
            storage_type=file_system.storage_type,
            storage_gib=file_system.storage_gib,
            throughput_mbps_per_tib=file_system.throughput_mbps_per_tib,
            drive_cache=file_system.drive_cache,
        )
        return None if usd is None else round(usd, 2)


def training(environment: Environment) -> TrainingPlan | None:
    """Returns what training asks of storage; None without a ``training`` section, or without nodes that can train."""
    section, nodes = environment.training, trainers(environment)
    if section is None or nodes is None:
        return None
    made = _checkpoint(environment, section, nodes)
    run = _Run(environment=environment, section=section, nodes=nodes, checkpoint=made)
    file_system = file_system_of(environment.storage.lustre)
    written = file_system is not None and file_system.write_mbps > 0
    write = _write(environment, run, file_system) if file_system and written else None
    return TrainingPlan(
        interval_minutes=section.checkpoint_interval_minutes,
        checkpoints_kept=section.checkpoints_kept,
        stall_limit_percent=section.checkpoint_stall_percent,
        checkpoint=made,
        write=write,
        bucket=_bucket(environment, run, seconds=write.seconds if write else 0.0),
    )


def _checkpoint(environment: Environment, section: Training, nodes: Trainers) -> CheckpointPlan:
    zero_stage, parameters = section.parallelism.zero_stage, round(section.model.parameters_billion * 10**9)
    heads = section.model.key_value_heads

    def saved(parameters: int) -> checkpoints.Checkpoint:
        return checkpoints.checkpoint(
            parameters,
            precision=environment.neuron.precision,
            zero_stage=zero_stage,
            master_weights=section.checkpoint_master_weights,
        )

    size = saved(parameters + (_repeated(section, heads) if heads else 0))
    return CheckpointPlan(
        weights_bytes=size.weights,
        master_weights_bytes=size.master_weights,
        moments_bytes=size.moments,
        total_bytes=size.total,
        repeated_bytes_at_most=0 if heads else saved(_repeated(section, 1)).total,
        nodes=nodes.nodes,
        busiest_node_bytes=checkpoints.busiest_node_bytes(
            size, nodes=nodes.nodes, model_nodes=nodes.model_nodes, zero_stage=zero_stage
        ),
    )


def _repeated(section: Training, key_value_heads: int) -> int:
    return checkpoints.repeated_parameters(
        layers=section.model.layers,
        hidden_size=section.model.hidden_size,
        attention_heads=section.model.attention_heads,
        key_value_heads=key_value_heads,
        tensor=section.parallelism.tensor,
    )


def _write(environment: Environment, run: _Run, file_system: FileSystem) -> CheckpointWritePlan:
    seconds, total = run.seconds(file_system), run.checkpoint.total_bytes
    exported = any(_exports(environment))
    return CheckpointWritePlan(
        file_system_mbps=file_system.write_mbps,
        node_mbps=run.node_mbps(file_system),
        seconds=round(seconds, 1),
        stall_percent=run.stall_percent(seconds),
        export_seconds=round(total / file_system.export_mbps / _BYTES_PER_MB, 1) if exported else None,
        kept_bytes=run.needed_bytes,
        capacity_bytes=None if file_system.is_tiering else checkpoints.capacity_bytes(file_system.storage_gib),
        monthly_usd=run.monthly_usd(file_system),
        suggestion=run.smallest(file_system),
        offers=tuple(offer for each in rates(file_system) if (offer := run.smallest(each)) is not None),
    )


def _exports(environment: Environment) -> Iterator[tuple[str, ...]]:
    """Yields what each association carries to the checkpoint bucket, where new files are among it."""
    lustre = environment.storage.lustre
    for association in lustre.data_repository_associations if lustre else ():
        if association.bucket == CHECKPOINTS and "NEW" in association.exports:
            yield association.exports


def _bucket(environment: Environment, run: _Run, *, seconds: float) -> CheckpointBucketPlan | None:
    """Returns what checkpoints come to in the bucket.

    Without a file system the job writes there and removes old ones itself. What the file system exports is removed only
    where the association carries deletions over. What becomes of it in an adopted bucket, that bucket's own rules say.
    """
    exported = list(_exports(environment))
    if environment.storage.checkpoints.existing_bucket or (environment.storage.lustre and not exported):
        return None
    section, total = environment.storage.checkpoints, run.checkpoint.total_bytes
    a_day = checkpoints.a_day(seconds, interval_minutes=run.section.checkpoint_interval_minutes)
    removed = not exported or any("DELETED" in events for events in exported)
    noncurrent_days = section.noncurrent_expiration_days if removed and section.versioned else 0
    kept = total * run.section.checkpoints_kept if removed else None
    noncurrent = checkpoints.written_bytes(total, checkpoints_a_day=a_day, days=noncurrent_days)
    month = checkpoints.written_bytes(total, checkpoints_a_day=a_day, days=checkpoints.DAYS_A_MONTH)
    added = None if removed else month
    held = (kept or 0) + noncurrent + (added or 0)
    usd = s3_monthly_usd(environment.region, held)
    return CheckpointBucketPlan(
        checkpoints_a_day=round(a_day, 1),
        kept_bytes=kept,
        noncurrent_bytes=noncurrent,
        added_bytes_a_month=added,
        monthly_usd=None if usd is None else round(usd, 2),
        is_most=s3_price_is_most(environment.region, held),
    )
