"""Kubeflow Trainer and JobSet: what their kinds demand beside their schemas."""

from collections.abc import Iterator, Mapping
from typing import Any

from trnstack.kubernetes.checks import forms
from trnstack.kubernetes.checks.containers import variable_problems
from trnstack.kubernetes.checks.resources import resource_problems

#: What a pod's name has behind its job's name and number.
_SUFFIX = "-abcde"
_ANCESTOR = "trainer.kubeflow.org/trainjob-ancestor-step"
#: The container that a replicated job must have, by what it is to the TrainJob.
_CONTAINERS = {"trainer": "node", **{name: name for name in ("dataset-initializer", "model-initializer")}}
#: The variables of torchrun that Trainer sets itself.
_RESERVED = {"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"}
_MOST_REPLICAS = 1024

Problems = Iterator[tuple[str, str]]


def problems(found: Mapping[str, Any]) -> Problems:
    """Yields what Trainer and JobSet refuse.

    Source: kubeflow/trainer at v2.3.0, the CEL rules in pkg/apis/trainer/v1alpha1, pkg/webhooks/
    trainingruntime_webhook.go, pkg/runtime/framework/plugins/{jobset/jobset.go,torch/torch.go}, pkg/constants;
    kubernetes-sigs/jobset at v0.12.0, pkg/webhooks/jobset_webhook.go.
    """
    match found["kind"]:
        case "TrainJob":
            yield from _train_job(found)
        case "ClusterTrainingRuntime":
            yield from _runtime(found["spec"])
        case "JobSet":
            yield from _job_set("spec", found["spec"], found["metadata"]["name"])


def _train_job(found: Mapping[str, Any]) -> Problems:
    if not forms.is_old_label(found["metadata"]["name"]):
        yield "metadata.name", "it is not at most 63 characters of a-z, 0-9 and -, a letter at its beginning"
    trainer = found["spec"].get("trainer") or {}
    variables = trainer.get("env") or ()
    yield from variable_problems("spec.trainer.env", variables)
    for name in sorted({variable["name"] for variable in variables} & _RESERVED):
        yield "spec.trainer.env", f"{name} is set by Trainer itself"
    yield from resource_problems("spec.trainer.resourcesPerNode", trainer.get("resourcesPerNode") or {})
    patches = found["spec"].get("runtimePatches") or ()
    managers = [patch["manager"] for patch in patches]
    if len(set(managers)) != len(managers):
        yield "spec.runtimePatches", "two have the same manager"
    for index, patch in enumerate(patches):
        template = (patch.get("trainingRuntimeSpec") or {}).get("template") or {}
        for position, job in enumerate((template.get("spec") or {}).get("replicatedJobs") or ()):
            pod = (((job.get("template") or {}).get("spec") or {}).get("template") or {}).get("spec") or {}
            for container in pod.get("containers") or ():
                if container.get("env") and container["name"] in _CONTAINERS.values():
                    where = f"spec.runtimePatches[{index}].trainingRuntimeSpec.template.spec.replicatedJobs[{position}]"
                    yield where, f"the variables of the container {container['name']} are given in spec.trainer.env"


def _runtime(spec: Mapping[str, Any]) -> Problems:
    policy = spec.get("mlPolicy") or {}
    if len([key for key in policy if key != "numNodes"]) > 1:
        yield "spec.mlPolicy", "only one framework can be there"
    jobs = (spec.get("template") or {}).get("spec") or {}
    yield from _job_set("spec.template.spec", jobs, None)
    for index, job in enumerate(jobs.get("replicatedJobs") or ()):
        labels = (job["template"].get("metadata") or {}).get("labels") or {}
        needed = _CONTAINERS.get(labels.get(_ANCESTOR, ""))
        if needed is None:
            continue
        where = f"spec.template.spec.replicatedJobs[{index}]"
        if job.get("replicas", 1) != 1:
            yield f"{where}.replicas", "it must be 1; the number of nodes is the number of pods"
        pod = ((job["template"].get("spec") or {}).get("template") or {}).get("spec") or {}
        if needed not in {container["name"] for container in pod.get("containers") or ()}:
            yield where, f"it needs a container {needed}"


def _job_set(path: str, spec: Mapping[str, Any], name: str | None) -> Problems:
    """Yields what is wrong with a set of jobs; without a name, one that a TrainJob gives its own."""
    jobs = spec.get("replicatedJobs") or ()
    names = [job["name"] for job in jobs]
    if len(set(names)) != len(names):
        yield f"{path}.replicatedJobs", "two have the same name"
    for index, job in enumerate(jobs):
        where = f"{path}.replicatedJobs[{index}]"
        if name is not None and not forms.is_old_label(_longest_pod_name(name, job)):
            yield f"{where}.name", f"its pods would be named '{_longest_pod_name(name, job)}', which is too long"
        for before in job.get("dependsOn") or ():
            if before["name"] not in names[:index]:
                yield f"{where}.dependsOn", f"'{before['name']}' is none of those before it"
    if (spec.get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder" and any(
        job.get("dependsOn") for job in jobs
    ):
        yield f"{path}.startupPolicy", "it can't stand beside dependsOn"
    yield from _policies(path, spec, names)


def _longest_pod_name(name: str, job: Mapping[str, Any]) -> str:
    replicas = job.get("replicas", 1)
    longest = f"{name}-{job['name']}-{max(replicas - 1, 0)}"
    spec = job["template"].get("spec") or {}
    if spec.get("completionMode") == "Indexed" and spec.get("completions"):
        longest += f"-{spec['completions'] - 1}{_SUFFIX}"
    return longest


def _policies(path: str, spec: Mapping[str, Any], names: list[str]) -> Problems:
    failure, success = spec.get("failurePolicy") or {}, spec.get("successPolicy") or {}
    rules = failure.get("rules") or ()
    titles = [rule["name"] for rule in rules]
    if len(set(titles)) != len(titles):
        yield f"{path}.failurePolicy.rules", "two have the same name"
    targets = [("successPolicy", success), *(("failurePolicy", rule) for rule in rules)]
    for where, policy in targets:
        for target in policy.get("targetReplicatedJobs") or ():
            if target not in names:
                yield f"{path}.{where}", f"there is no replicated job '{target}'"
    alone = {"RestartJob", "RestartJobAndIgnoreMaxRestarts"} & {rule["action"] for rule in rules}
    if alone and any(job.get("replicas", 1) > _MOST_REPLICAS for job in spec.get("replicatedJobs") or ()):
        yield f"{path}.failurePolicy", f"jobs are restarted alone only where they are at most {_MOST_REPLICAS:,}"
    coordinator = spec.get("coordinator")
    if coordinator and coordinator["replicatedJob"] not in names:
        yield f"{path}.coordinator", f"there is no replicated job '{coordinator['replicatedJob']}'"
