"""The environment file, version 1: its shape, units and defaults, and nothing else.

Reading a file is ``load``; what its values must be to each other is the business of ``trnstack.rules``.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import AccountId, Name, RegionName, Section, ZoneId
from trnstack.spec.eks import Eks
from trnstack.spec.network import Network
from trnstack.spec.neuron import Neuron
from trnstack.spec.node_groups import NodeGroup
from trnstack.spec.operations import Budget, Kubernetes, Observability
from trnstack.spec.storage import Storage
from trnstack.spec.training import Training

TagKey = Annotated[str, StringConstraints(pattern=r"^[\w .:/=+@-]+$", max_length=128)]
TagValue = Annotated[str, StringConstraints(pattern=r"^[\w .:/=+@-]*$", max_length=256)]


class Environment(Section):
    """One versioned environment: everything a person says about a training cluster."""

    schema_version: Annotated[Literal[1], Field(description="The version of this format")]
    name: Annotated[Name, Field(description="The prefix of every stack's name")]
    region: RegionName
    availability_zone_ids: Annotated[
        tuple[ZoneId, ...],
        Field(min_length=2, max_length=6, description="The first is home to accelerators and file system"),
    ]
    account: Annotated[AccountId | None, Field(description="Twelve digits in quotes; null: the credentials' own")] = (
        None
    )
    tags: dict[TagKey, TagValue] = {}
    network: Network = Network()
    eks: Eks
    neuron: Neuron
    node_groups: Annotated[tuple[NodeGroup, ...], Field(min_length=1)]
    storage: Storage = Storage()
    training: Training | None = None
    kubernetes: Kubernetes = Kubernetes()
    observability: Observability = Observability()
    budget: Budget | None = None
