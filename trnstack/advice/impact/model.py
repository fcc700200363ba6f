"""What is compared, and what comes out of it."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: The type of what the kubectl provider applies. Source: aws-cdk-lib 2.275, aws-eks-v2, KubernetesManifest.
OBJECTS = "Custom::AWSCDK-EKS-KubernetesResource"


class Impact(enum.StrEnum):
    """What a change does to what is deployed, each worse than the one before."""

    NONE = "none"
    IN_PLACE = "in-place"
    RESTARTS_NODES = "restarts-nodes"
    REPLACES = "replaces"
    DELETES = "deletes"
    UNKNOWN = "unknown"
    LOSES_DATA = "loses-data"

    @property
    def rank(self) -> int:
        """How bad it is, from 0."""
        return _RANKS[self]


_RANKS = {impact: rank for rank, impact in enumerate(Impact)}


def worst(impacts: "Mapping[Any, Impact] | tuple[Impact, ...]") -> Impact:
    """Returns the worst of impacts; ``NONE`` of none."""
    values = impacts.values() if isinstance(impacts, Mapping) else impacts
    return max(values, key=lambda impact: impact.rank, default=Impact.NONE)


class Action(enum.StrEnum):
    """What CloudFormation does with a resource; ``LEAVE`` of one that no stack made and that is named no more."""

    ADD = "add"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackTemplate:
    """A stack as it is deployed, or would be.

    Attributes:
        name: Its name.
        template: Its template as plain data.
        tags: Its tags, which CloudFormation hands on to its resources.
        parameters: The values of its parameters, by name, where they are not the template's defaults.
    """

    name: str
    template: Mapping[str, Any]
    tags: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two environments that are compared.

    Attributes:
        region: Where it is.
        account: Twelve digits; None where it is not known.
        stacks: Its stacks by name, in an order in which they can be deployed.
        left_alone: The stacks that are not made for a while, so that what stands of them stays.
    """

    region: str
    account: str | None
    stacks: Mapping[str, StackTemplate]
    left_alone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """A property that differs.

    Attributes:
        path: Where it is in the resource, such as ``LustreConfiguration.DeploymentType``.
        before: Its old value as text; None where there is none.
        after: Its new value. Of two lists, the members that differ.
        impact: What its change does, by itself.
        reason: Why, in words.
        source: Where that is documented.
    """

    path: str
    before: str | None
    after: str | None
    impact: Impact
    reason: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceChange:
    """What becomes of a resource.

    Attributes:
        stack: Its stack.
        logical_id: Its name in the template; of what no stack made, its id or name in AWS.
        type: Its resource type.
        action: What CloudFormation does with it.
        impact: The worst of what its properties do, and of what is lost with it.
        properties: What differs; of a resource that comes or goes, nothing.
        reason: What becomes of it, in words.
        retained: Whether what it holds stays, outside of any stack.
        stack_goes: Whether it goes with its whole stack, which no deploy does: only when that is destroyed.
        refused: Why AWS or Kubernetes refuses the change; nothing is changed then, and the stack rolls back.
        feels: What a running job notices.
        place: The region that it is in, where the two sides are in two; else empty.
        object: What it puts into the cluster: ``PersistentVolume lustre``, ``release kueue``; empty of others.
    """

    stack: str
    logical_id: str
    type: str
    action: Action
    impact: Impact
    properties: tuple[PropertyChange, ...] = ()
    reason: str = ""
    retained: bool = False
    stack_goes: bool = False
    refused: tuple[str, ...] = ()
    feels: tuple[str, ...] = ()
    place: str = ""
    object: str = ""

    @property
    def called(self) -> str:
        """How people know it: what is in the cluster by its kind and name, all else by its logical id."""
        return self.object or self.logical_id

    @property
    def refused_by_kubernetes(self) -> bool:
        """Whether it is refused in the cluster, by what stands there until somebody deletes it."""
        return bool(self.refused) and self.type == OBJECTS and self.action is Action.UPDATE


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRefusal:
    """Why the update of a stack would be refused as a whole.

    Attributes:
        stack: The stack.
        reason: Why.
    """

    stack: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How to get there without losing what a resource holds.

    Attributes:
        stack, logical_id: The resource; without logical id, all of the old environment, by its name.
        steps: What to do, in order; commands stand on lines of their own.
        source: Where it is documented.
        object: What the resource puts into the cluster; empty of others.
    """

    stack: str
    logical_id: str
    steps: tuple[str, ...]
    source: str
    object: str = ""

    @property
    def of(self) -> str:
        """What it is about, in words."""
        return f"{self.object or self.logical_id} of {self.stack}" if self.logical_id else f"all of {self.stack}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that differs between two environments, and what it does.

    Attributes:
        changes: The resources that change, in the order of the stacks.
        refusals: The stacks whose update AWS refuses as a whole.
        ways: How to keep the data that changes would lose.
        notes: What could not be compared, or is to be known.
    """

    changes: tuple[ResourceChange, ...] = ()
    refusals: tuple[StackRefusal, ...] = ()
    ways: tuple[Way, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def impact(self) -> Impact:
        """The worst of all."""
        return worst(tuple(change.impact for change in self.changes))
