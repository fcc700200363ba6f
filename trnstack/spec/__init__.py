"""The environment file, version 1: its shape, units and defaults, and nothing else.

Reading a file is ``load``; what its values must be to each other is the business of ``trnstack.rules``.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from trnstack.spec.base import AccountId, Name, RegionName, Section, ZoneId
from trnstack.spec.eks import Eks
from trnstack.spec.images import Images
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
    region: Annotated[RegionName, Field(description="The AWS region, such as us-east-2")]
    availability_zone_ids: Annotated[
        tuple[ZoneId, ...],
        Field(min_length=2, max_length=6, description="The first is home to accelerators and file system"),
    ]
    account: Annotated[AccountId | None, Field(description="Twelve digits in quotes; null: the credentials' own")] = (
        None
    )
    tags: Annotated[
        dict[TagKey, TagValue], Field(description="Tags of every stack and of what holds data; at most 40")
    ] = {}
    network: Annotated[Network, Field(description="The VPC and the ways in and out of it")] = Network()
    eks: Annotated[Eks, Field(description="The Kubernetes control plane and its system nodes")]
    neuron: Annotated[Neuron, Field(description="The Neuron SDK and how jobs use it")]
    node_groups: Annotated[
        tuple[NodeGroup, ...], Field(min_length=1, description="The fleets of accelerator nodes; at least one")
    ]
    images: Annotated[Images, Field(description="How custom images are built and who may use them")] = Images()
    storage: Annotated[Storage, Field(description="Checkpoint bucket, datasets and file system")] = Storage()
    training: Annotated[
        Training | None,
        Field(description="What will be trained: storage checks, sizing, cost and jobs read it; null: unknown"),
    ] = None
    kubernetes: Annotated[Kubernetes, Field(description="What runs in the cluster beside the jobs")] = Kubernetes()
    observability: Annotated[Observability, Field(description="Who is told of what, and how long logs are kept")] = (
        Observability()
    )
    budget: Annotated[Budget | None, Field(description="What the environment may cost; null: no limit")] = None
