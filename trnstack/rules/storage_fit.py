"""What must hold between storage and the training run: checkpoints are written in time, and what is kept fits."""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.layout.checkpoints import FULL_SHARE
from trnstack.plan.model.training import OfferPlan, TrainingPlan
from trnstack.plan.trainers import file_system_of, fleet_reach_mbps, trainers
from trnstack.plan.training import training
from trnstack.spec import Environment

_LUSTRE: Path = ("storage", "lustre")
_BYTES_PER_GB, _BYTES_PER_TB = 10**9, 10**12
_WHOLE = 100


def _size_path(environment: Environment) -> Path:
    """Returns the key by which a file system grows."""
    lustre = environment.storage.lustre
    is_tiering = lustre is not None and lustre.storage_type == "INTELLIGENT_TIERING"
    return (*_LUSTRE, "throughput_capacity_mbps" if is_tiering else "storage_gib")


def _change(environment: Environment, asked: TrainingPlan) -> str:
    """Returns the smallest change that makes a file system suffice; an adopted one is not changed by the file."""
    lustre = environment.storage.lustre
    adopted = lustre is not None and lustre.existing_file_system is not None
    suggestion = asked.write.suggestion if asked.write else None
    others = [offer for offer in asked.write.offers if offer != suggestion] if asked.write else []
    use = "grow it by aws fsx update-file-system, then write" if adopted else "use"
    changes = [f"{use} {_offer(suggestion)}"] if suggestion else []
    if others:
        changes.append(f"a new one could be {' or '.join(map(_offer, others))}")
    return "; ".join(changes) or "save less often: write a longer checkpoint_interval_minutes"


def _offer(offer: OfferPlan) -> str:
    if not offer.storage_gib:
        return f"throughput_capacity_mbps: {offer.write_mbps}"
    rate = f" at {offer.throughput_mbps_per_tib} MB/s per TiB" if offer.throughput_mbps_per_tib else ""
    return f"{offer.storage_gib} GiB{rate}"


def checkpoints_are_written_before_the_next(environment: Environment) -> Iterator[Finding]:
    """STO001: A checkpoint is written before the next one is due.

    Otherwise training waits for storage more than it trains, or, where it writes beside its steps, checkpoints pile up
    in the nodes' memory. Counted with what the file system takes for as long as is needed, without its credits.

    Source: FSx for Lustre user guide, "Amazon FSx for Lustre performance"; docs/storage.md has the arithmetic.
    """
    asked = training(environment)
    if asked and asked.write and asked.write.seconds > asked.interval_minutes * 60:
        yield Finding(
            code="STO001",
            path=_size_path(environment),
            message=f"a checkpoint of {_gb(asked.checkpoint.total_bytes)} takes {_time(asked.write.seconds)} at "
            f"{asked.write.file_system_mbps} MB/s, longer than the {asked.interval_minutes} minutes to the next",
            hint=_change(environment, asked),
        )


def training_waits_within_its_share(environment: Environment) -> Iterator[Finding]:
    """STO002: Training waits for checkpoints no longer than ``training.checkpoint_stall_percent`` of the time.

    That is what it waits where each checkpoint is written before the next step; a job that writes beside its steps
    waits less, and needs memory on the nodes for what is not written yet.

    Source: AWS Neuron documentation, NxD Core, "Developer guide for save/load checkpoint", ``async_save``.
    """
    asked = training(environment)
    if not asked or not asked.write or asked.write.seconds > asked.interval_minutes * 60:
        return
    if asked.write.stall_percent > asked.stall_limit_percent:
        yield Finding(
            code="STO002",
            severity=Severity.WARNING,
            path=_size_path(environment),
            message=f"training waits {asked.write.stall_percent:.1f} % of the time for checkpoints of "
            f"{_gb(asked.checkpoint.total_bytes)}, and may wait {asked.stall_limit_percent} %",
            hint=_change(environment, asked),
        )


def kept_checkpoints_fit_the_file_system(environment: Environment) -> Iterator[Finding]:
    """STO003: The checkpoints that are kept and a new one fit the file system, with a tenth to spare.

    The oldest is removed once the newest is written. Files are spread over targets, of which one is full before others.

    Source: AWS Neuron documentation, NxD Core, "Developer guide for save/load checkpoint", ``num_kept_ckpts``.
    """
    asked = training(environment)
    if not asked or not asked.write or asked.write.capacity_bytes is None:
        return
    needed, room = asked.write.kept_bytes, asked.write.capacity_bytes
    if needed > room * FULL_SHARE:
        fits = needed <= room
        what = f"leave {_WHOLE * (room - needed) // room} % free" if fits else "do not fit"
        yield Finding(
            code="STO003",
            severity=Severity.WARNING if fits else Severity.ERROR,
            path=_size_path(environment),
            message=f"{asked.checkpoints_kept} kept checkpoints and a new one, {_gb(needed)}, {what}: the file system "
            f"has {_gb(room)}",
            hint=f"{_change(environment, asked)}, or keep fewer",
        )


def the_throughput_can_be_used(environment: Environment) -> Iterator[Finding]:
    """STO004: All nodes together can take the throughput that is paid for.

    By TCP a node reaches at most 5 Gbit/s of each of the file system's servers, and 100 Gbit/s in all; by EFA 700.

    Source: FSx for Lustre user guide, "Amazon FSx for Lustre performance", "Throughput to individual client instances".
    """
    file_system = file_system_of(environment.storage.lustre)
    reach = fleet_reach_mbps(environment, file_system) if file_system else None
    if file_system and reach is not None and file_system.read_mbps > reach:
        yield Finding(
            code="STO004",
            severity=Severity.WARNING,
            path=_size_path(environment),
            message=f"the nodes reach {reach} MB/s of the file system, which has {file_system.read_mbps}",
            hint="choose a lower rate, or more nodes; what is not used is paid for all the same",
        )


def checkpoints_have_a_shared_place(environment: Environment) -> Iterator[Finding]:
    """STO005: What several nodes write of a checkpoint goes to a file system that all of them read.

    Each node's disks are its own, and are lost with it. A single node keeps checkpoints on its disks where they fit.

    Source: EC2 user guide, "Instance store temporary block storage for EC2 instances".
    """
    asked, nodes = training(environment), trainers(environment)
    if not asked or not nodes or environment.storage.lustre:
        return
    row, size = nodes.instance_type, asked.checkpoint.total_bytes
    needed = size * (asked.checkpoints_kept + 1)
    room = row.local_disks * row.local_disk_gb * _BYTES_PER_GB if nodes.group.local_storage == "raid0" else 0
    if nodes.nodes > 1:
        message = f"{nodes.nodes} nodes write checkpoints of {_gb(size)}, and there is no file system"
    elif needed > room and not row.opt_in:
        message = f"kept checkpoints of {_gb(needed)} exceed the node's disks, and there is no file system"
    else:
        return
    yield Finding(
        code="STO005",
        severity=Severity.WARNING,
        path=("storage",),
        message=message,
        hint="add storage.lustre, or let the job write to the checkpoint bucket, whose speed is not checked here",
    )


def old_checkpoints_leave_the_bucket(environment: Environment) -> Iterator[Finding]:
    """STO006: Something takes old checkpoints out of the bucket, which otherwise grows for as long as training runs.

    What the file system exports stays there when the job removes it from the file system, unless deletions are exported
    too. Nothing here makes objects expire: S3 counts the days of each, and takes the last good one as well once
    training has stopped for so long.

    Source: FSx for Lustre user guide, "Automatically export updates to your S3 bucket"; S3 user guide, "Lifecycle
    configuration elements": days since creation.
    """
    asked = training(environment)
    added = asked.bucket.added_bytes_a_month if asked and asked.bucket else None
    if asked and asked.bucket and added is not None:
        usd = asked.bucket.monthly_usd
        most = "at most " if asked.bucket.is_most else ""
        price = f", {most}{usd:,.0f} USD more with every month in S3's class Standard" if usd is not None else ""
        yield Finding(
            code="STO006",
            severity=Severity.WARNING,
            path=("training", "checkpoints_kept"),
            message=f"the job keeps {asked.checkpoints_kept} checkpoints and the bucket all of them: a month adds "
            f"{added / _BYTES_PER_TB:,.1f} TB{price}",
            hint="let a job remove old ones there; docs/storage.md has the other ways, and what each may lose",
        )


def _gb(size: int) -> str:
    return f"{size / _BYTES_PER_GB:,.1f} GB"


def _time(seconds: float) -> str:
    return f"{seconds / 60:,.0f} minutes"


RULES = (
    checkpoints_are_written_before_the_next,
    training_waits_within_its_share,
    kept_checkpoints_fit_the_file_system,
    the_throughput_can_be_used,
    checkpoints_have_a_shared_place,
    old_checkpoints_leave_the_bucket,
)
