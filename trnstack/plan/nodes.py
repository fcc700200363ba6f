"""Decides node groups: where they stand, what they start from, how they change."""

from ami.pins import ENVIRONMENT_TAG, RECIPE_TAG, RECIPE_VERSION_TAG, SYSTEM, Lock
from trnstack.catalog import CHIPS, SYSTEM_INSTANCE_TYPES, InstanceType
from trnstack.catalog.effective import instance_type_of
from trnstack.kubernetes.names import NEURON_LABEL, NODE_GROUP_LABEL
from trnstack.layout.addresses import NodeAddresses, most_pods, node_addresses
from trnstack.layout.interfaces import Interface, interfaces
from trnstack.layout.user_data import user_data
from trnstack.plan.blocks import block, block_scaling
from trnstack.plan.joining import CUSTOM_AMI_TYPE, awaits_image, custom_image_id, joining
from trnstack.plan.model import LaunchTemplatePlan, NodeGroupPlan, RepairPlan, ScalingPlan, TaintPlan
from trnstack.plan.repair import repair
from trnstack.spec import Environment
from trnstack.spec.node_groups import CapacityBlock, CapacityReservation, NodeGroup

#: Set on nodes that have EFA, for what must run there and only there: the EFA device plugin crashes without a device.
EFA_LABEL = "trnstack/efa"
#: Set on the nodes of one UltraServer: which one they are, and how many of its instances work as one. The Neuron
#: operator, where it runs, adds what it finds on the nodes themselves (``neuron.amazonaws.com/ultraserver-...``).
ULTRASERVER_LABEL = "trnstack/ultraserver"
ULTRASERVER_CONFIG_LABEL = "trnstack/ultraserver-config"
SYSTEM_ROOT_VOLUME_GIB = 50
#: EKS wants two zones at least; they have to stay the same for as long as the cluster stands.
CONTROL_PLANE_ZONES = 2
#: The name of the cluster's own node group.
SYSTEM_NODE_GROUP = SYSTEM
#: The tags by which the toolkit says, beside the environment's, what belongs to what.
NODE_GROUP_TAG, KEEPER_TAG = "trnstack:node-group", "managed-by"
OWN_TAG_KEYS = frozenset({ENVIRONMENT_TAG, NODE_GROUP_TAG, KEEPER_TAG, RECIPE_TAG, RECIPE_VERSION_TAG})
KEEPER = "trnstack"
#: An update raises a group by up to twice the number of its zones, or by max_unavailable where that is more.
#: Source: EKS user guide, "Managed node group update behavior".
SURGE_PER_ZONE = 2
#: EKS's word for capacity that is not On-Demand.
_CAPACITY_TYPES = {"spot": "SPOT", "capacity_block": "CAPACITY_BLOCK"}
#: The interfaces of a node without EFA.
PLAIN = (Interface(network_card_index=0, device_index=0, interface_type="interface"),)


def control_plane_zone_ids(environment: Environment) -> tuple[str, ...]:
    """Returns the zones of the control plane and the system nodes: the first two of the list.

    Never more, so that a zone can be added later: EKS keeps a cluster to the zones that it was made in, and a node
    group to its subnets.

    Source: EKS API reference, UpdateClusterConfig, ``resourcesVpcConfig``: subnets of the same zones; CloudFormation
    reference, AWS::EKS::Nodegroup, ``Subnets``: replacement.
    """
    return environment.availability_zone_ids[:CONTROL_PLANE_ZONES]


def zone_of(environment: Environment, group: NodeGroup) -> str:
    """Returns the zone that a node group stands in."""
    return group.availability_zone_id or environment.availability_zone_ids[0]


def uses_efa(group: NodeGroup, instance_type: InstanceType) -> bool:
    """Tells whether the group's nodes get EFA interfaces."""
    return instance_type.efa_interfaces > 0 and group.efa is not False


def interfaces_of(group: NodeGroup, instance_type: InstanceType) -> tuple[Interface, ...]:
    """Returns the interfaces of each of the group's nodes."""
    return interfaces(instance_type, efa=uses_efa(group, instance_type))


def addresses_of(group: NodeGroup, instance_type: InstanceType) -> NodeAddresses:
    """Returns what the group takes from its subnet, an update's extra nodes included."""
    surge = 0 if is_reserved(group) else max(SURGE_PER_ZONE, group.max_unavailable)
    return node_addresses(interfaces_of(group, instance_type), largest_count=group.largest_count, surge_count=surge)


def system_addresses_of(environment: Environment) -> NodeAddresses:
    """Returns what the system nodes take from a subnet; all may start in one zone when the other has no capacity."""
    zones = control_plane_zone_ids(environment)
    largest_count = environment.eks.system_node_group.max_count
    return node_addresses(PLAIN, largest_count=largest_count, surge_count=SURGE_PER_ZONE * len(zones))


def is_reserved(group: NodeGroup) -> bool:
    """Tells whether the group's nodes start in a reservation, beside which there is nothing to surge into."""
    return isinstance(group.capacity, CapacityReservation | CapacityBlock)


def placement_group_of(group: NodeGroup, instance_type: InstanceType) -> str:
    """Returns ``create``, ``none``, or the name of an existing placement group.

    A group that is made on its own beside a reservation is one that the reservation was not made in, so the reserved
    capacity could not be used. How many nodes there are does not matter: if it did, the edit from one node to two would
    change the launch template beside the counts, and the node that runs would be replaced.
    """
    if group.placement_group != "auto":
        return group.placement_group
    near = uses_efa(group, instance_type) and instance_type.cluster_placement
    return "create" if near and not is_reserved(group) else "none"


def node_group(environment: Environment, group: NodeGroup, lock: Lock) -> NodeGroupPlan:
    """Returns an accelerator node group with everything decided."""
    instance_type = instance_type_of(group)
    zone_id = zone_of(environment, group)
    efa = uses_efa(group, instance_type)
    chip = CHIPS[instance_type.chip]
    per_core = group.logical_neuroncore_config or chip.default_logical_neuroncore_config or 1
    pin, image_id = lock.images[group.name], custom_image_id(lock, group)
    scaling = _scaling(group)
    return NodeGroupPlan(
        name=group.name,
        stack=f"{environment.name}-nodes-{group.name}",
        availability_zone_ids=(zone_id,),
        subnets=(f"nodes-{zone_id}",),
        ami_type=CUSTOM_AMI_TYPE if image_id else pin.ami_type,
        release_version=image_id or pin.release_version,
        kubernetes_version=None if image_id else environment.eks.kubernetes_version,
        custom_image=pin.custom.recipe if pin.custom else None,
        awaits_image=awaits_image(image_id),
        capacity_type=_CAPACITY_TYPES.get(group.capacity.type, "ON_DEMAND"),
        block=block(environment, group),
        scaling=scaling,
        launch_template=_launch_template(environment, group, instance_type, image_id),
        labels={**group.labels, **_own_labels(group, efa=efa)},
        taints=tuple(TaintPlan(key=taint.key, value=taint.value, effect=taint.effect) for taint in group.taints),
        max_unavailable=min(group.max_unavailable, scaling.maximum),
        update_strategy="MINIMAL" if is_reserved(group) else "DEFAULT",
        node_repair=repair(group),
        addresses=addresses_of(group, instance_type),
        most_pods=_most_pods(instance_type),
        efa_gbps=_efa_gbps(instance_type) if efa else 0,
        network_gbps=instance_type.network_gbps,
        neuron_devices=instance_type.neuron_devices,
        neuron_cores=instance_type.neuron_devices * chip.physical_cores // per_core,
    )


def _own_labels(group: NodeGroup, *, efa: bool) -> dict[str, str]:
    """Returns the labels that the toolkit sets beside the environment's."""
    labels = {NEURON_LABEL: "true", NODE_GROUP_LABEL: group.name}
    if efa:
        labels[EFA_LABEL] = "true"
    if group.ultraserver:
        labels |= {ULTRASERVER_LABEL: group.name, ULTRASERVER_CONFIG_LABEL: str(group.ultraserver.config)}
    return labels


def _most_pods(instance_type: InstanceType) -> int | None:
    interfaces, addresses = instance_type.interfaces_per_card, instance_type.ipv4_addresses_per_interface
    if interfaces is None or addresses is None:
        return None
    return most_pods(interfaces=interfaces, addresses_per_interface=addresses, vcpus=instance_type.vcpus)


def _efa_gbps(instance_type: InstanceType) -> float | None:
    card = instance_type.network_card_gbps
    return None if card is None else card * instance_type.efa_interfaces


def _scaling(group: NodeGroup) -> ScalingPlan:
    if isinstance(group.capacity, CapacityBlock):
        return block_scaling(group, group.capacity)
    if group.node_count is not None:
        return ScalingPlan(minimum=group.node_count, desired=group.node_count, maximum=max(group.node_count, 1))
    minimum, maximum = group.min_count or 0, group.max_count or 0
    return ScalingPlan(minimum=minimum, desired=minimum, maximum=max(maximum, 1))


def _launch_template(
    environment: Environment, group: NodeGroup, instance_type: InstanceType, image_id: str | None
) -> LaunchTemplatePlan:
    reservation = group.capacity if isinstance(group.capacity, CapacityReservation | CapacityBlock) else None
    return LaunchTemplatePlan(
        instance_type=group.instance_type,
        image_id=image_id,
        interfaces=interfaces_of(group, instance_type),
        placement_group=placement_group_of(group, instance_type),
        market_type="capacity-block" if isinstance(reservation, CapacityBlock) else None,
        capacity_reservation_id=reservation.capacity_reservation_id if reservation else None,
        capacity_reservation_resource_group_arn=(
            reservation.capacity_reservation_resource_group_arn if reservation else None
        ),
        user_data=user_data(
            local_storage=group.local_storage if instance_type.local_disks else "none",
            logical_neuroncore_config=group.logical_neuroncore_config,
            efa=uses_efa(group, instance_type),
            joining=joining(environment, group, _most_pods(instance_type)) if image_id else None,
        ),
        root_volume_gib=group.root_volume_gib,
        root_volume_kms_key_arn=group.root_volume_kms_key_arn,
        instance_tags=instance_tags(environment.name, group.name),
    )


def instance_tags(environment_name: str, group_name: str) -> dict[str, str]:
    """Returns the fixed tags of nodes and their volumes."""
    return {
        "Name": f"{environment_name}-{group_name}",
        ENVIRONMENT_TAG: environment_name,
        NODE_GROUP_TAG: group_name,
        KEEPER_TAG: KEEPER,
    }


def system_nodes(environment: Environment, lock: Lock) -> NodeGroupPlan:
    """Returns the system node group with everything decided."""
    section = environment.eks.system_node_group
    zones = control_plane_zone_ids(environment)
    known = SYSTEM_INSTANCE_TYPES.get(section.instance_type)
    return NodeGroupPlan(
        name=SYSTEM_NODE_GROUP,
        stack=f"{environment.name}-cluster",
        availability_zone_ids=zones,
        subnets=tuple(f"system-{zone_id}" for zone_id in zones),
        ami_type=lock.images[SYSTEM].ami_type,
        release_version=lock.images[SYSTEM].release_version,
        kubernetes_version=environment.eks.kubernetes_version,
        custom_image=None,
        awaits_image=False,
        capacity_type="ON_DEMAND",
        block=None,
        scaling=ScalingPlan(minimum=section.min_count, desired=section.min_count, maximum=section.max_count),
        launch_template=LaunchTemplatePlan(
            instance_type=section.instance_type,
            image_id=None,
            interfaces=PLAIN,
            placement_group="none",
            market_type=None,
            capacity_reservation_id=None,
            capacity_reservation_resource_group_arn=None,
            user_data="",
            root_volume_gib=SYSTEM_ROOT_VOLUME_GIB,
            root_volume_kms_key_arn=None,
            instance_tags=instance_tags(environment.name, SYSTEM_NODE_GROUP),
        ),
        labels={"trnstack/role": "system"},
        taints=(),
        max_unavailable=1,
        update_strategy="DEFAULT",
        node_repair=RepairPlan(parallel_count=1, unhealthy_count=section.min_count, replaced_reasons=()),
        addresses=system_addresses_of(environment),
        most_pods=most_pods(
            interfaces=known.interfaces,
            addresses_per_interface=known.ipv4_addresses_per_interface,
            vcpus=known.vcpus,
        )
        if known
        else None,
        efa_gbps=0,
        network_gbps=None,
        neuron_devices=0,
        neuron_cores=0,
    )
