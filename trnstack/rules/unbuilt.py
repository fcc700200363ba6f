"""What the format has and the stacks have not: each such part is told, none is passed over.

A part without which the environment would not become what its file says is an error. A part that only adds something is
a note, and the cluster stands without it.
"""

from collections.abc import Iterator

from trnstack.findings import Finding, Path, Severity
from trnstack.rules.shape import CHECKPOINTS
from trnstack.spec import Environment
from trnstack.spec.storage import Lustre

#: What is on by default and switches nothing yet, by section and key.
_ADDITIONS = {
    ("kubernetes", "kueue"): "queues and quotas for jobs",
    ("kubernetes", "kubeflow_trainer"): "training jobs as Kubernetes resources",
    ("kubernetes", "neuron_scheduler"): "neighbouring cores for jobs that ask for part of a node",
    ("kubernetes", "cloudwatch_observability"): "metrics and logs of nodes and pods in CloudWatch",
    ("observability", "checkpoint_freshness_intervals"): "an alarm when no new checkpoint comes",
}


def _unbuilt(code: str, path: Path, what: str, hint: str, severity: Severity = Severity.ERROR) -> Finding:
    subject, _, reason = what.partition(": ")
    return Finding(code=code, path=path, message=f"not built yet: {subject} ({reason})", hint=hint, severity=severity)


def the_storage_is_built(environment: Environment) -> Iterator[Finding]:
    """SPEC092: Buckets and file system are ones that the stacks make.

    Source: the project's changelog.
    """
    storage = environment.storage
    if storage.checkpoints.existing_bucket:
        what, hint = "existing_bucket: the checkpoint bucket is always a new one", "remove existing_bucket"
        yield _unbuilt("SPEC092", ("storage", "checkpoints", "existing_bucket"), what, hint)
    if storage.datasets:
        what, hint = "datasets: nodes are not given access to further buckets", "remove datasets"
        yield _unbuilt("SPEC092", ("storage", "datasets"), what, hint)
    for path, what, hint in _unbuilt_of_lustre(storage.lustre) if storage.lustre else ():
        yield _unbuilt("SPEC092", ("storage", "lustre", *path), what, hint)


def _unbuilt_of_lustre(lustre: Lustre) -> Iterator[tuple[Path, str, str]]:
    if lustre.existing_file_system:
        what = "existing_file_system: the file system is always a new one"
        yield ("existing_file_system",), what, "remove existing_file_system"
    if lustre.deployment_type != "PERSISTENT_2":
        what = f"{lustre.deployment_type}: file systems are PERSISTENT_2"
        yield ("deployment_type",), what, "write deployment_type: PERSISTENT_2"
    if lustre.storage_type != "SSD":
        yield ("storage_type",), f"{lustre.storage_type}: file systems are SSD", "write storage_type: SSD"
    if lustre.efa_enabled:
        yield ("efa_enabled",), "efa_enabled: nodes reach the file system by TCP", "write efa_enabled: false"
    if lustre.metadata_iops is not None:
        yield ("metadata_iops",), "metadata_iops: metadata performance is automatic", "remove metadata_iops"
    for index, association in enumerate(lustre.data_repository_associations):
        if association.bucket != CHECKPOINTS:
            path = ("data_repository_associations", index, "bucket")
            what = "an association to a dataset: only the checkpoint bucket is linked"
            yield path, what, f"write bucket: {CHECKPOINTS}, or remove the association"


def the_delivery_is_built(environment: Environment) -> Iterator[Finding]:
    """SPEC093: What runs in the cluster comes by a way that the stacks have.

    Source: the project's changelog.
    """
    if environment.kubernetes.delivery == "gitops":
        what, hint = "delivery by gitops: the stacks apply what runs in the cluster", "write delivery: cdk"
        yield _unbuilt("SPEC093", ("kubernetes", "delivery"), what, hint)
    if environment.kubernetes.s3_csi:
        what, hint = "s3_csi: buckets are not mounted", "write s3_csi: false"
        yield _unbuilt("SPEC093", ("kubernetes", "s3_csi"), what, hint)


def additions(environment: Environment) -> dict[tuple[str, str], str]:
    """Returns what eases work, is on in the environment and is not there, by section and key, with what it would be."""
    return {
        (section, key): what
        for (section, key), what in _ADDITIONS.items()
        if getattr(getattr(environment, section), key)
    }


def the_additions_are_built(environment: Environment) -> Iterator[Finding]:
    """SPEC094: What eases work in the cluster is there, where the file asks for it; the cluster stands without it.

    What is on by default is listed by ``trnstack plan``.

    Source: the project's changelog.
    """
    for section, key in additions(environment):
        if key in getattr(environment, section).model_fields_set:
            what, hint = f"{key}: the cluster stands without it", f"remove {key}: it changes nothing"
            yield _unbuilt("SPEC094", (section, key), what, hint, Severity.NOTE)


def the_watch_is_built(environment: Environment) -> Iterator[Finding]:
    """SPEC095: Who is to be told by e-mail is told; the cluster stands without it.

    Source: the project's changelog.
    """
    blocks = any(group.capacity.type == "capacity_block" for group in environment.node_groups)
    if environment.observability.alarm_emails:
        sent = "only the notices of capacity blocks are sent" if blocks else "no alarm is sent"
        what, hint = f"alarm_emails: {sent}", "watch the account by other means"
        yield _unbuilt("SPEC095", ("observability", "alarm_emails"), what, hint, Severity.NOTE)
    if environment.budget:
        what, hint = "budget: nobody is told when it is spent", "make one in AWS Budgets by hand"
        yield _unbuilt("SPEC095", ("budget",), what, hint, Severity.NOTE)


RULES = (
    the_storage_is_built,
    the_delivery_is_built,
    the_additions_are_built,
    the_watch_is_built,
)
