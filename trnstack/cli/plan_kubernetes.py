"""The cluster's part of ``trnstack plan``: charts, what jobs may ask for, the queue, and the names that jobs use."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import FleetPlan, KubernetesPlan

Rows = Iterator[tuple[str, ...]]


def sections(decided: "KubernetesPlan") -> list[list[str]]:
    """Returns the sections on what runs in the cluster, each a title and its lines."""
    stack = decided.stack or "rendered for a repository, by no stack"
    charts = [(each.name, each.version, f"namespace {each.namespace}", each.archive) for each in decided.releases]
    return [
        [f"In the cluster ({stack})", *output.columns(charts)],
        ["Jobs", *output.columns(_jobs(decided))],
        *([["Queue", *output.columns(_queue(decided))]] if decided.queue else []),
    ]


def _jobs(decided: "KubernetesPlan") -> Rows:
    yield "run in", f"namespace {decided.namespace}, as service account {decided.service_account}"
    yield "runtimes", ", ".join(decided.runtimes) or "none"
    yield (
        "part of a node",
        f"by scheduler {decided.neuron_scheduler}" if decided.neuron_scheduler else "no choice of it",
    )
    if decided.mount_path:
        yield "file system", f"at {decided.mount_path}, by its claim"
    for name, prefix in decided.bucket_claims.items():
        yield "bucket as files", f"claim {name}" + (f", prefix {prefix}" if prefix else "")
    for fleet in decided.fleets:
        yield f"a node of {fleet.name}", _whole_node(fleet)
    for place, (name, value) in enumerate(decided.job_environment.items()):
        yield "variables" if place == 0 else "", f"{name}={_known_later(value)}"


def _known_later(value: str) -> str:
    """Returns a value with the names of outputs in the place of its marks."""
    from trnstack.kubernetes.marks import OUTPUTS  # noqa: PLC0415 - as every command

    for mark, name in OUTPUTS.items():
        value = value.replace(mark, f"<{name}>")
    return value


def _whole_node(fleet: "FleetPlan") -> str:
    asked = ", ".join(f"{name} {quantity}" for name, quantity in fleet.whole_node.items())
    return f"{asked}; /dev/shm {fleet.shared_memory}"


def _queue(decided: "KubernetesPlan") -> Rows:
    if decided.queue is None:
        return
    yield "name", f"{decided.queue.local_queue} in namespace {decided.namespace}"
    yield "priorities", ", ".join(f"{name} {value:,}" for name, value in decided.priorities.items())
    for flavor in decided.queue.flavors:
        yield f"node group {flavor.node_group}", ", ".join(f"{name} {amount}" for name, amount in flavor.quotas.items())
        yield "  placed by", ", ".join(flavor.levels)
