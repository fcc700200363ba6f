"""The cluster's objects: what stands beside the charts, as data, in the order in which it can be applied."""

from collections.abc import Iterator
from dataclasses import dataclass

from trnstack.kubernetes.objects import Object
from trnstack.kubernetes.objects.access import access
from trnstack.kubernetes.objects.queue import priority_classes, queue
from trnstack.kubernetes.objects.runtimes import runtime
from trnstack.kubernetes.objects.storage import storage
from trnstack.kubernetes.objects.surroundings import config_map, namespace, service_account
from trnstack.plan.model import Plan

_NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Objects that are applied and removed together.

    Attributes:
        name: What it is called, in small letters: a construct's id and a file's name.
        after: The names of the manifests and releases that must stand before it.
        objects: Kubernetes objects as JSON has them; ``marks`` stand in strings for what only a deploy can tell.
    """

    name: str
    after: tuple[str, ...]
    objects: tuple[Object, ...]


def manifests(plan: Plan) -> tuple[Manifest, ...]:
    """Returns the objects of an environment's cluster, in an order in which they can be applied."""
    return tuple(manifest for manifest in _manifests(plan) if manifest.objects)


def _manifests(plan: Plan) -> Iterator[Manifest]:
    """Yields the objects; what is taken away goes the other way around.

    First go the queue's entry, the claims, the config map and the rights in the namespace, then the namespace with
    every job that is left in it, and behind it queue, flavors and runtimes, which jobs hold until then, while the
    controllers are there that close workloads.

    So jobs have to be ended before: a claim is not deleted while a pod mounts it, and the deletion waits for it until
    the function that does it is out of time. The claims can't go behind the namespace, in which they are made.

    Source: kubernetes-sigs/kueue at v0.19.2, pkg/controller/core (the finalizer ``kueue.x-k8s.io/resource-in-use``);
    kubeflow/trainer at v2.3.0, pkg/constants/constants.go (the same of runtimes); Kubernetes documentation,
    "Persistent Volumes", Storage Object in Use Protection; aws-cdk-lib, aws-eks-v2/kubectl-handler/apply (``kubectl
    delete`` as it is, which waits).
    """
    decided = plan.kubernetes
    cluster_wide, in_namespace = _parted(queue(plan, decided.queue) if decided.queue else ())
    yield Manifest(name="priorities", after=(), objects=priority_classes(decided.priorities))
    yield Manifest(name="queue", after=("kueue",), objects=cluster_wide)
    runtimes = tuple(runtime(plan, name) for name in decided.runtimes)
    yield Manifest(name="runtimes", after=("kubeflow-trainer",), objects=runtimes)
    controllers = tuple(each.name for each in decided.releases if each.name in {"kueue", "kubeflow-trainer"})
    kinds = (*(("queue",) if cluster_wide else ()), *(("runtimes",) if runtimes else ()))
    yield Manifest(name=_NAMESPACE, after=(*controllers, *kinds), objects=(namespace(plan),))
    yield Manifest(name="access", after=(_NAMESPACE,), objects=access(plan))
    yield Manifest(name="jobs", after=(_NAMESPACE,), objects=(service_account(plan), config_map(plan)))
    yield Manifest(name="storage", after=(_NAMESPACE,), objects=storage(plan))
    yield Manifest(name="local-queue", after=(_NAMESPACE, "queue"), objects=in_namespace)


def _parted(objects: tuple[Object, ...]) -> tuple[tuple[Object, ...], tuple[Object, ...]]:
    """Returns the objects of the cluster, and those of a namespace."""
    inside = tuple(each for each in objects if "namespace" in each["metadata"])
    return tuple(each for each in objects if each not in inside), inside
