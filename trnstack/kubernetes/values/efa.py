"""The values of aws-efa-k8s-device-plugin."""

from collections.abc import Mapping
from typing import Any

from ami.pins import ChartPin
from trnstack.kubernetes.values.containers import container
from trnstack.kubernetes.values.placement import EVERY_TAINT


def values(pin: ChartPin, *, image_mirror: str | None, label: str) -> Mapping[str, Any]:
    """Returns the chart's values: in place of a list of instance types it selects nodes by the label of those with EFA.

    The plugin crashes on a node without an EFA interface, whose type may be on that list.

    Source: aws/eks-charts at 5239609, stable/aws-efa-k8s-device-plugin, values.yaml and templates/daemonset.yaml;
    aws-samples/aws-efa-eks, issue 18.
    """
    return {
        "image": container(pin, "aws-efa-k8s-device-plugin", image_mirror).image,
        "supportedInstanceLabels": {"keys": [label], "values": ["true"]},
        "nodeSelector": {label: "true"},
        "tolerations": EVERY_TAINT,
    }
