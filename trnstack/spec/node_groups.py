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

    type: Literal["on_demand"]


class Spot(Section):
    """Cheap nodes that EC2 may take back with two minutes' notice."""

    type: Literal["spot"]


class CapacityReservation(Section):
    """Nodes in an On-Demand Capacity Reservation that is paid for whether it is used or not."""

    type: Literal["capacity_reservation"]
    capacity_reservation_id: CapacityReservationId | None = None
    capacity_reservation_resource_group_arn: ResourceGroupArn | None = None
    instance_count: Annotated[int, Field(ge=1, le=10_000, description="How many instances the reservation holds")]
    availability_zone_id: ZoneId


class CapacityBlock(Section):
    """Nodes in a Capacity Block for ML: reserved for a time that is fixed beforehand."""

    type: Literal["capacity_block"]
    capacity_reservation_id: CapacityReservationId | None = None
    capacity_reservation_resource_group_arn: ResourceGroupArn | None = None
    instance_count: Annotated[int, Field(ge=1, le=256, description="How many instances the block holds")]
    availability_zone_id: ZoneId
    starts_at: AwareDatetime
    ends_at: AwareDatetime
    drain_minutes: Annotated[
        int, Field(ge=0, le=24 * 60, description="How long before termination starts jobs are told to stop")
    ] = 60


Capacity = Annotated[OnDemand | Spot | CapacityReservation | CapacityBlock, Discriminator("type")]


class EksOptimizedImage(Section):
    """The EKS-optimized AL2023 Neuron AMI of the release that the lock names."""

    type: Literal["eks_optimized"]


class CustomImage(Section):
    """An AMI that the environment's own Image Builder pipeline makes."""

    type: Literal["custom"]
    recipe: Name


Image = Annotated[EksOptimizedImage | CustomImage, Discriminator("type")]


class Ultraserver(Section):
    """How many instances of one UltraServer a node group joins."""

    config: Annotated[int, Field(ge=1, le=64)]


class Taint(Section):
    """A taint in EKS's spelling, which is not Kubernetes'."""

    key: LabelKey
    value: LabelValue = ""
    effect: Literal["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"]


class InstanceFacts(Section):
    """What AWS has not published of an instance type and the person knows."""

    network_cards: Annotated[int, Field(ge=1, le=64)]
    efa_interfaces: Annotated[int, Field(ge=0, le=64)]
    vcpus: Annotated[int, Field(ge=1, le=4096)]
    memory_gib: Annotated[int, Field(ge=1, le=65_536)]
    neuron_devices: Annotated[int, Field(ge=1, le=256)]
    availability_zone_ids: Annotated[tuple[ZoneId, ...], Field(min_length=1)]


class NodeGroup(Section):
    """One fleet of equal accelerator nodes in one zone."""

    name: Name
    instance_type: InstanceTypeName
    node_count: Annotated[int | None, Field(ge=0, le=10_000, description="A fixed fleet")] = None
    min_count: Annotated[int | None, Field(ge=0, le=10_000)] = None
    max_count: Annotated[int | None, Field(ge=0, le=10_000)] = None
    availability_zone_id: Annotated[ZoneId | None, Field(description="Default: the first of the list")] = None
    capacity: Capacity = OnDemand(type="on_demand")
    efa: Annotated[Literal["auto"] | bool, Field(description="auto: on where the type has it")] = "auto"
    placement_group: Annotated[
        PlacementGroupName, Field(description="auto, none, or the name of an existing group")
    ] = "auto"
    ultraserver: Ultraserver | None = None
    logical_neuroncore_config: Annotated[int | None, Field(ge=1, le=2, description="Trn2 and Trn3 only")] = None
    image: Image = EksOptimizedImage(type="eks_optimized")
    local_storage: Literal["raid0", "none"] = "raid0"
    root_volume_gib: Annotated[int, Field(ge=20, le=16_384)] = 200
    root_volume_kms_key_arn: Annotated[
        KeyArn | None, Field(description="Its policy must let the role AWSServiceRoleForAutoScaling use it")
    ] = None
    labels: dict[LabelKey, LabelValue] = {}
    taints: tuple[Taint, ...] = (Taint(key="aws.amazon.com/neuron", value="present", effect="NO_SCHEDULE"),)
    max_unavailable: Annotated[int, Field(ge=1, le=100)] = 1
    node_repair: bool = True
    instance_facts: InstanceFacts | None = None

    @property
    def largest_count(self) -> int:
        """The most nodes that the group can have; 0 while no count is given."""
        return next((count for count in (self.node_count, self.max_count) if count is not None), 0)
