"""The faults of the table, one after the other: each deploy fails as told, and the next one converges.

What a fault meets has to be made anew each time, so the stack of one node group is taken down before each of those that
meet one: it holds no data, and is what fails on an ordinary day. What meets anything else, such as a file system, comes
with the first deploy.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rehearsal.faults import FAULTS, Fault, FaultError, check, parse
from rehearsal.faults.table import Place
from rehearsal.story import data
from rehearsal.story.beginning import begin
from rehearsal.story.expectations import deployed_differently
from rehearsal.story.failing import deploy_under
from rehearsal.story.killing import kill_half_way
from rehearsal.story.record import LEFT_OUT
from rehearsal.story.stage import Stage, say
from rehearsal.story.stage import check as require
from trnstack.plan import Plan
from trnstack.plan.model import LustrePlan, NodeGroupPlan

Templates = Mapping[str, Mapping[str, Any]]

_BY_GROUP = "eks:CreateNodegroup"
#: What is called, and of which service, when the stack of a node group is made.
_CALLED = frozenset({_BY_GROUP, "ec2:CreateLaunchTemplate", "eks", "ec2", None})
_TYPES = frozenset({"AWS::EKS::Nodegroup", "AWS::EC2::LaunchTemplate"})
#: The faults that need no node to start.
_WITHOUT_NODES = frozenset({"api-down", "access-denied", "throttling", "cli-killed"})


def every() -> tuple[Fault, ...]:
    """Returns the faults of the table, so that each meets a node group wherever it can."""
    return tuple(Fault(name, _BY_GROUP) if name == "access-denied" else parse(name) for name in FAULTS)


def break_it(stage: Stage, wanted: Sequence[Fault]) -> None:
    """Tells the faults one after the other.

    Args:
        stage: The environment, of which nothing stands yet.
        wanted: The faults; those that meet nothing of the environment are told with the reason, and left out.

    Raises:
        RehearsalError: A deploy did not fail as it should, the next did not converge, or something retained is gone.
    """
    at_first = [fault for fault in wanted if not meets_nodes(fault, stage.plan)]
    possible = [fault for fault in at_first if _has_file_system(stage.plan) or not _is_of_file_system(fault)]
    found = begin(stage, tuple(possible), in_turn=True)
    written = data.write(stage.plan, found, stage.client("s3"))
    say("Faults, one after the other; each time the next deploy has to get over it")
    left_out = {fault: "the environment makes no file system" for fault in at_first if fault not in possible}
    for fault in wanted:
        if fault in at_first:
            continue
        reason = why_not(fault, stage.plan, stage.cdk.templates())
        if reason:
            left_out[fault] = reason
            continue
        _one(stage, fault)
        found = stage.survey()
        require((*deployed_differently(stage.plan, found), *data.lost(written, found, stage.client("s3"))))
        say("             all of it stands as planned, and nothing retained is gone")
    for fault, reason in left_out.items():
        stage.note(str(fault), 0.0, reason, outcome=LEFT_OUT)
        say(f"             {fault} is left out: {reason}")
    say("")


def meets_nodes(fault: Fault, plan: Plan) -> bool:
    """Says whether a fault is met when a node group's stack is made, and not only when everything is."""
    match fault.kind.place:
        case Place.NODES | Place.COMMAND:
            return True
        case Place.FILE_SYSTEMS:
            return False
        case _:
            names = {name for group in plan.node_groups for name in _names(group)}
            return fault.where in _CALLED | _TYPES | names


def why_not(fault: Fault, plan: Plan, templates: Templates) -> str:
    """Returns why a fault that node groups meet is none for an environment; empty where it is one.

    Args:
        fault: The fault.
        plan: The environment's plan.
        templates: Its templates by the names of their stacks.
    """
    try:
        check(fault, templates)
    except FaultError as error:
        return str(error).partition("\n")[0].partition("; ")[0].removeprefix(f"{fault} ")
    if victim(fault, plan):
        return ""
    whose = "no node group stands" if fault.name in _WITHOUT_NODES else "no node starts in a group that it concerns"
    return f"{whose} after the deploy"


def victim(fault: Fault, plan: Plan) -> NodeGroupPlan | None:
    """Returns the node group whose stack is made anew to meet a fault; None where none would meet it."""
    groups = [group for group in plan.node_groups if not group.awaits_image]
    if fault.where is not None:
        named = [group for group in groups if fault.where in _names(group)]
        groups = named or groups
    if fault.name in _WITHOUT_NODES:
        return next(iter(groups), None)
    return next((group for group in groups if group.scaling.desired and _reserved(fault, group)), None)


def _has_file_system(plan: Plan) -> bool:
    return isinstance(plan.storage.lustre, LustrePlan)


def _is_of_file_system(fault: Fault) -> bool:
    return fault.kind.place is Place.FILE_SYSTEMS


def _reserved(fault: Fault, group: NodeGroupPlan) -> bool:
    template = group.launch_template
    reservation = template.capacity_reservation_id or template.capacity_reservation_resource_group_arn
    return bool(reservation) or not fault.name.startswith("reservation")


def _names(group: NodeGroupPlan) -> Iterator[str]:
    yield from (group.name, group.stack, group.launch_template.instance_type)


def _one(stage: Stage, fault: Fault) -> None:
    """Takes a node group down, and makes it anew under a fault and then without it."""
    group = victim(fault, stage.plan)
    assert group is not None  # noqa: S101 - asked before by ``why_not``
    say(f"{fault}: {fault.kind.does}")
    words = ("deploy", group.stack, "--exclusively", "--require-approval", "never")
    stage.step("destroy", group.stack, "--exclusively", "--force")
    if fault.name == "cli-killed":
        kill_half_way(stage, group.stack)
    else:
        deploy_under(stage, (fault,), words)
    stage.step(*words)
