"""Compares what stands after a deploy with what the plan says, so that a rehearsal can fail and not only tell."""

from collections.abc import Iterator

from rehearsal.story.kubernetes import kubernetes_differently
from rehearsal.story.network import network_differently
from rehearsal.story.storage import storage_differently
from rehearsal.survey.records import Cluster, NodeGroup, Survey
from trnstack.plan import Plan
from trnstack.plan.model import NodeGroupPlan


def deployed_differently(plan: Plan, found: Survey) -> Iterator[str]:
    """Yields a sentence for everything that does not stand as the plan says, after a deploy."""
    yield from _stacks(plan, found)
    yield from network_differently(plan, found)
    clusters = {cluster.name: cluster for cluster in found.clusters}
    cluster = clusters.get(plan.cluster.name)
    if cluster is None:
        yield f"there is no cluster {plan.cluster.name}"
    else:
        yield from _cluster(plan, cluster)
        yield from kubernetes_differently(plan, cluster)
    yield from _images(plan, found)
    yield from _schedules(plan, found)
    yield from storage_differently(plan, found)


def kept_differently(plan: Plan, found: Survey) -> Iterator[str]:
    """Yields a sentence for everything that should have stayed, or should be gone, after nodes and cluster went."""
    names = {stack.name for stack in found.stacks}
    for stack in plan.stacks:
        if stack.termination_protection and stack.name not in names:
            yield f"stack {stack.name} is gone, and should have stayed"
        if not stack.termination_protection and stack.name in names:
            yield f"stack {stack.name} still stands"
    if found.clusters:
        yield f"cluster {found.clusters[0].name} still stands"
    for schedule in found.schedules:
        yield f"schedule {schedule.name} still stands"
    yield from storage_differently(plan, found)


def _stacks(plan: Plan, found: Survey) -> Iterator[str]:
    stacks = {stack.name: stack for stack in found.stacks}
    for wanted in plan.stacks:
        stack = stacks.get(wanted.name)
        if stack is None:
            yield f"there is no stack {wanted.name}"
        elif not stack.status.endswith("_COMPLETE") or "ROLLBACK" in stack.status:
            yield f"stack {wanted.name} is {stack.status}"
        elif stack.termination_protection is not wanted.termination_protection:
            yield f"termination protection of stack {wanted.name} is {stack.termination_protection}"


def _cluster(plan: Plan, cluster: Cluster) -> Iterator[str]:
    versions = {add_on.name: add_on.version for add_on in cluster.addons}
    for add_on in plan.cluster.add_ons:
        if versions.get(add_on.name) != add_on.version:
            yield f"add-on {add_on.name} is {versions.get(add_on.name)}, not {add_on.version}"
    groups = {group.name: group for group in cluster.node_groups}
    for nodes in (plan.cluster.system_nodes, *plan.node_groups):
        group = groups.get(nodes.name)
        if group is None:
            yield f"there is no node group {nodes.name}"
        else:
            yield from _node_group(nodes, group)


def _node_group(nodes: NodeGroupPlan, group: NodeGroup) -> Iterator[str]:
    template = nodes.launch_template
    found = {
        "nodes wanted": group.wanted,
        "nodes": group.instances,
        "sizes": (group.smallest, group.largest),
        "capacity type": group.capacity_type,
        "market type": group.market_type,
        "reservation": (group.capacity_reservation_id, group.capacity_reservation_resource_group_arn),
        "image type": group.ami_type,
        "image release": group.release_version,
        "zones": {subnet.zone_id for subnet in group.subnets},
        "interfaces": sorted((i.network_card_index, i.device_index, i.interface_type) for i in group.interfaces),
        "root volume encrypted": group.root_volume_encrypted,
        "GiB of the root volume": group.root_volume_gib,
        "labels": group.labels,
        "session tokens for metadata": group.http_tokens,
    }
    planned = {
        "nodes wanted": nodes.scaling.desired,
        "nodes": nodes.scaling.desired,
        "sizes": (nodes.scaling.minimum, nodes.scaling.maximum),
        "capacity type": nodes.capacity_type,
        "market type": template.market_type,
        "reservation": (template.capacity_reservation_id, template.capacity_reservation_resource_group_arn),
        "image type": nodes.ami_type,
        "image release": nodes.release_version,
        "zones": set(nodes.availability_zone_ids),
        "interfaces": sorted((i.network_card_index, i.device_index, i.interface_type) for i in template.interfaces),
        "root volume encrypted": True,
        "GiB of the root volume": template.root_volume_gib,
        "labels": dict(nodes.labels),
        "session tokens for metadata": "required",
    }
    for what, value in planned.items():
        if found[what] != value:
            yield f"node group {nodes.name}: {what} should be {value}, is {found[what]}"


def _images(plan: Plan, found: Survey) -> Iterator[str]:
    """Compares what custom images are made of, and whether each was built wherever it is to go."""
    recipes = {recipe.name: recipe for recipe in found.images.recipes}
    built = {image.name: image for image in found.images.built}
    for wanted in plan.images:
        recipe, image = recipes.get(wanted.name), built.get(wanted.name)
        if recipe is None or image is None:
            yield f"there is no image {wanted.name}"
            continue
        found_ids = {ami.region: ami.image_id for ami in image.amis}
        differing = {
            "components": [each.split()[0] for each in recipe.components] != [c.full_name for c in wanted.components],
            "parent image": recipe.parent_image != wanted.parent_image_id,
            "encryption": recipe.root_volume_encrypted is not True,
            "regions": list(found_ids) != [each.region for each in wanted.regions],
            "id in the lock": found_ids.get(plan.region) != wanted.image_id,
        }
        yield from (f"image {wanted.name}: {what} is not as planned" for what, differs in differing.items() if differs)
    planned = {image.pipeline for image in plan.images}
    standing = {pipeline.name for pipeline in found.images.pipelines}
    if planned != standing:
        yield f"there are pipelines {sorted(standing)}, and {sorted(planned)} were planned"


def _schedules(plan: Plan, found: Survey) -> Iterator[str]:
    """Compares when what happens by itself, and whether who is told is told in secret."""
    blocks = [group.block for group in plan.node_groups if group.block]
    planned = sorted((each.name, f"at({each.at})", "UTC", each.input) for block in blocks for each in block.schedules)
    standing = sorted((each.name, each.expression, each.timezone, each.input) for each in found.schedules)
    for schedule in planned:
        if schedule not in standing:
            yield f"there is no schedule {schedule[0]} {schedule[1]} {schedule[2]} that does {schedule[3]}"
    if len(standing) > len(planned):
        yield f"there are {len(standing)} schedules, and {len(planned)} were planned"
    yield from (f"schedule {each.name} is {each.state}" for each in found.schedules if each.state != "ENABLED")
    if len(found.topics) != len(blocks):
        yield f"there are {len(found.topics)} topics for {len(blocks)} capacity blocks"
    for topic in found.topics:
        if not (topic.encrypted and topic.tls_only):
            yield f"topic {topic.name} is not encrypted, or open to requests without TLS"
