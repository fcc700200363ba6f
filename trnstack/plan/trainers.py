"""Finds the nodes that train, and what each of them reaches of the file system."""

from dataclasses import dataclass

from trnstack.catalog import CHIPS, InstanceType
from trnstack.catalog.effective import known_instance_type_of
from trnstack.layout.lustre import FileSystem, client_mbps
from trnstack.layout.lustre_clients import reaches_by_efa
from trnstack.plan.nodes import uses_efa
from trnstack.plan.storage import figures_of, in_its_zone
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup
from trnstack.spec.storage import Lustre
from trnstack.spec.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Trainers:
    """The nodes of one instance type that a training run takes.

    Attributes:
        group, instance_type: A node group of them, and the type.
        nodes: How many nodes train.
        model_nodes: Over how many of them one copy of the model is spread.
    """

    group: NodeGroup
    instance_type: InstanceType
    nodes: int
    model_nodes: int


def trainers(environment: Environment) -> Trainers | None:
    """Returns the nodes that train; None without a training run, or where no group of a known type has a size.

    Node groups of one type are one fleet. Of several fleets it is the one whose cores the degrees of parallelism
    divide, else the largest.
    """
    fleets: dict[str, Trainers] = {}
    fitting: list[str] = []
    if environment.training is None:
        return None
    for name, groups in _by_type(environment).items():
        (group, row), nodes = groups[0], sum(group.largest_count for group, _ in groups)
        fleets[name] = _trainers(environment.training, group, row, nodes)
        if _cores_a_node(group, row) * nodes % _model_cores(environment.training) == 0:
            fitting.append(name)
    candidates = [fleets[name] for name in fitting or fleets]
    return max(candidates, key=lambda each: _cores_a_node(each.group, each.instance_type) * each.nodes, default=None)


def _by_type(environment: Environment) -> dict[str, list[tuple[NodeGroup, InstanceType]]]:
    groups: dict[str, list[tuple[NodeGroup, InstanceType]]] = {}
    for group in environment.node_groups:
        row = known_instance_type_of(group)
        if row and group.largest_count:
            groups.setdefault(row.name, []).append((group, row))
    return groups


def _trainers(training: Training, group: NodeGroup, row: InstanceType, nodes: int) -> Trainers:
    a_node, data = max(1, _cores_a_node(group, row)), training.parallelism.data
    if data != "auto":
        nodes = min(nodes, -(-_model_cores(training) * data // a_node))
    model_nodes = min(nodes, -(-_model_cores(training) // a_node))
    return Trainers(group=group, instance_type=row, nodes=nodes, model_nodes=model_nodes)


def _model_cores(training: Training) -> int:
    return training.parallelism.tensor * training.parallelism.pipeline


def _cores_a_node(group: NodeGroup, row: InstanceType) -> int:
    chip = CHIPS[row.chip]
    per_core = group.logical_neuroncore_config or chip.default_logical_neuroncore_config or 1
    return row.neuron_devices * chip.physical_cores // per_core


def file_system_of(lustre: Lustre | None) -> FileSystem | None:
    """Returns what a file system's figures follow from; None without one, or where an adopted one is not described."""
    return None if lustre is None or lustre.undescribed else figures_of(lustre)


def reach_mbps(environment: Environment, file_system: FileSystem, group: NodeGroup, row: InstanceType) -> int:
    """Returns what one node of a group sends to a file system or reads from it, MB/s; by TCP from another zone."""
    by_card = uses_efa(group, row) and in_its_zone(environment, group)
    card_gbps, interfaces = row.network_card_gbps, row.efa_interfaces if by_card else 0
    by_efa = card_gbps is not None and reaches_by_efa(row.name, efa_interfaces=interfaces)
    return client_mbps(
        file_system, card_gbps=card_gbps, efa_gbps=interfaces * card_gbps if by_efa and card_gbps else None
    )


def fleet_reach_mbps(environment: Environment, file_system: FileSystem) -> int | None:
    """Returns what all nodes together reach of a file system, MB/s; None where a group's type or size is unknown."""
    reach = 0
    for group in environment.node_groups:
        row = known_instance_type_of(group)
        if row is None or not group.largest_count:
            return None
        reach += group.largest_count * reach_mbps(environment, file_system, group, row)
    return reach
