"""Decides what runs in the cluster beside the add-ons: charts, queues, and what jobs are told."""

from collections.abc import Mapping
from typing import Any

from ami.archives import relative_path
from ami.pins import Lock
from trnstack.catalog import CHIPS
from trnstack.catalog.effective import instance_type_of
from trnstack.kubernetes import names
from trnstack.kubernetes.values import efa, kueue, neuron, trainer
from trnstack.layout.pods import NodeRoom, node_room
from trnstack.plan.cluster import (
    EFA_CHART,
    KUEUE_CHART,
    NEURON_CHART,
    TRAINER_CHART,
    chart_names,
    uses_neuron_scheduler,
)
from trnstack.plan.job_environment import job_environment
from trnstack.plan.model import (
    FlavorPlan,
    FleetPlan,
    KubernetesPlan,
    NodeGroupPlan,
    QueuePlan,
    ReleasePlan,
    StoragePlan,
)
from trnstack.plan.nodes import EFA_LABEL, ULTRASERVER_LABEL
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup

#: The namespaces in which charts are installed: the authors' own, and where all of a node's agents are.
NAMESPACES = {
    NEURON_CHART: neuron.NAMESPACE,
    EFA_CHART: "kube-system",
    KUEUE_CHART: "kueue-system",
    TRAINER_CHART: "kubeflow-system",
}


def kubernetes(
    environment: Environment, lock: Lock, groups: tuple[NodeGroupPlan, ...], storage: StoragePlan
) -> KubernetesPlan:
    """Returns what runs in the cluster, with everything in it decided."""
    section = environment.kubernetes
    pairs = tuple(zip(environment.node_groups, groups, strict=True))
    return KubernetesPlan(
        delivery=section.delivery,
        stack=f"{environment.name}-kubernetes" if section.delivery == "cdk" else None,
        namespace=names.NAMESPACE,
        service_account=names.SERVICE_ACCOUNT,
        releases=releases(environment, lock, groups),
        fleets=tuple(_fleet(group, decided) for group, decided in pairs),
        priorities=names.PRIORITIES,
        queue=_queue(pairs) if section.kueue else None,
        runtimes=_runtimes(environment, lock),
        job_environment=job_environment(environment, groups, storage),
        mount_path=storage.lustre.mount_path if storage.lustre else None,
        bucket_claims=_bucket_claims(storage.checkpoints.job_prefixes) if section.s3_csi else {},
        neuron_scheduler=names.NEURON_SCHEDULER if uses_neuron_scheduler(environment) else None,
    )


def releases(environment: Environment, lock: Lock, groups: tuple[NodeGroupPlan, ...]) -> tuple[ReleasePlan, ...]:
    """Returns the charts, in an order in which they can be installed: Kueue after the kinds that it queues."""
    installed = chart_names(environment)
    ordered = sorted(installed, key=lambda name: name == KUEUE_CHART)
    values = _values(environment, lock, groups)
    return tuple(
        _release(name, lock, values[name], after=(TRAINER_CHART,) if name == KUEUE_CHART else (), installed=installed)
        for name in ordered
    )


def _release(
    name: str, lock: Lock, values: Mapping[str, Any], *, after: tuple[str, ...], installed: tuple[str, ...]
) -> ReleasePlan:
    from ami import tables  # noqa: PLC0415 - reads a file that only an environment with charts needs

    pin, row = lock.charts[name], tables.charts()[name]
    return ReleasePlan(
        name=name,
        chart=name,
        version=pin.version,
        namespace=NAMESPACES[name],
        archive=relative_path(name, pin.version),
        archive_digest=pin.archive,
        left_out={path: dict(instead) for path, instead in row.left_out.items()},
        definitions=row.definitions,
        values=values,
        after=tuple(other for other in after if other in installed),
    )


def _values(environment: Environment, lock: Lock, groups: tuple[NodeGroupPlan, ...]) -> Mapping[str, Mapping[str, Any]]:
    pins, mirror = lock.charts, environment.network.image_mirror
    types = tuple(dict.fromkeys(group.instance_type for group in environment.node_groups))
    found = {
        NEURON_CHART: neuron.values(
            pins[NEURON_CHART],
            image_mirror=mirror,
            instance_types=types,
            scheduler=uses_neuron_scheduler(environment),
        )
    }
    if EFA_CHART in pins:
        found[EFA_CHART] = efa.values(pins[EFA_CHART], image_mirror=mirror, label=EFA_LABEL)
    if TRAINER_CHART in pins:
        found[TRAINER_CHART] = trainer.values(pins[TRAINER_CHART], image_mirror=mirror)
    if KUEUE_CHART in pins:
        found[KUEUE_CHART] = kueue.values(
            pins[KUEUE_CHART],
            image_mirror=mirror,
            trainer=environment.kubernetes.kubeflow_trainer,
            cores_a_device=tuple(group.neuron_cores // group.neuron_devices for group in groups),
        )
    return found


def _runtimes(environment: Environment, lock: Lock) -> tuple[str, ...]:
    """Returns the runtime of the environment's framework, where Trainer runs and the release has a container for it."""
    if not environment.kubernetes.kubeflow_trainer or lock.neuron.container is None:
        return ()
    return (names.RUNTIMES[environment.neuron.framework],)


def _bucket_claims(prefixes: tuple[str, ...]) -> Mapping[str, str]:
    """Returns a claim for each prefix that jobs may use, numbered from the second on; one for all of the bucket."""
    numbered = enumerate(prefixes or ("",), start=1)
    return {names.BUCKET_VOLUME + (f"-{number}" if number > 1 else ""): prefix for number, prefix in numbered}


def _room(group: NodeGroup, decided: NodeGroupPlan) -> NodeRoom:
    row = instance_type_of(group)
    efa_interfaces = sum(interface.is_efa for interface in decided.launch_template.interfaces)
    return node_room(vcpus=row.vcpus, memory_gib=row.memory_gib, most_pods=decided.most_pods, efa=efa_interfaces > 0)


def _fleet(group: NodeGroup, decided: NodeGroupPlan) -> FleetPlan:
    room = _room(group, decided)
    return FleetPlan(
        name=group.name,
        instance_type=group.instance_type,
        nodes=decided.scaling.maximum,
        node_labels={names.NODE_GROUP_LABEL: group.name},
        taints=decided.taints,
        neuron_devices=decided.neuron_devices,
        neuron_cores=decided.neuron_cores,
        logical_neuroncore_config=_logical_config(group),
        whole_node={
            names.NEURON_DEVICE: str(decided.neuron_devices),
            **_efa_resources(decided, huge_pages_mib=room.pod_huge_pages_mib, nodes=1),
            "cpu": str(room.pod_cores),
            "memory": f"{room.pod_memory_gib}Gi",
        },
        shared_memory=f"{room.shared_memory_gib}Gi",
    )


def _logical_config(group: NodeGroup) -> int | None:
    chip = CHIPS[instance_type_of(group).chip]
    if len(chip.logical_neuroncore_configs) == 1:
        return None
    return group.logical_neuroncore_config or chip.default_logical_neuroncore_config


def _efa_resources(decided: NodeGroupPlan, *, huge_pages_mib: int, nodes: int) -> dict[str, str]:
    interfaces = sum(interface.is_efa for interface in decided.launch_template.interfaces)
    if not interfaces:
        return {}
    return {names.EFA_INTERFACE: str(interfaces * nodes), names.HUGE_PAGES: f"{huge_pages_mib * nodes}Mi"}


def _queue(pairs: tuple[tuple[NodeGroup, NodeGroupPlan], ...]) -> QueuePlan:
    return QueuePlan(
        cluster_queue=names.CLUSTER_QUEUE,
        local_queue=names.LOCAL_QUEUE,
        flavors=tuple(_flavor(group, decided) for group, decided in pairs),
    )


def _flavor(group: NodeGroup, decided: NodeGroupPlan) -> FlavorPlan:
    """Returns what the queue hands out of a node group: what its nodes hold when there are as many as can be.

    Cores and memory are what the type has less what the kubelet keeps, which is more than a node has by what its kernel
    takes; the topology, which looks at the nodes themselves, keeps to what there is.

    Source: kubernetes-sigs/kueue at v0.19.2, pkg/scheduler/flavorassigner/tas_flavorassigner.go.
    """
    room, nodes = _room(group, decided), decided.scaling.maximum
    topology, levels = _topology(group)
    return FlavorPlan(
        name=_flavor_name(group.name, topology),
        node_group=group.name,
        node_labels={names.NODE_GROUP_LABEL: group.name},
        taints=decided.taints,
        topology=topology,
        levels=levels,
        quotas={
            names.NEURON_DEVICE: str(decided.neuron_devices * nodes),
            names.NEURON_CORE: str(decided.neuron_cores * nodes),
            **_efa_resources(decided, huge_pages_mib=room.huge_pages_mib, nodes=nodes),
            "cpu": f"{room.millicores * nodes}m",
            "memory": f"{room.memory_mib * nodes}Mi",
        },
    )


def _flavor_name(group: str, topology: str) -> str:
    """Returns a flavor's name: another topology makes another flavor, beside the old one until the queue has let it go.

    Node groups have no dot in their names.

    Source: kubernetes-sigs/kueue at v0.19.2, apis/kueue/v1beta2/resourceflavor_types.go: a flavor's topology is fixed.
    """
    return group if topology == names.TOPOLOGY else f"{group}.{topology.removeprefix(f'{names.TOPOLOGY}-')}"


def _topology(group: NodeGroup) -> tuple[str, tuple[str, ...]]:
    """Returns a topology's name and levels. A node that lacks the label of a level is none that the queue would choose.

    The instances of an UltraServer are told by its label alone: whether they are under one node of the network's last
    layer is not published, and levels are read from the widest down.

    Source: kubernetes/cloud-provider-aws, pkg/providers/v1/topology.go: EKS writes the layers on the nodes as labels,
    of the types of which EC2 tells them; kubernetes-sigs/kueue at v0.19.2, Topology Aware Scheduling.
    """
    if group.ultraserver:
        return names.ULTRASERVER_TOPOLOGY, (ULTRASERVER_LABEL, names.HOSTNAME)
    if instance_type_of(group).network_layers:
        return names.TOPOLOGY, (*names.NETWORK_LAYERS, names.HOSTNAME)
    return names.NODE_TOPOLOGY, (names.HOSTNAME,)
