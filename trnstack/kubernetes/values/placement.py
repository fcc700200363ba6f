"""Where the pods of charts run, in the words of Kubernetes."""

from typing import Any

#: For what every node of a fleet must run: whatever taints the node group has, and those that are set by hand, or for
#: maintenance. The label that it selects by keeps it to its nodes.
EVERY_TAINT: list[dict[str, str]] = [{"operator": "Exists"}]


def selects(label: str) -> dict[str, Any]:
    """Returns the affinity to nodes on which a label is true."""
    expression = {"key": label, "operator": "In", "values": ["true"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def spread(labels: dict[str, str]) -> list[dict[str, Any]]:
    """Returns the wish that pods with these labels stand on different nodes."""
    return [
        {
            "maxSkew": 1,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": labels},
        }
    ]
