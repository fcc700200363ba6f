"""What a job leaves open: its framework, its node group, and how many nodes and devices it takes."""

from trnstack.jobs import request as kinds
from trnstack.jobs.request import JobRequest
from trnstack.layout.interfaces import Interface
from trnstack.plan import Plan
from trnstack.plan.model import FleetPlan
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup


def framework_of(environment: Environment, request: JobRequest) -> str:
    """Returns the framework that a job is written in."""
    return request.framework or environment.neuron.framework


def group_of(environment: Environment, request: JobRequest) -> NodeGroup | None:
    """Returns the node group that a job runs on; None where there is none of that name."""
    if request.node_group is None:
        return environment.node_groups[0]
    return next((group for group in environment.node_groups if group.name == request.node_group), None)


def fleet_of(plan: Plan, group: NodeGroup) -> FleetPlan:
    """Returns what jobs may ask of a node group."""
    return next(fleet for fleet in plan.kubernetes.fleets if fleet.name == group.name)


def has_efa(plan: Plan, fleet: FleetPlan) -> bool:
    """Tells whether a node group's nodes have EFA."""
    return any(interface.is_efa for interface in _interfaces(plan, fleet))


def nodes_of(plan: Plan, fleet: FleetPlan, request: JobRequest) -> int:
    """Returns how many nodes a job takes.

    What compiles or trains takes as many as train by the plan, what measures all that there are, and the rest one.
    Without a file system one node trains, so one measures the way of its checkpoints. Of a fleet that grows by hand
    those that are always there are counted; of a block, all.
    """
    if request.nodes is not None:
        return request.nodes
    scaling = next(group.scaling for group in plan.node_groups if group.name == fleet.name)
    there = scaling.desired or scaling.maximum
    alone = request.devices not in (None, fleet.neuron_devices) or not has_efa(plan, fleet)
    match request.kind:
        case kinds.CHECKPOINT_IO if plan.kubernetes.mount_path:
            return there
        case kinds.COLLECTIVES if not alone:
            return there
        case kinds.TRAIN | kinds.PRECOMPILE if not alone and plan.kubernetes.mount_path:
            return min(there, plan.training.checkpoint.nodes) if plan.training else there
    return 1


def priority_of(request: JobRequest) -> str:
    """Returns a job's place in the queue: what measures lets what trains go before, whose nodes may come back late."""
    if request.priority is not None:
        return request.priority
    return "training-normal" if request.kind in (kinds.TRAIN, kinds.PRECOMPILE) else "training-low"


def devices_of(fleet: FleetPlan, request: JobRequest) -> int:
    """Returns how many Neuron devices each pod of a job has."""
    return fleet.neuron_devices if request.devices is None else request.devices


def _interfaces(plan: Plan, fleet: FleetPlan) -> tuple[Interface, ...]:
    return next(group.launch_template.interfaces for group in plan.node_groups if group.name == fleet.name)
