"""The part of the plan that runs in the cluster: charts, queues, and what jobs are told."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trnstack.plan.model.nodes import TaintPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlan:
    """A Helm chart, installed.

    Attributes:
        name: The release's name.
        chart, version: The chart.
        namespace: Where it is installed; made where it is not there.
        archive: The chart's archive, a path relative to the environment file's folder: ``charts/kueue-0.19.2.tgz``.
        archive_digest: ``sha256:...`` of the archive's bytes, or ``unresolved``.
        left_out: The files of the archive that are not handed to Helm, each with the object that is instead.
        definitions: The archive's folders with resource definitions that Helm makes once, and never changes.
        values: The values that differ from the chart's own; containers by tag and digest.
        after: The releases that must stand before it.
    """

    name: str
    chart: str
    version: str
    namespace: str
    archive: str
    archive_digest: str
    left_out: Mapping[str, Mapping[str, Any]]
    definitions: tuple[str, ...]
    values: Mapping[str, Any]
    after: tuple[str, ...]

    @property
    def content_digest(self) -> str:
        """``sha256:...`` by which what is handed to Helm is known: the archive's own, where all of it is."""
        if not self.left_out:
            return self.archive_digest
        stated = json.dumps([self.archive_digest, self.left_out], sort_keys=True)
        return f"sha256:{hashlib.sha256(stated.encode()).hexdigest()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPlan:
    """What jobs may ask of a node group.

    Attributes:
        name: The node group's name.
        instance_type: Its nodes' type.
        nodes: How many there are at most.
        node_labels: The labels by which a pod selects them.
        taints: Their taints, in EKS's spelling.
        neuron_devices, neuron_cores: What one node has; logical cores at the node's setting.
        logical_neuroncore_config: How many physical cores make a logical one; None where the chip has no choice. A
            container does not see the node's own setting, so jobs say it as well.
        whole_node: What a pod asks that has a node to itself, as Kubernetes quantities by resource name; requests and
            limits alike.
        shared_memory: The size of such a pod's ``/dev/shm``, a part of its memory.
    """

    name: str
    instance_type: str
    nodes: int
    node_labels: Mapping[str, str]
    taints: tuple[TaintPlan, ...]
    neuron_devices: int
    neuron_cores: int
    logical_neuroncore_config: int | None
    whole_node: Mapping[str, str]
    shared_memory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorPlan:
    """What the queue may hand out of one node group.

    Attributes:
        name: The ResourceFlavor's name: the node group's, with a word for the topology where it is not by the network's
            layers, since a flavor's topology can't be changed.
        node_group: The node group's name.
        node_labels: The labels that its nodes have.
        taints: Their taints, in EKS's spelling.
        topology: The name of the topology by which jobs are placed on its nodes.
        levels: That topology's levels, as labels from the widest to the node itself.
        quotas: What all its nodes hold, as Kubernetes quantities by resource name.
    """

    name: str
    node_group: str
    node_labels: Mapping[str, str]
    taints: tuple[TaintPlan, ...]
    topology: str
    levels: tuple[str, ...]
    quotas: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePlan:
    """The queue that jobs are put into.

    Attributes:
        cluster_queue, local_queue: Its names, for the cluster and in the jobs' namespace.
        flavors: What it hands out, in the order in which it tries.
    """

    cluster_queue: str
    local_queue: str
    flavors: tuple[FlavorPlan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesPlan:
    """What runs in the cluster beside the add-ons.

    Attributes:
        delivery: ``cdk``, the stack applies it, or ``gitops``, it is rendered for a repository.
        stack: The name of the stack that applies it; None with ``gitops``.
        namespace, service_account: Where jobs run, and as whom.
        releases: The charts, in an order in which they can be installed.
        fleets: What jobs may ask of the node groups, in the order of the environment file.
        priorities: The priority classes by name, of pods and of workloads in the queue, with their values.
        queue: None without Kueue.
        runtimes: The names of Kubeflow Trainer's runtimes; empty without it.
        job_environment: The environment variables that every job gets, in the config map; deploy-time values are marks.
        mount_path: Where the file system is mounted in pods; None without one.
        bucket_claims: The claims by which pods see the checkpoint bucket as files, with the prefix that each shows,
            empty for all of it; none without Mountpoint for S3.
        neuron_scheduler: The name of the scheduler that hands out neighbouring devices; None without it.
    """

    delivery: str
    stack: str | None
    namespace: str
    service_account: str
    releases: tuple[ReleasePlan, ...]
    fleets: tuple[FleetPlan, ...]
    priorities: Mapping[str, int]
    queue: QueuePlan | None
    runtimes: tuple[str, ...]
    job_environment: Mapping[str, str]
    mount_path: str | None
    bucket_claims: Mapping[str, str]
    neuron_scheduler: str | None
