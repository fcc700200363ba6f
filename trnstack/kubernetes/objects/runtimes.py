"""Kubeflow Trainer's runtime: what all training jobs of an environment have in common.

Kueue reads a running job's runtime anew again and again, and stops the job where its containers are no more what they
were admitted with; Trainer itself keeps a copy of what a job began with. So a runtime holds of its container nothing
that a deploy changes often and nothing that differs by node group: the jobs of ``trnstack job render`` say themselves
which image they run, what they ask of a node and how its cores are grouped. The image stands here for jobs that say
none: Kueue would admit them, no pod could be made of them, and they would hold their place all the same.

Source: kubernetes-sigs/kueue at v0.19.2, pkg/controller/jobs/trainjob/trainjob_controller.go (getRuntimeSpec),
pkg/util/equality/podset.go (containers are compared; tolerations only of jobs that wait) and
pkg/controller/jobframework/reconciler.go (ensureOneWorkload); kubeflow/trainer at v2.3.0, pkg/runtime/core/snapshot.go.
"""

from collections.abc import Iterator
from typing import Any

from ami.pins import UNRESOLVED
from trnstack.kubernetes.names import CONFIG_MAP, HOSTNAME, NETWORK_LAYERS, RUNTIMES, VOLUME
from trnstack.kubernetes.objects import Object
from trnstack.layout.taints import kubernetes_effect
from trnstack.plan.model import FleetPlan, Plan, TaintPlan

#: How often a whole job starts again, from its newest checkpoint, when a pod of it fails. The number is ours.
_RESTARTS = 10
#: What a pod gets to end by itself, and the time on top of writing a checkpoint that it has begun, and a last one, in
#: seconds; ours. Spot nodes go after two minutes whatever is said here.
_GRACE_SECONDS, _GRACE_MARGIN = 120, 60
#: How a pod ends, by ``trnstack_program`` in it, that has lost another pod, and one that was told to end: 128 and the
#: number of SIGTERM, as shells count it.
_PEER_GONE, _TOLD_TO_END = 75, 143
#: Trainer's names of its policies.
_POLICIES = {RUNTIMES["pytorch"]: "torch", RUNTIMES["jax"]: "jax"}
#: The names by which Trainer finds the pods, and in them the container, that train.
#: Source: kubeflow/trainer at v2.3.0, pkg/constants/constants.go.
_NODE, _STEP = "node", {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
_SHARED_MEMORY = "shared-memory"


def runtime(plan: Plan, name: str) -> Object:
    """Returns a runtime whose pods are on the first node group; a job may choose another one and say so.

    It says nothing of resources: to those of a runtime Trainer adds a job's, while Kueue, which is built with Trainer
    2.2.1, counts the job's alone.

    Trainer tells torchrun how many nodes there are, which one a pod is and where the first one is, and takes as many
    processes a node as it has CPUs, since it counts GPUs and no Neuron cores: a job has to say ``numProcPerNode``. To
    JAX it tells the same in ``JAX_...``; what Neuron needs beside is the job's to set.

    A pod that has a node to itself needs no choice of neighbouring devices, so the cluster's own scheduler places it.

    Source: kubeflow/trainer at v2.3.0, pkg/apis/trainer/v1alpha1/trainingruntime_types.go, pkg/runtime/core/
    trainingruntime.go, and torch/torch.go and jax/jax.go in pkg/runtime/framework/plugins.
    """
    policy = _POLICIES[name]
    job = {
        "name": _NODE,
        "template": {
            "metadata": {"labels": _STEP},
            "spec": {
                "backoffLimit": 0,
                "podFailurePolicy": {"rules": _not_its_fault()},
                "template": {"metadata": _metadata(plan), "spec": _pod(plan)},
            },
        },
    }
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": {"trainer.kubeflow.org/framework": policy}},
        "spec": {
            "mlPolicy": {"numNodes": 1, policy: {}},
            "template": {
                "spec": {
                    "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
                    "failurePolicy": {"maxRestarts": _RESTARTS, "rules": [_UNCOUNTED]},
                    "replicatedJobs": [job],
                }
            },
        },
    }


#: A job's set starts again however often it was a pod's end from outside that failed it.
#: Source: kubernetes-sigs/jobset at v0.12.0, api/jobset/v1alpha2/jobset_types.go, FailurePolicyRule; a job that fails
#: for another reason restarts the set as well, and is counted.
_UNCOUNTED = {
    "name": "podsEndedFromOutside",
    "action": "RestartJobSetAndIgnoreMaxRestarts",
    "onJobFailureReasons": ["PodFailurePolicy"],
}


def _not_its_fault() -> list[dict[str, Any]]:
    """Returns which ends of pods are not the job's fault: an update of 32 nodes ends a pod on each of them.

    A pod whose node is drained or goes is marked so; those that end together with it have no such mark, and their job
    may be looked at before the marked one has ended: a node that is gone at once is given up after minutes. Where a pod
    has failed by itself, its end is seen before those of the others, which wait a while, and it is counted.

    Source: Kubernetes documentation, "Pod failure policy" and "Disruptions", Pod disruption conditions; kubernetes/
    kubernetes, pkg/controller/job/job_controller.go, syncJob (of the pods that have ended, one that matches goes before
    the limit of failures).
    """
    codes = [_PEER_GONE, _TOLD_TO_END]
    return [
        {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
        {"action": "FailJob", "onExitCodes": {"containerName": _NODE, "operator": "In", "values": codes}},
    ]


def grace_seconds(plan: Plan) -> int:
    """Returns how long a training pod that is told to end may take, so that a checkpoint it begins can be finished.

    It stands in the runtime since Kueue loses it in a job: it writes the job back by the types of Trainer 2.2.1, whose
    patches of pods have no such field.

    Source: kubernetes-sigs/kueue at v0.19.2, go.mod, and pkg/controller/jobs/trainjob/trainjob_controller.go,
    RunWithPodSetsInfo; kubeflow/trainer at v2.2.1 and at v2.3.0, pkg/apis/trainer/v1alpha1/trainjob_types.go,
    PodSpecPatch.
    """
    write = plan.training.write if plan.training else None
    return max(_GRACE_SECONDS, _GRACE_MARGIN + 2 * round(write.seconds)) if write else _GRACE_SECONDS


def stopped(old: Plan, new: Plan) -> Iterator[str]:
    """Yields which running jobs a deploy of another runtime stops; their newest checkpoints are where they go on from.

    Args:
        old: The plan of what is deployed.
        new: The plan of what is to be.
    """
    if old.kubernetes.queue is None or new.kubernetes.queue is None:
        return
    for name in old.kubernetes.runtimes:
        if name not in new.kubernetes.runtimes:
            continue
        before, after = _container(old), _container(new)
        if before["volumeMounts"] != after["volumeMounts"]:
            yield f"every running training job on {name}: another place of the file system"
        elif before["image"] != after["image"]:
            yield f"running training jobs on {name} that name no image: those of trnstack job render do"


def _metadata(plan: Plan) -> dict[str, Any]:
    """Returns how near to each other the pods are wanted, where that is the same on all node groups.

    Source: kubernetes-sigs/kueue at v0.19.2, apis/kueue/v1beta2/topology_types.go.
    """
    decided = plan.kubernetes.queue
    levels = {flavor.levels for flavor in decided.flavors} if decided else set()
    if len(levels) != 1:
        return {}
    (only,) = levels
    if only == (HOSTNAME,):
        return {}
    if only[-2] == NETWORK_LAYERS[-1]:
        return {"annotations": {"kueue.x-k8s.io/podset-preferred-topology": only[-2]}}
    return {"annotations": {"kueue.x-k8s.io/podset-required-topology": only[-2]}}


def _pod(plan: Plan) -> dict[str, Any]:
    decided, first = plan.kubernetes, plan.kubernetes.fleets[0]
    volumes: list[dict[str, Any]] = [
        {"name": _SHARED_MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": first.shared_memory}}
    ]
    if decided.mount_path:
        volumes.append({"name": VOLUME, "persistentVolumeClaim": {"claimName": VOLUME}})
    return {
        "restartPolicy": "Never",
        "serviceAccountName": decided.service_account,
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": grace_seconds(plan),
        "nodeSelector": dict(first.node_labels),
        "tolerations": _tolerations(decided.fleets),
        "containers": [_container(plan)],
        "volumes": volumes,
    }


def _container(plan: Plan) -> dict[str, Any]:
    """Returns what Kueue compares; the module says why it is so little."""
    mounts = [{"name": _SHARED_MEMORY, "mountPath": "/dev/shm"}]  # noqa: S108 - a mount, no file of ours
    if plan.kubernetes.mount_path:
        mounts.append({"name": VOLUME, "mountPath": plan.kubernetes.mount_path})
    return {
        "name": _NODE,
        "image": _image(plan),
        "envFrom": [{"configMapRef": {"name": CONFIG_MAP}}],
        "volumeMounts": mounts,
    }


def _image(plan: Plan) -> str:
    """Returns the training container by tag and digest; by its tag while nobody has asked for the digest."""
    name, digest = plan.pins.container_image, plan.pins.container_digest
    return f"{name}" if digest == UNRESOLVED else f"{name}@{digest}"


def _tolerations(fleets: tuple[FleetPlan, ...]) -> list[dict[str, str]]:
    """Returns tolerations of every taint of every node group, each once."""
    taints = dict.fromkeys(taint for fleet in fleets for taint in fleet.taints)
    return [_toleration(taint) for taint in taints]


def _toleration(taint: TaintPlan) -> dict[str, str]:
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": kubernetes_effect(taint.effect)}
