"""Says in which deploys a change reaches what runs, and in which order: the control plane before any node.

``trnstack.advice.group_steps`` says the same of one node group.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from trnstack.advice.chart_steps import definitions
from trnstack.advice.cluster_steps import delivery_gone, in_the_cluster
from trnstack.advice.group_steps import (
    ANOTHER_ENVIRONMENT,
    ONE_KIND,
    Step,
    deleted,
    deploy,
    differing,
    group_steps,
    tags_of,
)
from trnstack.advice.impact.links import overlap
from trnstack.plan.model import (
    AssociationPlan,
    BucketPlan,
    ClusterPlan,
    CustomImagePlan,
    ExistingLustrePlan,
    LustrePlan,
    Plan,
)

__all__ = ["Step", "is_one_deploy", "steps"]

#: What of the network nobody renders: it only tells what takes addresses and pulls images.
_ONLY_TOLD: dict[str, Any] = {"address_uses": (), "image_mirror": None}
#: What of a custom image the lock tells of what was built, and no template holds; and whose nodes start from it.
_OF_THE_LOCK: dict[str, Any] = {"image_id": "", "node_groups": ()}
#: What of the cluster moves together with its Kubernetes version.
_OF_THE_VERSION = frozenset({"kubernetes_version", "add_ons", "system_nodes"})


def steps(old: Plan, new: Plan) -> tuple[Step, ...]:
    """Returns the deploys that lead from one plan to another, in their order: control plane before nodes.

    Args:
        old: What is deployed.
        new: What is to be deployed.
    """
    if (old.name, old.region) != (new.name, new.region):
        what = f"{new.name} in {new.region}"
        return (Step(stack=new.name, command=deploy("--all"), changes=(what,), reason=_IS_ANOTHER),)
    gone = (*_removed(old, new), *_images_gone(old, new), *delivery_gone(old, new))
    return (*_before_nodes(old, new), *_fleets(old, new), *gone)


def is_one_deploy(steps: Sequence[Step]) -> bool:
    """Tells whether ``cdk deploy --all`` does all the steps at once, in their order."""
    return all(step.command in {deploy(step.stack), deploy("--all")} and not step.held_back for step in steps)


_IS_ANOTHER = "another name or region is another environment: what stands of the old one stays until destroyed"


def _before_nodes(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields the steps of the stacks on which node groups stand."""
    parts = {
        "network": tuple((replace(plan.network, **_ONLY_TOLD), _ways_to_lustre(plan)) for plan in (old, new)),
        "storage": (old.storage, new.storage),
    }
    for part, (before, after) in parts.items():
        stack = f"{new.name}-{part}"
        if before != after or tags_of(old, stack) != tags_of(new, stack):
            meeting = _meeting(old, new) if part == "storage" else ()
            yield Step(
                stack=stack,
                command=deploy(stack),
                changes=(f"the {part}",),
                held_back=meeting,
                reason=_LINKS if meeting else "",
            )
            if meeting:
                yield Step(stack=stack, command=deploy(stack), changes=meeting)
    yield from _images(old, new)
    yield from _cluster(old, new)
    yield from definitions(old, new)
    yield from in_the_cluster(old, new)


_LINKS = (
    "FSx takes no two associations whose folders or prefixes overlap, and CloudFormation makes the new one before it "
    "deletes the old one, whose files and objects stay (docs/updates.md)"
)


def _meeting(old: Plan, new: Plan) -> tuple[str, ...]:
    """Returns the new associations that would meet one which goes only when they stand.

    Source: see ``trnstack.advice.impact.links``, which says the same of templates.
    """
    before, after = old.storage.lustre, new.storage.lustre
    if before is None or after is None or _id(before) != _id(after):
        return ()
    stand = [_made_of(link) for link in before.associations]
    return tuple(
        f"the association of {link.file_system_path}"
        for link in after.associations
        if _made_of(link) not in stand
        and any(
            overlap(mine, theirs) for each in stand for mine, theirs in zip(_made_of(link)[:2], each[:2], strict=True)
        )
    )


def _id(lustre: LustrePlan | ExistingLustrePlan) -> str:
    return lustre.file_system_id if isinstance(lustre, ExistingLustrePlan) else ""


def _made_of(link: AssociationPlan) -> tuple[str, str, bool]:
    """Returns what of an association can't change in place: its folder, its prefix, whether the bucket is listed."""
    return link.file_system_path, f"s3://{link.bucket_name or ''}/{link.prefix}", link.lists_bucket


def _ways_to_lustre(plan: Plan) -> tuple[object, ...]:
    """Returns what of storage the network's stack renders: security groups let nodes and file system at each other."""
    lustre = plan.storage.lustre
    group_id = lustre.security_group_id if isinstance(lustre, ExistingLustrePlan) else None
    return (group_id, lustre is not None and lustre.efa_enabled)


def _permissions(plan: Plan) -> tuple[object, ...]:
    """Returns what of storage the cluster's stack renders: what the jobs' role may use."""
    checkpoints = plan.storage.checkpoints
    key = None if isinstance(checkpoints, BucketPlan) else checkpoints.kms_key_arn
    return (isinstance(checkpoints, BucketPlan), key, checkpoints.job_prefixes, plan.storage.datasets)


def _images(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields the steps of the images' stack. An image's id is of the lock, and deploys nothing."""
    stack = f"{new.name}-images"
    before, after = ({image.recipe: replace(image, **_OF_THE_LOCK) for image in plan.images} for plan in (old, new))
    if not after or (before == after and tags_of(old, stack) == tags_of(new, stack)):
        return
    changes = tuple(f"custom image {name}" for name in after if before.get(name) != after[name]) or ("its tags",)
    goes_elsewhere = any(
        name in before and before[name].name == image.name and _goes_to(before[name]) != _goes_to(image)
        for name, image in after.items()
    )
    built = "its AMI's id reaches the lock by: trnstack lock FILE"
    again = f"a further region or account gets the image when the stack's RebuildCommand is run; then {built}"
    yield Step(stack=stack, command=deploy(stack), changes=changes, reason=again if goes_elsewhere else built)


def _goes_to(image: CustomImagePlan) -> tuple[object, ...]:
    return image.regions, image.account_ids


def _cluster(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields the steps of the cluster's stack; of a new Kubernetes version first, with what belongs to it alone."""
    stack, before, after = f"{new.name}-cluster", old.cluster, new.cluster
    settings = [name for name in differing(before, after) if name not in _OF_THE_VERSION]
    settings += ["what jobs may use in buckets"] if _permissions(old) != _permissions(new) else []
    settings += ["tags"] if tags_of(old, stack) != tags_of(new, stack) else []
    versions = tuple(_version_changes(before, after))
    nodes = list(group_steps(before.system_nodes, after.system_nodes, way_out=ANOTHER_ENVIRONMENT))
    wrong = _minor_misfit(before.kubernetes_version, after.kubernetes_version)
    if wrong or (nodes and not nodes[0].command):
        told = Step(stack=stack, command="", changes=versions, reason=wrong) if wrong else nodes[0]
        yield told
        return
    moves = before.kubernetes_version != after.kubernetes_version
    parts = [(step.changes, step.nodes) for step in nodes] or [((), "")]
    parts[0] = (*versions, *(() if moves else settings), *parts[0][0]), parts[0][1]
    if moves and settings:
        second = parts[1] if len(parts) > 1 else ((), "")
        parts[1:2] = [((*settings, *second[0]), second[1])]
    for number, (changes, fleet) in enumerate(parts if parts[0][0] else []):
        with_version = moves and number == 0
        later = parts[number + 1 :]
        yield Step(
            stack=stack,
            command=deploy(stack, " --no-rollback" if with_version else ""),
            changes=changes,
            held_back=tuple(change for part, _ in later for change in part),
            nodes=fleet,
            reason=_CONTROL_PLANE if with_version else ONE_KIND if later else "",
        )


_CONTROL_PLANE = (
    "the control plane moves before any node, and with it what belongs to the version alone; --no-rollback, since EKS "
    "may refuse the way back"
)


def _version_changes(before: ClusterPlan, after: ClusterPlan) -> Iterator[str]:
    if before.kubernetes_version != after.kubernetes_version:
        yield f"Kubernetes: {before.kubernetes_version} -> {after.kubernetes_version}"
    old, new = ({each.name: each for each in cluster.add_ons} for cluster in (before, after))
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            was, now = (each[name].version if name in each else "none" for each in (old, new))
            yield f"add-on {name}: {was} -> {now}" if was != now else f"add-on {name}: its settings"


def _minor_misfit(before: str, after: str) -> str:
    """Returns why a cluster can't move from one Kubernetes version to another; empty where it can.

    Source: EKS user guide, "Update existing cluster to new Kubernetes version": one minor version at a time.
    """
    distance = int(after.rpartition(".")[2]) - int(before.rpartition(".")[2])
    if distance < 0:
        return f"EKS takes no cluster back to an earlier Kubernetes version than {before}"
    return "EKS moves a cluster by one minor version at a time" if distance > 1 else ""


def _fleets(old: Plan, new: Plan) -> Iterator[Step]:
    before = {group.name: group for group in old.node_groups}
    for group in new.node_groups:
        was = before.get(group.name)
        if group.awaits_image:
            text = f"waits for its custom image: {deploy(f'{new.name}-images')}, then: trnstack lock FILE"
            yield Step(stack=group.stack, command="", changes=(f"node group {group.name}",), reason=text, waits=True)
        elif was is None:
            yield Step(stack=group.stack, command=deploy(group.stack), changes=(f"node group {group.name} is new",))
        elif was != group:
            yield from group_steps(was, group)


def _removed(old: Plan, new: Plan) -> Iterator[Step]:
    kept = {group.name for group in new.node_groups}
    for group in old.node_groups:
        if group.name not in kept:
            goes = (f"node group {group.name} goes",)
            yield deleted(old.region, group.stack, goes, nodes="all of its nodes end")


def _images_gone(old: Plan, new: Plan) -> Iterator[Step]:
    """Yields the step that takes away the images' stack, last, since the network can't go while it stands."""
    if old.images and not new.images:
        yield deleted(old.region, f"{new.name}-images", ("the custom images go",), more="; AMIs that were built stay")
