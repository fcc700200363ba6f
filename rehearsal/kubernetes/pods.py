"""The pods that objects start: their images, and whether there are nodes for them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rehearsal.kubernetes.kinds import Object


@dataclass(frozen=True, slots=True)
class Nodes:
    """Nodes that are alike.

    Attributes:
        count: How many there are.
        labels: Their labels.
        taints: Their taints, as EKS's API writes them.
    """

    count: int
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, str]]


#: EKS's words for what a taint does. Source: EKS API reference, Taint.
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}


def images(objects: Iterable[Object]) -> tuple[str, ...]:
    """Returns the images that objects start, each once, in the order of their names."""
    found = {container["image"] for each in objects for pod in _pod_specs(each) for container in _containers(pod)}
    return tuple(sorted(found))


def unplaced(objects: Iterable[Object], nodes: Sequence[Nodes]) -> Iterator[str]:
    """Yields the deployments for which there is no node, as ``Deployment/NAME``.

    A DaemonSet without nodes is ready, as it wants no pod.
    """
    for each in objects:
        if each["kind"] != "Deployment" or each["spec"].get("replicas") == 0:
            continue
        pod = each["spec"]["template"]["spec"]
        if not any(_takes(some, pod) for some in nodes if some.count):
            yield f"Deployment/{each['metadata']['name']}"


def waiting(objects: Iterable[Object], is_there: Callable[[str, str], bool]) -> Iterator[str]:
    """Yields the deployments whose pods don't start, as ``Deployment/NAME``, since what they mount is not there.

    Args:
        objects: The objects of a release.
        is_there: Says whether there is an object of a kind and a name in the release's namespace.

    Source: Kubernetes documentation, "Secrets", Optional Secrets.
    """
    for each in objects:
        if each["kind"] == "Deployment" and not all(
            is_there(*one) for pod in _pod_specs(each) for one in _mounted(pod)
        ):
            yield f"Deployment/{each['metadata']['name']}"


def _mounted(pod: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for volume in pod.get("volumes") or ():
        for kind, source, key in (("Secret", "secret", "secretName"), ("ConfigMap", "configMap", "name")):
            mounted = volume.get(source) or {}
            if mounted.get(key) and not mounted.get("optional"):
                yield kind, mounted[key]


def _takes(nodes: Nodes, pod: Mapping[str, Any]) -> bool:
    selected = {**(pod.get("nodeSelector") or {})}
    labels = {**nodes.labels, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    tolerations = pod.get("tolerations") or ()
    kept_away = [taint for taint in nodes.taints if taint["effect"] != "PREFER_NO_SCHEDULE"]
    return all(labels.get(key) == value for key, value in selected.items()) and all(
        any(_tolerates(each, taint) for each in tolerations) for taint in kept_away
    )


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, str]) -> bool:
    """Says whether a toleration is for a taint.

    Source: Kubernetes documentation, "Taints and Tolerations".
    """
    if toleration.get("effect", "") not in {"", None, _EFFECTS[taint["effect"]]}:
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return toleration.get("key", "") in {"", None, taint["key"]}
    return (toleration.get("key"), toleration.get("value", "")) == (taint["key"], taint.get("value", ""))


def _pod_specs(found: Object) -> Iterator[Mapping[str, Any]]:
    spec = found.get("spec") or {}
    match found["kind"]:
        case "Pod":
            yield spec
        case "Deployment" | "DaemonSet" | "StatefulSet" | "ReplicaSet" | "Job":
            yield spec["template"]["spec"]
        case "CronJob":
            yield spec["jobTemplate"]["spec"]["template"]["spec"]


def _containers(pod: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from pod.get("initContainers") or ()
    yield from pod.get("containers") or ()
