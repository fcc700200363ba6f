"""Kueue's objects: what there is to hand out, how near nodes are to each other, and the queue into which jobs are put.

Source of all: kubernetes-sigs/kueue at v0.19.2, apis/kueue/v1beta2.
"""

from collections.abc import Mapping
from typing import Any

from trnstack.kubernetes.objects import Object
from trnstack.layout.taints import kubernetes_effect
from trnstack.plan.model import FlavorPlan, Plan, QueuePlan, TaintPlan

_API = "kueue.x-k8s.io/v1beta2"


def priority_classes(priorities: Mapping[str, int]) -> tuple[Object, ...]:
    """Returns Kubernetes' own classes of pods: who starts first. None of them ends a pod for another.

    Ending is the queue's business, which ends whole jobs: a pod of a job that goes takes the others' work with it.
    """
    return tuple(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "preemptionPolicy": "Never",
            "globalDefault": False,
            "description": "For pods of jobs without a queue; jobs in a queue name the priority class of workloads.",
        }
        for name, value in priorities.items()
    )


def queue(plan: Plan, decided: QueuePlan) -> tuple[Object, ...]:
    """Returns topologies, flavors, priorities, the queue of the cluster and the way into it."""
    namespace = plan.kubernetes.namespace
    levels = {flavor.topology: flavor.levels for flavor in decided.flavors}
    return (
        *(_topology(name, labels) for name, labels in levels.items()),
        *(_flavor(flavor) for flavor in decided.flavors),
        *(
            {"apiVersion": _API, "kind": "WorkloadPriorityClass", "metadata": {"name": name}, "value": value}
            for name, value in plan.kubernetes.priorities.items()
        ),
        _cluster_queue(decided, namespace),
        {
            "apiVersion": _API,
            "kind": "LocalQueue",
            "metadata": {"name": decided.local_queue, "namespace": namespace},
            "spec": {"clusterQueue": decided.cluster_queue},
        },
    )


def _topology(name: str, labels: tuple[str, ...]) -> Object:
    levels = [{"nodeLabel": label} for label in labels]
    return {"apiVersion": _API, "kind": "Topology", "metadata": {"name": name}, "spec": {"levels": levels}}


def _flavor(flavor: FlavorPlan) -> Object:
    """Returns a node group's flavor.

    It says which taints the nodes have, so that a job without the tolerations waits with a sentence that says so. It
    adds no tolerations itself: beside a topology they could never be changed again, and a node group's taints can.

    Source: as above, resourceflavor_types.go, the rules on ResourceFlavorSpec.
    """
    spec: dict[str, Any] = {"nodeLabels": dict(flavor.node_labels), "topologyName": flavor.topology}
    if flavor.taints:
        spec["nodeTaints"] = [_taint(taint) for taint in flavor.taints]
    return {"apiVersion": _API, "kind": "ResourceFlavor", "metadata": {"name": flavor.name}, "spec": spec}


def _taint(taint: TaintPlan) -> Object:
    return {"key": taint.key, "value": taint.value, "effect": kubernetes_effect(taint.effect)}


def _cluster_queue(decided: QueuePlan, namespace: str) -> Object:
    """Returns the queue of the cluster.

    A job that does not fit lets smaller ones pass, so that nodes do not stand idle for it; one of higher priority ends
    those of lower priority. Whether the queue is stopped is not said, so that who stops it by hand finds it stopped.
    Every flavor lists every resource in one order, those that its nodes lack with none.
    """
    resources = list(dict.fromkeys(name for flavor in decided.flavors for name in flavor.quotas))
    flavors = [
        {
            "name": flavor.name,
            "resources": [{"name": name, "nominalQuota": flavor.quotas.get(name, "0")} for name in resources],
        }
        for flavor in decided.flavors
    ]
    return {
        "apiVersion": _API,
        "kind": "ClusterQueue",
        "metadata": {"name": decided.cluster_queue},
        "spec": {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "queueingStrategy": "BestEffortFIFO",
            "preemption": {"withinClusterQueue": "LowerPriority"},
            "resourceGroups": [{"coveredResources": resources, "flavors": flavors}],
        },
    }
