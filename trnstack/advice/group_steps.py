"""The deploys of one node group: EKS takes one kind of change of it at a time.

UpdateNodegroupVersion takes a version, a release version and a launch template version in one call, and
UpdateNodegroupConfig takes labels, taints, scaling and the update's own settings. CloudFormation refuses a change of
Version or ReleaseVersion beside any other: "Version and ReleaseVersion updates cannot be combined with other updates",
for many beside a new launch template version too, for some not. It has refused a launch template version beside
settings as well. A deploy that is refused rolls its stack back, so each kind gets a deploy of its own.

Source: EKS API reference, UpdateNodegroupVersion and UpdateNodegroupConfig; aws/containers-roadmap issue 1258;
aws/aws-cdk issue 13602; eksctl-io/eksctl issue 2565; awsdocs/aws-cloudformation-user-guide pull request 1181.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from trnstack.plan.model import NodeGroupPlan, Plan

#: What CloudFormation can't change of a node group that stands: the type's create-only properties.
_FIXED = ("ami_type", "capacity_type", "subnets")
_SETTINGS = ("labels", "taints", "scaling", "max_unavailable", "update_strategy", "node_repair")
_VERSION, _TEMPLATE, _SETTING = "version", "launch template", "settings"
ONE_KIND = "EKS changes the version of a node group alone, and CloudFormation refuses it beside anything else"
#: The ways out where no deploy leads to a plan. The system nodes' group has no name in the file to be changed.
ANOTHER_NAME = "give it another name, then remove the old one"
ANOTHER_ENVIRONMENT = (
    "leave it as it was, or deploy an environment beside it, a copy of the file with another name, and destroy the old "
    "one when its jobs have moved"
)
_ONE_CALL = "EKS changes a launch template and settings by two calls, and has refused both in one update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A deploy, or something that no deploy can do.

    Attributes:
        stack: The stack that it is about.
        command: What does it, with ``FILE`` for the environment file; empty where no deploy can, or none can yet.
        changes: What changes with it, each as ``what: before -> after``, or in words.
        held_back: What has to be left as it was in the environment file for this deploy, since a later step brings it.
        nodes: What it does to running nodes; empty where it does nothing to them.
        reason: Why it is a step of its own, or why it can't be done, with ``FILE`` too; empty where there is none.
        waits: Whether it can be done later, by what the reason says.
    """

    stack: str
    command: str
    changes: tuple[str, ...]
    held_back: tuple[str, ...] = ()
    nodes: str = ""
    reason: str = ""
    waits: bool = False


def deploy(stack: str, options: str = "") -> str:
    """Returns the command that deploys a stack."""
    return f"cdk deploy {stack}{options} -c environment=FILE"


def group_steps(old: NodeGroupPlan, new: NodeGroupPlan, *, way_out: str = ANOTHER_NAME) -> Iterator[Step]:
    """Yields the deploys of one node group: its version, its settings, then its launch template.

    Args:
        old: What is deployed.
        new: What is to be deployed.
        way_out: What can be done where no deploy leads there.
    """
    wrong = _group_misfit(old, new)
    kinds = _kinds(old, new)
    if wrong:
        changes = tuple(change for each in kinds.values() for change in each)
        fixed = tuple(
            f"{name}: {_shown(old, name)} -> {_shown(new, name)}" for name in _FIXED if _differ(old, new, name)
        )
        yield Step(stack=new.stack, command="", changes=(*fixed, *changes), reason=f"{wrong}: {way_out}")
        return
    for number, (kind, changes) in enumerate(kinds.items()):
        later = tuple(kinds)[number + 1 :]
        yield Step(
            stack=new.stack,
            command=deploy(new.stack),
            changes=changes,
            held_back=tuple(change for each in later for change in kinds[each]),
            # Before its settings have moved, the group has those that it had.
            nodes=_fleet_rule(old if kind == _VERSION else new, kind),
            reason=(ONE_KIND if kind == _VERSION else _ONE_CALL) if later else "",
        )
    if not kinds and old.block != new.block:
        yield Step(stack=new.stack, command=deploy(new.stack), changes=("the schedules of its block",))


def _kinds(old: NodeGroupPlan, new: NodeGroupPlan) -> dict[str, tuple[str, ...]]:
    """Returns what differs by the kind of update that brings it, in the order of the deploys."""
    versions = () if new.custom_image else ("kubernetes_version", "release_version")
    kinds = {
        _VERSION: tuple(
            f"{name} of {new.name}: {_shown(old, name)} -> {_shown(new, name)}"
            for name in versions
            if _differ(old, new, name)
        ),
        _SETTING: tuple(f"{name} of {new.name}" for name in _settings(new) if _differ(old, new, name)),
        _TEMPLATE: tuple(f"{name} of {new.name}" for name in differing(old.launch_template, new.launch_template)),
    }
    return {kind: changes for kind, changes in kinds.items() if changes}


def _settings(group: NodeGroupPlan) -> tuple[str, ...]:
    """Returns what EKS keeps as settings; nodes with a custom image get their taints by user data."""
    return tuple(name for name in _SETTINGS if not (group.custom_image and name == "taints"))


def _group_misfit(old: NodeGroupPlan, new: NodeGroupPlan) -> str:
    """Returns why CloudFormation can't lead a node group to its new plan; empty where it can.

    Source: EKS API reference, UpdateNodegroupVersion: no way back to an earlier Kubernetes or AMI version;
    CloudFormation reference, AWS::EKS::Nodegroup: which properties need a replacement, which a named group can't have.
    """
    fixed = [name for name in _FIXED if _differ(old, new, name)]
    if fixed:
        return f"{' and '.join(fixed)} can't change while a node group stands"
    if new.custom_image is None and _released(new) < _released(old):
        return f"EKS takes no node group back from release {old.release_version} to {new.release_version}"
    return ""


def _released(group: NodeGroupPlan) -> tuple[int, ...]:
    """Returns a release version's Kubernetes version and day, which is how releases follow each other."""
    return tuple(map(int, re.findall(r"\d+", group.release_version)))


def _fleet_rule(group: NodeGroupPlan, kind: str) -> str:
    """Returns what an update does to the nodes of a group.

    Source: EKS user guide, "Understand each phase of node updates" and "Create a managed node group with Capacity
    Blocks for ML"; EKS API reference, NodegroupUpdateConfig; CloudFormation sends the whole ScalingConfig again.
    """
    if kind == _SETTING:
        return f"in place; an edit of the counts sets the desired size to {group.scaling.desired} again"
    at_a_time = f"{group.max_unavailable} of at most {group.scaling.maximum} nodes at a time"
    if group.block is not None:
        return (
            f"drain the block first: EKS asks for desired size 0 before an update (docs/capacity.md); then {at_a_time}"
        )
    if group.update_strategy == "MINIMAL":
        return f"{at_a_time} are replaced: MINIMAL stops old nodes before new ones start, in the room that is reserved"
    return f"{at_a_time} are replaced: DEFAULT starts new nodes before old ones stop"


def differing(old: object, new: object) -> tuple[str, ...]:
    """Returns the names of the fields in which two records of a kind differ."""
    return tuple(field.name for field in fields(old) if _differ(old, new, field.name))  # type: ignore[arg-type]


def _differ(old: object, new: object, name: str) -> bool:
    return bool(getattr(old, name) != getattr(new, name))


def _shown(record: object, name: str) -> str:
    value = getattr(record, name)
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def deleted(region: str, stack: str, changes: tuple[str, ...], *, nodes: str = "", more: str = "") -> Step:
    """Returns the step that takes away a stack.

    Source: AWS CLI reference, cloudformation delete-stack; CloudFormation API reference, DeleteStack, ``RoleARN``: the
    role with which the stack was deployed is used again.
    """
    return Step(
        stack=stack,
        command=f"aws cloudformation delete-stack --region {region} --stack-name {stack}",
        changes=changes,
        nodes=nodes,
        reason=f"cdk takes away only what the file names, and it no longer names this{more}",
    )


def tags_of(plan: Plan, stack: str) -> dict[str, str]:
    """Returns a stack's tags; none where the plan has no such stack."""
    return next((dict(each.tags) for each in plan.stacks if each.name == stack), {})
