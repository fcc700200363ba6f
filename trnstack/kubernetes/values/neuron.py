"""The values of neuron-helm-chart: device plugin, node problem detection and the Neuron scheduler."""

from collections.abc import Mapping, Sequence
from typing import Any

from ami.pins import ChartPin
from trnstack.kubernetes.names import NEURON_LABEL, NEURON_SCHEDULER, SYSTEM_SELECTOR
from trnstack.kubernetes.values.containers import container
from trnstack.kubernetes.values.placement import EVERY_TAINT, selects

#: Where the chart wants the scheduler's extension: its address, with this namespace, is fixed in the configuration of
#: the scheduler that asks it.
NAMESPACE = "kube-system"


def values(
    pin: ChartPin, *, image_mirror: str | None, instance_types: Sequence[str], scheduler: bool
) -> Mapping[str, Any]:
    """Returns the chart's values.

    Node problem detection selects nodes by the list of instance types, which can't be taken out, and by our label; the
    device plugin by our label alone. The container that would replace nodes always starts beside it; without
    ``nodeRecovery`` it watches and replaces none, since EKS repairs nodes itself.

    Args:
        pin: The chart's pin.
        image_mirror: The registry and prefix of the mirror, if any.
        instance_types: The types of the cluster's accelerator nodes.
        scheduler: Whether the Neuron scheduler runs.

    Source: aws-neuron/neuron-helm-charts at b77a6f90, charts/neuron-helm-chart/values.yaml, and at f63c2ceb,
    templates/npd/npd-daemonset.yaml; AWS Neuron documentation, "Deploy Neuron Node Problem Detector and Recovery".
    """
    return {
        "neuronInstances": list(instance_types),
        "devicePlugin": {
            "image": container(pin, "neuron-device-plugin", image_mirror).image,
            "nodeSelector": {NEURON_LABEL: "true"},
            "affinity": selects(NEURON_LABEL),
            "tolerations": EVERY_TAINT,
            "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}},
        },
        "npd": {
            "namespaceOverride": NAMESPACE,
            "priorityClassName": "system-node-critical",
            "nodeSelector": {NEURON_LABEL: "true"},
            "tolerations": EVERY_TAINT,
            "nodeProblemDetector": {"image": container(pin, "node-problem-detector", image_mirror).image},
            "nodeRecovery": {
                "enabled": False,
                "image": container(pin, "neuron-node-recovery", image_mirror).image,
            },
        },
        "scheduler": _scheduler(pin, image_mirror) if scheduler else {"enabled": False},
    }


def _scheduler(pin: ChartPin, image_mirror: str | None) -> Mapping[str, Any]:
    """Returns the values of the extension, one of which decides, and of the scheduler that asks it, of which two run.

    Of the extension the chart wants one at a time: it starts a new one when the old one is gone.

    Source: as above, ``scheduler.strategy``.
    """
    return {
        "enabled": True,
        "image": container(pin, "neuron-scheduler", image_mirror).image,
        "nodeSelector": SYSTEM_SELECTOR,
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}},
        "customScheduler": {
            "fullnameOverride": NEURON_SCHEDULER,
            "image": container(pin, "kube-scheduler", image_mirror).image,
            "replicaCount": 2,
            "nodeSelector": SYSTEM_SELECTOR,
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
        },
    }
