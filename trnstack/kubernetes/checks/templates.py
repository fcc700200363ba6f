"""Where pods are described in objects of every kind."""

from collections.abc import Iterator, Mapping
from typing import Any

#: Where the template of pods is, by kind; an asterisk stands for each item of a list.
_TEMPLATES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Job"), ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "JobSet": ("spec", "replicatedJobs", "*", "template", "spec", "template"),
    "ClusterTrainingRuntime": ("spec", "template", "spec", "replicatedJobs", "*", "template", "spec", "template"),
}
#: Where the descriptions of jobs are, whose own object is not a Job.
_JOBS: Mapping[str, tuple[str, ...]] = {
    "Job": ("spec",),
    "CronJob": ("spec", "jobTemplate", "spec"),
    "JobSet": ("spec", "replicatedJobs", "*", "template", "spec"),
    "ClusterTrainingRuntime": ("spec", "template", "spec", "replicatedJobs", "*", "template", "spec"),
}

Found = tuple[str, Mapping[str, Any]]


def templates(found: Mapping[str, Any]) -> Iterator[Found]:
    """Yields each description of pods in an object with its path: a mapping with ``metadata`` and ``spec``."""
    if found["kind"] == "Pod":
        yield "the object", found
    elif found["kind"] in _TEMPLATES:
        yield from _below(found, _TEMPLATES[found["kind"]], "")


def job_specs(found: Mapping[str, Any]) -> Iterator[Found]:
    """Yields each description of a job in an object with its path."""
    if found["kind"] in _JOBS:
        yield from _below(found, _JOBS[found["kind"]], "")


def pod_specs(found: Mapping[str, Any]) -> Iterator[Found]:
    """Yields each description of a pod in an object with its path."""
    for path, template in templates(found):
        spec = template.get("spec")
        if spec:
            yield ("spec" if found["kind"] == "Pod" else f"{path}.spec"), spec


def _below(value: Any, steps: tuple[str, ...], path: str) -> Iterator[Found]:
    if not steps:
        if isinstance(value, Mapping):
            yield path.removeprefix("."), value
        return
    if steps[0] == "*":
        for index, item in enumerate(value or ()):
            yield from _below(item, steps[1:], f"{path}[{index}]")
    elif isinstance(value, Mapping) and value.get(steps[0]) is not None:
        yield from _below(value[steps[0]], steps[1:], f"{path}.{steps[0]}")
