"""The edits that a rehearsal makes of what runs: two that are deployed, and one that the guard has to refuse."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from rehearsal.story.edited import edited
from trnstack.environment import check_file
from trnstack.findings import Path as YamlPath
from trnstack.findings import has_errors
from trnstack.layout.lustre import THROUGHPUTS
from trnstack.plan import Plan
from trnstack.plan.model import BucketPlan, LustrePlan

Changes = Mapping[YamlPath, object]

_LABEL, _VARIABLE = "rehearsed", "NEURON_RT_LOG_LEVEL"
_MORE_GIB = 20
_SIZES = (1, 2, 4)


def in_place(plan: Plan) -> Changes:
    """Returns an edit that CloudFormation makes without interruption: of the bucket, or of a node group's labels.

    With it comes one of what jobs are told, where a stack applies what runs in the cluster.
    """
    told: Changes = {("neuron", "environment", _VARIABLE): "INFO"} if plan.kubernetes.stack else {}
    checkpoints = plan.storage.checkpoints
    if isinstance(checkpoints, BucketPlan) and checkpoints.noncurrent_expiration_days:
        days = checkpoints.noncurrent_expiration_days + 1
        return {("storage", "checkpoints", "noncurrent_expiration_days"): days, **told}
    return {("node_groups", 0, "labels", _LABEL): "true", **told}


def of_nodes(plan: Plan) -> Changes:
    """Returns an edit that replaces the nodes of the first node group: they get a larger root volume."""
    gib = plan.node_groups[0].launch_template.root_volume_gib + _MORE_GIB
    return {("node_groups", 0, "root_volume_gib"): gib}


def replacing(plan: Plan, environment_file: Path, folder: Path) -> tuple[Changes, Path] | None:
    """Returns an edit that would replace the file system, and the copy with it; None where there is none to replace.

    A change of the throughput per TiB replaces it. Not every rate goes with every size, so the first of them is taken
    that the rules let pass.

    Source: CloudFormation template reference, AWS::FSx::FileSystem LustreConfiguration, PerUnitStorageThroughput.
    """
    lustre = plan.storage.lustre
    if not isinstance(lustre, LustrePlan) or lustre.throughput_mbps_per_tib is None:
        return None
    for changes in _rates(lustre):
        copy = edited(environment_file, folder, changes)
        if not has_errors(check_file(copy, with_lock=False).findings):
            return changes, copy
    return None


def _rates(lustre: LustrePlan) -> Iterator[Changes]:
    section, size = ("storage", "lustre"), lustre.storage_gib or 0
    for factor in _SIZES:
        for rate in THROUGHPUTS.get((lustre.deployment_type, lustre.storage_type), ()):
            if rate != lustre.throughput_mbps_per_tib:
                larger: Changes = {(*section, "storage_gib"): size * factor} if factor > 1 else {}
                yield {(*section, "throughput_mbps_per_tib"): rate, **larger}
