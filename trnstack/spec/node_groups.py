"""The ``node_groups`` list and the ways to get capacity."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Discriminator, Field, StringConstraints

from trnstack.spec.base import CapacityReservationId, KeyArn, Name, Section, ZoneId
from trnstack.spec.eks import InstanceTypeName

LabelKey = Annotated[
    str,
    StringConstraints(
        pattern=r"^([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", max_length=253
    ),
]
LabelValue = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$", max_length=63)]
PlacementGroupName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-][A-Za-z0-9_. -]*$", max_length=255)]
ResourceGroupArn = Annotated[
    str,
    StringConstraints(
        pattern=r"^arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:[0-9]{12}:group/[A-Za-z0-9_.-]+$", max_length=300
    ),
]


class OnDemand(Section):
    """Nodes that EC2 has or has not when they are asked for."""

    type: Annotated[
        Literal["on_demand"], Field(description="on_demand: nodes that EC2 has, or has not, when they are asked for")
    ]


class Spot(Section):
    """Cheap nodes that EC2 may take back with two minutes' notice."""

    type: Annotated[
        Literal["spot"], Field(description="spot: cheap nodes that EC2 may take back with two minutes' notice")
    ]


class CapacityReservation(Section):
    """Nodes in an On-Demand Capacity Reservation that is paid for whether it is used or not."""

    type: Annotated[
        Literal["capacity_reservation"],
        Field(description="capacity_reservation: nodes in an On-Demand Capacity Reservation"),
    ]
    capacity_reservation_id: Annotated[
        CapacityReservationId | None, Field(description="The reservation's id, such as cr-0123456789abcdef0")
    ] = None
    capacity_reservation_resource_group_arn: Annotated[
        ResourceGroupArn | None, Field(description="In place of the id: a resource group of reservations")
    ] = None
    instance_count: Annotated[int, Field(ge=1, le=10_000, description="How many instances the reservation holds")]
    availability_zone_id: Annotated[ZoneId, Field(description="The zone that the reservation is in")]


class CapacityBlock(Section):
    """Nodes in a Capacity Block for ML: reserved for a time that is fixed beforehand."""

    type: Annotated[Literal["capacity_block"], Field(description="capacity_block: nodes in a Capacity Block for ML")]
    capacity_reservation_id: Annotated[
        CapacityReservationId | None, Field(description="The block's id, such as cr-0123456789abcdef0")
    ] = None
    capacity_reservation_resource_group_arn: Annotated[
        ResourceGroupArn | None,
        Field(description="In place of the id: the group of the reservations that an UltraServer block consists of"),
    ] = None
    instance_count: Annotated[int, Field(ge=1, le=256, description="How many instances the block holds")]
    availability_zone_id: Annotated[ZoneId, Field(description="The zone that the block is in")]
    starts_at: Annotated[
        AwareDatetime, Field(description="When the block starts, in UTC, such as 2027-03-01T11:30:00Z")
    ]
    ends_at: Annotated[
        AwareDatetime, Field(description="When the block ends, in UTC; its nodes are terminated from 30 minutes before")
    ]
    drain_minutes: Annotated[
        int, Field(ge=0, le=24 * 60, description="How long before termination starts jobs are told to stop")
    ] = 60
    scale_up: Annotated[
        Literal["scheduled", "by_hand"],
        Field(description="by_hand once starts_at is past: EventBridge Scheduler refuses a new schedule for the past"),
    ] = "scheduled"


Capacity = Annotated[OnDemand | Spot | CapacityReservation | CapacityBlock, Discriminator("type")]


class EksOptimizedImage(Section):
    """The EKS-optimized AL2023 Neuron AMI of the release that the lock names."""

    type: Annotated[
        Literal["eks_optimized"],
        Field(description="eks_optimized: the AL2023 Neuron AMI of the release that the lock names"),
    ]


class CustomImage(Section):
    """An AMI that the environment's own Image Builder pipeline makes."""

    type: Annotated[
        Literal["custom"], Field(description="custom: an AMI of the environment's own Image Builder pipeline")
    ]
    recipe: Annotated[Name, Field(description="The name of its recipe")]


Image = Annotated[EksOptimizedImage | CustomImage, Discriminator("type")]


class Ultraserver(Section):
    """How many instances of one UltraServer a node group joins."""

    config: Annotated[int, Field(ge=1, le=64, description="How many instances of one UltraServer the group has")]


class Taint(Section):
    """A taint in EKS's spelling, which is not Kubernetes'."""

    key: Annotated[LabelKey, Field(description="The taint's key")]
    value: Annotated[LabelValue, Field(description="The taint's value")] = ""
    effect: Annotated[
        Literal["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"],
        Field(description="What happens to pods that do not tolerate it"),
    ]


class InstanceFacts(Section):
    """What AWS has not published of an instance type and the person knows."""

    network_cards: Annotated[int, Field(ge=1, le=64, description="Network cards of an instance")]
    efa_interfaces: Annotated[int, Field(ge=0, le=64, description="The most EFA interfaces of an instance")]
    vcpus: Annotated[int, Field(ge=1, le=4096, description="vCPUs of an instance")]
    memory_gib: Annotated[int, Field(ge=1, le=65_536, description="Memory of an instance, in GiB")]
    neuron_devices: Annotated[int, Field(ge=1, le=256, description="Neuron devices (chips) of an instance")]
    availability_zone_ids: Annotated[tuple[ZoneId, ...], Field(min_length=1, description="The zones that offer it")]


class NodeGroup(Section):
    """One fleet of equal accelerator nodes in one zone."""

    name: Name
    instance_type: Annotated[InstanceTypeName, Field(description="The instance type, such as trn1.32xlarge")]
    node_count: Annotated[int | None, Field(ge=0, le=10_000, description="A fixed fleet")] = None
    min_count: Annotated[
        int | None,
        Field(ge=0, le=10_000, description="The fewest nodes of a fleet that grows and shrinks; with max_count"),
    ] = None
    max_count: Annotated[
        int | None,
        Field(ge=0, le=10_000, description="The most nodes of a fleet that grows and shrinks; with min_count"),
    ] = None
    availability_zone_id: Annotated[ZoneId | None, Field(description="Default: the first of the list")] = None
    capacity: Annotated[Capacity, Field(description="How the nodes are had; default: on demand")] = OnDemand(
        type="on_demand"
    )
    efa: Annotated[Literal["auto"] | bool, Field(description="auto: on where the type has it")] = "auto"
    placement_group: Annotated[
        PlacementGroupName, Field(description="auto, none, or the name of an existing group")
    ] = "auto"
    ultraserver: Annotated[
        Ultraserver | None, Field(description="The UltraServer whose instances the group consists of; null: none")
    ] = None
    logical_neuroncore_config: Annotated[int | None, Field(ge=1, le=2, description="Trn2 and Trn3 only")] = None
    image: Annotated[Image, Field(description="What the nodes start from; default: the EKS-optimized AMI")] = (
        EksOptimizedImage(type="eks_optimized")
    )
    local_storage: Annotated[
        Literal["raid0", "none"], Field(description="raid0: the NVMe disks as one volume for pods; none: left alone")
    ] = "raid0"
    root_volume_gib: Annotated[
        int, Field(ge=20, le=16_384, description="The root volume's size in GiB; gp3, encrypted")
    ] = 200
    root_volume_kms_key_arn: Annotated[
        KeyArn | None, Field(description="Its policy must let the role AWSServiceRoleForAutoScaling use it")
    ] = None
    labels: Annotated[dict[LabelKey, LabelValue], Field(description="Kubernetes labels of the nodes")] = {}
    taints: Annotated[
        tuple[Taint, ...], Field(description="Taints that keep other pods away; default: aws.amazon.com/neuron")
    ] = (Taint(key="aws.amazon.com/neuron", value="present", effect="NO_SCHEDULE"),)
    max_unavailable: Annotated[int, Field(ge=1, le=100, description="How many nodes an update replaces at a time")] = 1
    node_repair: Annotated[bool, Field(description="Whether EKS replaces nodes that are unhealthy")] = True
    node_repair_parallel_count: Annotated[
        int, Field(ge=1, le=100, description="How many nodes are repaired at a time")
    ] = 1
    node_repair_unhealthy_percent: Annotated[
        int, Field(ge=1, le=100, description="EKS repairs none while more than this share of the nodes is unhealthy")
    ] = 20
    instance_facts: Annotated[
        InstanceFacts | None, Field(description="What AWS has not published of the instance type, for trn3 only")
    ] = None

    @property
    def largest_count(self) -> int:
        """The most nodes that the group can have; 0 while no count is given."""
        return next((count for count in (self.node_count, self.max_count) if count is not None), 0)
