"""The values of kueue, and the configuration of its controller that is one of them."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from ami.pins import ChartPin
from trnstack.kubernetes.names import NAMESPACE, NEURON_CORE, NEURON_DEVICE, SYSTEM_SELECTOR
from trnstack.kubernetes.values.containers import container
from trnstack.kubernetes.values.placement import spread

#: How long a job's pods may take to be ready, or to be ready again after a failure, before its place goes to others: a
#: node pulls a training container of many gigabytes first, and before that EKS may look at a broken node for up to half
#: an hour and replace it. The times are ours.
#: Source: EKS user guide, "Automatically repair nodes in EKS clusters", how long each condition is waited for.
_READY, _READY_AGAIN = "30m", "60m"
_REPLICAS = 2


def values(
    pin: ChartPin, *, image_mirror: str | None, trainer: bool, cores_a_device: Collection[int]
) -> Mapping[str, Any]:
    """Returns the chart's values: two controllers, on system nodes, that look at jobs of one namespace alone.

    Args:
        pin: The chart's pin.
        image_mirror: The registry and prefix of the mirror, if any.
        trainer: Whether Kubeflow Trainer runs, and with it JobSet; of kinds that do not exist nothing can be queued.
        cores_a_device: How many logical NeuronCores a Neuron device has, of each node group.

    Source: kubernetes-sigs/kueue at v0.19.2, charts/kueue/values.yaml and templates/manager.
    """
    configuration = _configuration(trainer=trainer, cores_a_device=set(cores_a_device))
    return {
        "controllerManager": {
            "replicas": _REPLICAS,
            "nodeSelector": SYSTEM_SELECTOR,
            "topologySpreadConstraints": spread({"control-plane": "controller-manager"}),
            "podDisruptionBudget": {"enabled": True},
            "manager": {
                "image": {**container(pin, "kueue", image_mirror).image, "pullPolicy": "IfNotPresent"},
                "resources": {"requests": {"cpu": "200m", "memory": "512Mi"}, "limits": {"memory": "1Gi"}},
            },
        },
        # The chart reads it as YAML, of which JSON is a part.
        "managerConfig": {"controllerManagerConfigYaml": json.dumps(configuration, indent=2)},
    }


def _configuration(*, trainer: bool, cores_a_device: set[int]) -> Mapping[str, Any]:
    """Returns the controller's configuration.

    Topology-aware scheduling is on in this version without being asked for. What a job asks and no quota covers is
    refused, but for space on local disks, of which the queue knows nothing. A job without a queue's label waits too:
    it would take nodes that the queue has promised to others. The selector keeps that to the jobs' namespace.

    A job that lost a node keeps its place while another is looked for. By default it is looked for once, and a job on
    all nodes of a group, which has no other until the broken one is replaced, would go to the queue's end at once.

    Source: kubernetes-sigs/kueue at v0.19.2, apis/config/v1beta2/configuration_types.go and defaults.go,
    pkg/features/kube_features.go (TopologyAwareScheduling: beta, on since 0.14; TASFailedNodeReplacementFailFast: beta,
    on since 0.14), pkg/scheduler/scheduler.go, handleFailedTASReplacement.
    """
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
        "waitForPodsReady": {"timeout": _READY, "recoveryTimeout": _READY_AGAIN, "blockAdmission": False},
        "featureGates": {"TASFailedNodeReplacementFailFast": False},
        "integrations": {"frameworks": ["batch/job", *(_TRAINER_KINDS if trainer else ())]},
        "resources": {
            "excludeResourcePrefixes": ["ephemeral-storage"],
            **({"transformations": _cores_of_devices(cores_a_device)} if len(cores_a_device) == 1 else {}),
        },
    }


_TRAINER_KINDS = ("jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob")


def _cores_of_devices(cores_a_device: set[int]) -> list[dict[str, Any]]:
    """Returns the rule by which whoever takes devices takes their cores, so that nobody is promised them twice.

    The rule is one for the whole cluster, so it can be only where all devices have as many cores.

    Source: kubernetes-sigs/kueue at v0.19.2, apis/config/v1beta2/configuration_types.go, ResourceTransformation.
    """
    return [
        {"input": NEURON_DEVICE, "strategy": "Retain", "outputs": {NEURON_CORE: str(cores)}} for cores in cores_a_device
    ]
