"""The values of kubeflow-trainer, and of the chart jobset that it brings along."""

from collections.abc import Mapping
from typing import Any

from ami.pins import ChartPin
from trnstack.kubernetes.names import SYSTEM_SELECTOR
from trnstack.kubernetes.values.containers import container


def values(pin: ChartPin, *, image_mirror: str | None) -> Mapping[str, Any]:
    """Returns the chart's values: both controllers twice, on system nodes.

    The chart's own runtimes are for other hardware, and a job that installs kubectl from the Internet would apply them;
    they are off by default and so is the job.

    Source: kubeflow/trainer at v2.3.0, charts/kubeflow-trainer, values.yaml, templates/_helpers.tpl and
    templates/runtimes; kubernetes-sigs/jobset at v0.12.0, charts/jobset/values.yaml.
    """
    return {
        "image": container(pin, "trainer-controller-manager", image_mirror).registry_image,
        "manager": {
            "replicas": 2,
            "nodeSelector": SYSTEM_SELECTOR,
            "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        },
        "runtimes": {"defaultEnabled": False},
        "jobset": {
            # The chart's own default, said again since the Secret in ``ami/charts.yaml`` has it in its name.
            "fullnameOverride": "jobset",
            "image": {**container(pin, "jobset", image_mirror).image, "pullPolicy": "IfNotPresent"},
            "controller": {
                "replicas": 2,
                "nodeSelector": SYSTEM_SELECTOR,
                "podDisruptionBudget": {"enabled": True},
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            },
        },
    }
