"""The part of the plan that is node groups."""

from collections.abc import Mapping
from dataclasses import dataclass

from trnstack.layout.addresses import NodeAddresses
from trnstack.layout.interfaces import Interface
from trnstack.plan.model.capacity import BlockPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class TaintPlan:
    """A taint in EKS's spelling."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPlan:
    """How many nodes a group has."""

    minimum: int
    desired: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPlan:
    """How EKS repairs a node group's nodes.

    Attributes:
        parallel_count: How many at a time.
        unhealthy_count: It repairs none while more nodes than this are unhealthy.
        replaced_reasons: What the node monitoring agent tells of accelerators for which a node is replaced.
    """

    parallel_count: int
    unhealthy_count: int
    replaced_reasons: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.parallel_count} at a time, and none while more than {self.unhealthy_count} are unhealthy"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchTemplatePlan:
    """What a node starts from.

    Attributes:
        instance_type: It stands here and not in the node group, which refuses the Neuron image type beside it.
        image_id: The AMI of a custom image, ``not built`` or ``unresolved`` while there is none; None for EKS's own.
        interfaces: Every network interface; empty leaves EKS's single one.
        placement_group: ``create``, ``none``, or the name of an existing group.
        market_type: ``capacity-block``, or None for the others, which EKS refuses in a template.
        capacity_reservation_id, capacity_reservation_resource_group_arn: The reservation to start in, if any.
        user_data: MIME text; empty where the node needs none. With a custom image it holds the marks of
            ``layout.user_data`` in place of what the cluster alone can tell.
        root_volume_kms_key_arn: None uses the account's default EBS key.
        instance_tags: A fixed set; a tag edit here would replace every node, so the environment's tags don't reach it.
    """

    instance_type: str
    image_id: str | None
    interfaces: tuple[Interface, ...]
    placement_group: str
    market_type: str | None
    capacity_reservation_id: str | None
    capacity_reservation_resource_group_arn: str | None
    user_data: str
    root_volume_gib: int
    root_volume_kms_key_arn: str | None
    instance_tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroupPlan:
    """A managed node group and the stack that it is.

    Attributes:
        name: The node group's name in EKS.
        stack: The name of its stack; for the system nodes, the cluster's.
        ami_type, release_version: The EKS-optimized image; of a custom one EKS says ``CUSTOM`` and the AMI's id.
        kubernetes_version: The image's minor version; None with a custom image, beside which EKS takes none.
        custom_image: The recipe of its image; None for an EKS-optimized one.
        awaits_image: Whether that image is still to be built.
        capacity_type: ``ON_DEMAND``, ``SPOT`` or ``CAPACITY_BLOCK``, as EKS has it.
        block: What happens at the times of its Capacity Block; None for other capacity.
        subnets: The names of its subnets: one for accelerators.
        update_strategy: ``DEFAULT`` starts new nodes first; ``MINIMAL`` stops old ones first.
        max_unavailable: How many nodes an update takes away at a time.
        node_repair: How nodes that are unhealthy are repaired; None where they are left alone.
        addresses: What the nodes take from their subnet.
        most_pods: The most pods that a node can have; None where nobody has published it.
        efa_gbps: The network bandwidth of a node over its EFA interfaces, by its network cards; 0 without EFA, None
            where it is not published.
        network_gbps: The advertised network bandwidth of a node; None where it is not published.
        neuron_devices, neuron_cores: What a node offers to jobs; logical cores at the node's setting.
    """

    name: str
    stack: str
    availability_zone_ids: tuple[str, ...]
    subnets: tuple[str, ...]
    ami_type: str
    release_version: str
    kubernetes_version: str | None
    custom_image: str | None
    awaits_image: bool
    capacity_type: str
    block: BlockPlan | None
    scaling: ScalingPlan
    launch_template: LaunchTemplatePlan
    labels: Mapping[str, str]
    taints: tuple[TaintPlan, ...]
    max_unavailable: int
    update_strategy: str
    node_repair: RepairPlan | None
    addresses: NodeAddresses
    most_pods: int | None
    efa_gbps: float | None
    network_gbps: float | None
    neuron_devices: int
    neuron_cores: int
