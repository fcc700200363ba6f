"""Surveys what is in a cluster: releases and objects."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from rehearsal.survey.kubernetes_records import HelmRelease, KubernetesObject

Inside = Callable[[str], Mapping[str, Any]]
"""Gives what the cluster at an endpoint holds, as ``rehearsal.kubernetes.view`` shows it."""

#: What every cluster has from the start.
_FIRST = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})


def nothing(_: str) -> Mapping[str, Any]:
    """Gives what an empty cluster holds."""
    return {"releases": [], "objects": []}


def releases(found: Mapping[str, Any]) -> tuple[HelmRelease, ...]:
    """Gives the releases of what a cluster holds, by namespace and name."""
    counts = Counter(each["release"] for each in found["objects"])
    return tuple(
        HelmRelease(
            **{**each, "images": tuple(each["images"])},
            objects=counts[f"{each['namespace']}/{each['name']}"],
        )
        for each in found["releases"]
    )


def objects(found: Mapping[str, Any]) -> tuple[KubernetesObject, ...]:
    """Gives the objects of what a cluster holds that neither belong to a release nor come with every cluster."""
    own = (each["content"] for each in found["objects"] if each["release"] is None)
    made = (
        KubernetesObject(each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"], each)
        for each in own
    )
    return tuple(each for each in made if not (each.kind == "Namespace" and each.name in _FIRST))
