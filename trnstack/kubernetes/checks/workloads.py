"""What workloads demand of the pods that they describe: that they select them, and restart them as their kind does."""

from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks.templates import pod_specs

_SELECTING = {"Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"}
#: How pods of a job may be restarted; of a set, where nothing is said, JobSet fills in OnFailure.
_ENDING = {
    **dict.fromkeys(("Job", "CronJob"), ("Never", "OnFailure")),
    **dict.fromkeys(("JobSet", "ClusterTrainingRuntime"), ("Never", "OnFailure", None)),
}


def problems(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields selectors that miss their own pods, and restart policies that the kind does not have.

    Source: kubernetes/kubernetes, pkg/apis/apps/validation/validation.go; pkg/apis/batch/validation/validation.go;
    kubernetes-sigs/jobset at v0.12.0, pkg/webhooks/jobset_webhook.go (defaults).
    """
    kind = found["kind"]
    if kind in _SELECTING:
        yield from _selector(found["spec"])
    for path, spec in pod_specs(found):
        policy = spec.get("restartPolicy")
        if kind in _SELECTING and policy not in {None, "Always"}:
            yield f"{path}.restartPolicy", f"pods of a {kind} are always restarted, which '{policy}' is not"
        if policy not in _ENDING.get(kind, (policy,)):
            yield f"{path}.restartPolicy", "pods of a job need Never or OnFailure"


def _selector(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    selector = spec.get("selector") or {}
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    if not (selector.get("matchLabels") or selector.get("matchExpressions")):
        yield "spec.selector", "it selects every pod"
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            yield "spec.selector", f"its own pods lack the label {key}={value}"
    for term in selector.get("matchExpressions") or ():
        if not _matches(term, labels):
            yield "spec.selector", f"its own pods have not what it demands of the label {term['key']}"


def _matches(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    held, values = labels.get(term["key"]), term.get("values") or ()
    match term["operator"]:
        case "In":
            return held in values
        case "NotIn":
            return held not in values
        case "Exists":
            return held is not None
    return held is None
