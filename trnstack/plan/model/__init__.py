"""The plan: frozen records in which nothing is left to decide. Constructs render them, people and tests read them."""

from collections.abc import Mapping
from dataclasses import dataclass

from trnstack.plan.model.capacity import EVENT_DETAIL_TYPE, EVENT_SOURCE, BlockPlan, QuotaPlan, QuotaUse, SchedulePlan
from trnstack.plan.model.cluster import AddOnPlan, ClusterPlan, PodIdentityPlan, TrainerPlan
from trnstack.plan.model.images import CustomImagePlan, ImageComponentPlan, ImageRegionPlan
from trnstack.plan.model.kubernetes import FlavorPlan, FleetPlan, KubernetesPlan, QueuePlan, ReleasePlan
from trnstack.plan.model.network import AddressUse, EndpointPlan, ExistingSubnetPlan, ExistingVpcPlan, NetworkPlan
from trnstack.plan.model.nodes import LaunchTemplatePlan, NodeGroupPlan, RepairPlan, ScalingPlan, TaintPlan
from trnstack.plan.model.storage import (
    AssociationPlan,
    BucketPlan,
    DatasetPlan,
    ExistingBucketPlan,
    ExistingLustrePlan,
    LustrePlan,
    ObjectLockPlan,
    ReplicationPlan,
    StoragePlan,
)
from trnstack.plan.model.training import (
    CheckpointBucketPlan,
    CheckpointPlan,
    CheckpointWritePlan,
    OfferPlan,
    TrainingPlan,
)

__all__ = [
    "EVENT_DETAIL_TYPE",
    "EVENT_SOURCE",
    "AddOnPlan",
    "AddressUse",
    "AssociationPlan",
    "BlockPlan",
    "BucketPlan",
    "CheckpointBucketPlan",
    "CheckpointPlan",
    "CheckpointWritePlan",
    "ClusterPlan",
    "CustomImagePlan",
    "DatasetPlan",
    "Decision",
    "EndpointPlan",
    "ExistingBucketPlan",
    "ExistingLustrePlan",
    "ExistingSubnetPlan",
    "ExistingVpcPlan",
    "FlavorPlan",
    "FleetPlan",
    "ImageComponentPlan",
    "ImageRegionPlan",
    "KubernetesPlan",
    "LaunchTemplatePlan",
    "LustrePlan",
    "NetworkPlan",
    "NodeGroupPlan",
    "ObjectLockPlan",
    "OfferPlan",
    "PinsPlan",
    "Plan",
    "PodIdentityPlan",
    "QueuePlan",
    "QuotaPlan",
    "QuotaUse",
    "ReleasePlan",
    "RepairPlan",
    "ReplicationPlan",
    "ScalingPlan",
    "SchedulePlan",
    "StackPlan",
    "StoragePlan",
    "TaintPlan",
    "TrainerPlan",
    "TrainingPlan",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something that the environment left open, or that may surprise, with its reason.

    Attributes:
        path: What was decided, as a path in the environment or the plan.
        value: The decision.
        reason: Why.
    """

    path: str
    value: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlan:
    """A CloudFormation stack.

    Attributes:
        name: The stack's name.
        description: What it holds, as CloudFormation shows it.
        termination_protection: Whether deleting it is refused until somebody lifts the protection.
        tags: The stack's tags. CloudFormation hands them on to everything in it that can carry tags.
        depends_on: The stacks that it stands on.
    """

    name: str
    description: str
    termination_protection: bool
    tags: Mapping[str, str]
    depends_on: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinsPlan:
    """What the lock holds still, as far as people ask for it; images by their names in the mirror, if any."""

    neuron_sdk: str
    neuron_driver: str
    container_image: str | None
    container_digest: str | None
    made_from: str
    rehearsal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole environment, decided.

    Attributes:
        account: Twelve digits, or None for the account of the credentials in use.
        images: The custom images, one for each recipe.
        training: What the training run asks of storage; None without a ``training`` section.
        quotas: What the environment needs of the account's quotas, at its largest.
        stacks: The stacks, in an order in which they can be deployed; those of node groups that await an image are
            left out, so that whatever stands of them is left alone.
        decisions: What was decided for the environment, with reasons.
    """

    name: str
    region: str
    account: str | None
    tags: Mapping[str, str]
    pins: PinsPlan
    network: NetworkPlan
    storage: StoragePlan
    cluster: ClusterPlan
    images: tuple[CustomImagePlan, ...]
    node_groups: tuple[NodeGroupPlan, ...]
    kubernetes: KubernetesPlan
    training: TrainingPlan | None
    quotas: tuple[QuotaPlan, ...]
    stacks: tuple[StackPlan, ...]
    decisions: tuple[Decision, ...]

    def stack(self, name: str) -> StackPlan:
        """Returns the stack of that name."""
        return next(stack for stack in self.stacks if stack.name == name)

    @property
    def awaiting_image(self) -> tuple[NodeGroupPlan, ...]:
        """The node groups whose custom image is not built yet."""
        return tuple(group for group in self.node_groups if group.awaits_image)
