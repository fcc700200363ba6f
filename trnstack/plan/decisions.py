"""Tells what was decided for a person and why, where the environment left it open or the answer may surprise."""

from collections.abc import Iterator

from ami.pins import Lock
from trnstack.catalog.effective import instance_type_of
from trnstack.layout.addresses import MINIMUM_IP_TARGET, WARM_IP_TARGET
from trnstack.plan.blocks import block_decisions
from trnstack.plan.images import image_decisions
from trnstack.plan.model import Decision, NodeGroupPlan
from trnstack.plan.network import network_decisions
from trnstack.plan.nodes import ULTRASERVER_LABEL, control_plane_zone_ids, is_reserved
from trnstack.plan.quotas import quota_decisions
from trnstack.plan.storage_decisions import storage_decisions
from trnstack.spec import Environment
from trnstack.spec.node_groups import NodeGroup


def decisions(environment: Environment, groups: tuple[NodeGroupPlan, ...], lock: Lock) -> Iterator[Decision]:
    """Yields every decision that is not obvious, in the order of the environment file."""
    yield from network_decisions(environment)
    yield Decision(
        path="eks.availability_zone_ids",
        value=", ".join(control_plane_zone_ids(environment)),
        reason="control plane and system nodes stay in the first two zones, so that zones can be added later",
    )
    yield Decision(
        path="eks.add_ons.vpc-cni",
        value=f"MINIMUM_IP_TARGET {MINIMUM_IP_TARGET}, WARM_IP_TARGET {WARM_IP_TARGET}",
        reason="left alone the VPC CNI keeps about 50 to 100 unused addresses on every node",
    )
    for index, (group, decided) in enumerate(zip(environment.node_groups, groups, strict=True)):
        yield from _node_group(f"node_groups[{index}]", group, decided)
    yield from quota_decisions(environment)
    yield from storage_decisions(environment)
    image = lock.images[environment.node_groups[0].name]
    if not image.custom:
        yield Decision(
            path="neuron.sdk",
            value=f"AMI release {image.release} with driver {image.neuron_driver}",
            reason=f"an EKS AMI release whose driver fits SDK {lock.neuron.sdk} containers",
        )
    yield from image_decisions(environment, lock)


def _node_group(path: str, group: NodeGroup, decided: NodeGroupPlan) -> Iterator[Decision]:
    template = decided.launch_template
    instance_type = instance_type_of(group)
    efa = sum(interface.is_efa for interface in template.interfaces)
    yield Decision(
        path=f"{path}.efa",
        value=f"{efa} EFA interfaces" if efa else "no EFA interface",
        reason=_efa_reason(group, efa, instance_type.efa_interfaces),
    )
    if group.placement_group == "auto":
        yield Decision(
            path=f"{path}.placement_group",
            value=template.placement_group,
            reason=_placement_reason(group, template.placement_group),
        )
    if group.ultraserver:
        yield Decision(
            path=f"{path}.ultraserver",
            value=f"{group.ultraserver.config} instances of one UltraServer, labelled {ULTRASERVER_LABEL}={group.name}",
            reason="one node group for each UltraServer, so that a job's pods can be kept to the NeuronLinks of one",
        )
    if decided.update_strategy == "MINIMAL":
        yield Decision(
            path=f"{path}.update_strategy",
            value="MINIMAL",
            reason="a reserved fleet has no spare capacity to start new nodes in before old ones stop",
        )
    if decided.block is not None:
        yield from block_decisions(path, decided.block)
    elif group.node_count is None:
        yield Decision(
            path=f"{path}.desired",
            value=str(decided.scaling.desired),
            reason="the group starts at min_count; any later edit of its counts sets the desired size back to this",
        )


def _efa_reason(group: NodeGroup, used: int, available: int) -> str:
    if not available:
        return f"{group.instance_type} has no EFA"
    if not used:
        return "efa: false; the network cards beyond the first stay unused"
    return "one on every network card: the first carries the node's address, the others are efa-only and take none"


def _placement_reason(group: NodeGroup, decided: str) -> str:
    if decided == "create":
        return "EFA latency depends on nodes being near to each other; a single node may get neighbours"
    if group.capacity.type == "capacity_block":
        return "EC2 places a block's instances near to each other by itself"
    if is_reserved(group):
        return "a new group would not be the one that the reservation was made in; name that one if there is one"
    return "without EFA nothing is gained by nodes being near to each other"
