"""Decides everything: an ``Environment`` and its ``Lock`` become a ``Plan`` in which nothing is left to decide."""

import dataclasses
import json
from collections.abc import Mapping

from ami.pins import ENVIRONMENT_TAG, Lock
from trnstack.layout.images import mirrored
from trnstack.plan.cluster import cluster, lock_inputs
from trnstack.plan.decisions import decisions
from trnstack.plan.images import custom_images
from trnstack.plan.kubernetes import kubernetes
from trnstack.plan.model import CustomImagePlan, NodeGroupPlan, PinsPlan, Plan, StackPlan
from trnstack.plan.network import network
from trnstack.plan.nodes import KEEPER, KEEPER_TAG, node_group
from trnstack.plan.quotas import quotas
from trnstack.plan.storage import storage
from trnstack.plan.training import training
from trnstack.spec import Environment

__all__ = ["Plan", "lock_inputs", "plan", "to_json"]

PLAN_VERSION = 1


def plan(environment: Environment, lock: Lock) -> Plan:
    """Returns the plan of an environment that has no errors and whose lock is current."""
    container = lock.neuron.container
    groups = tuple(node_group(environment, group, lock) for group in environment.node_groups)
    images, stored = custom_images(environment, lock, _tags(environment)), storage(environment)
    return Plan(
        name=environment.name,
        region=environment.region,
        account=lock.rehearsal_account or environment.account,
        tags=_tags(environment),
        pins=PinsPlan(
            neuron_sdk=lock.neuron.sdk,
            neuron_driver=lock.neuron.driver,
            container_image=mirrored(container.image, environment.network.image_mirror) if container else None,
            container_digest=container.digest if container else None,
            made_from=lock.made_from,
            rehearsal=lock.rehearsal_account is not None,
        ),
        network=network(environment),
        storage=stored,
        cluster=cluster(environment, lock),
        images=images,
        node_groups=groups,
        kubernetes=kubernetes(environment, lock, groups, stored),
        training=training(environment),
        quotas=quotas(environment),
        stacks=_stacks(environment, images, groups),
        decisions=tuple(decisions(environment, groups, lock)),
    )


def to_json(decided: Plan) -> str:
    """Returns the plan as JSON in a stable order, with its version."""
    return (
        json.dumps({"plan_version": PLAN_VERSION, **dataclasses.asdict(decided)}, indent=2, ensure_ascii=False) + "\n"
    )


def _tags(environment: Environment) -> Mapping[str, str]:
    """Returns the environment's tags and the two that say what it is and who keeps it."""
    own = {ENVIRONMENT_TAG: environment.name, KEEPER_TAG: KEEPER}
    return dict(sorted({**environment.tags, **own}.items()))


def _stacks(
    environment: Environment, images: tuple[CustomImagePlan, ...], groups: tuple[NodeGroupPlan, ...]
) -> tuple[StackPlan, ...]:
    name, tags = environment.name, _tags(environment)
    network_name, storage_name, cluster_name = f"{name}-network", f"{name}-storage", f"{name}-cluster"
    fixed = (
        StackPlan(
            name=network_name,
            description=f"{name}: VPC, subnets, endpoints and security groups",
            termination_protection=True,
            tags=tags,
            depends_on=(),
        ),
        StackPlan(
            name=storage_name,
            description=f"{name}: keys, checkpoint bucket and file system",
            termination_protection=True,
            tags=tags,
            depends_on=(network_name,),
        ),
        StackPlan(
            name=cluster_name,
            description=f"{name}: EKS control plane, add-ons and system nodes",
            termination_protection=False,
            tags=tags,
            depends_on=(network_name, storage_name),
        ),
    )
    # Behind the cluster, since a build takes the better part of an hour, in which the cluster can stand already.
    building = StackPlan(
        name=f"{name}-images",
        description=f"{name}: custom images of node groups and what builds them",
        termination_protection=False,
        tags=tags,
        depends_on=(network_name,),
    )
    # In front of the fleets: what nodes need stands when they join, and no node is paid for while a chart fails.
    # The fleets don't depend on it, so that a chart is never in the way of a fleet's update.
    applied = StackPlan(
        name=f"{name}-kubernetes",
        description=f"{name}: charts and objects in the cluster",
        termination_protection=False,
        tags=tags,
        depends_on=(network_name, storage_name, cluster_name),
    )
    # A node group's stack carries no tags: CloudFormation would hand them on to the placement group, whose tags can't
    # be changed without replacing it.
    fleets = (
        StackPlan(
            name=group.stack,
            description=f"{name}: node group {group.name}",
            termination_protection=False,
            tags={},
            depends_on=(network_name, cluster_name),
        )
        for group in groups
        if not group.awaits_image
    )
    by_cdk = environment.kubernetes.delivery == "cdk"
    return (*fixed, *((building,) if images else ()), *((applied,) if by_cdk else ()), *fleets)
