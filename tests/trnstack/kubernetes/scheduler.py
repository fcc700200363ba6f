"""Which nodes take a pod: the filters of Kubernetes' scheduler that ask for labels and taints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trnstack.layout.taints import kubernetes_effect
from trnstack.plan.model import NodeGroupPlan

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
#: What keeps a pod away; ``PreferNoSchedule`` only makes another node the better one.
_KEEPS_AWAY = {"NoSchedule", "NoExecute"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as the scheduler sees it; effects of taints are in Kubernetes' spelling."""

    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, str]] = ()


def node_of(group: NodeGroupPlan) -> Node:
    """Returns a node of a node group, with the labels that kubelet and AWS's cloud provider give it as well.

    Source: Kubernetes documentation, "Well-Known Labels, Annotations and Taints".
    """
    known = {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": f"{group.name}-1",
        "node.kubernetes.io/instance-type": group.launch_template.instance_type,
        "topology.k8s.aws/zone-id": group.availability_zone_ids[0],
    }
    taints = [{"key": each.key, "value": each.value, "effect": kubernetes_effect(each.effect)} for each in group.taints]
    return Node(labels={**known, **group.labels}, taints=taints)


def takes(node: Node, pod: Mapping[str, Any]) -> bool:
    """Tells whether a pod may run on a node.

    Of the terms of an affinity one must hold, of a term all expressions; a term without any holds nowhere.

    Source: Kubernetes documentation, "Assigning Pods to Nodes" and "Taints and Tolerations".
    """
    selected = pod.get("nodeSelector") or {}
    if any(node.labels.get(key) != value for key, value in selected.items()):
        return False
    required = ((pod.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED)
    if required is not None and not any(_holds(term, node.labels) for term in required["nodeSelectorTerms"]):
        return False
    return tolerates_all(pod.get("tolerations") or (), node.taints)


def tolerates_all(tolerations: Sequence[Mapping[str, Any]], taints: Sequence[Mapping[str, str]]) -> bool:
    """Tells whether none of the taints keeps a pod with these tolerations away."""
    return all(
        any(_tolerates(toleration, taint) for toleration in tolerations)
        for taint in taints
        if taint["effect"] in _KEEPS_AWAY
    )


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, str]) -> bool:
    operator = toleration.get("operator") or "Equal"
    if operator not in {"Equal", "Exists"}:
        raise ValueError(f"unknown operator {operator}")
    if (toleration.get("effect") or taint["effect"]) != taint["effect"]:
        return False
    key = toleration.get("key") or ""
    if not key:
        # Kubernetes refuses an empty key beside any other operator.
        return bool(operator == "Exists")
    if key != taint["key"]:
        return False
    return operator == "Exists" or (toleration.get("value") or "") == (taint.get("value") or "")


def _holds(term: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if term.get("matchFields"):
        raise ValueError("matchFields name single nodes, which no chart can know")
    expressions = term.get("matchExpressions") or ()
    return bool(expressions) and all(
        _OPERATORS[each["operator"]](labels.get(each["key"]), each.get("values") or ()) for each in expressions
    )


_OPERATORS: Mapping[str, Callable[[str | None, Sequence[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, _: value is not None,
    "DoesNotExist": lambda value, _: value is None,
    "Gt": lambda value, values: value is not None and int(value) > int(values[0]),
    "Lt": lambda value, values: value is not None and int(value) < int(values[0]),
}
