"""Which faults the first deploy would meet, as far as the plan tells: asked before anything is started."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rehearsal.faults import Fault, FaultError
from rehearsal.faults.names import NODE_GROUP, check_name, is_accelerated, needs_reservation
from rehearsal.faults.table import Place
from trnstack.plan import Plan
from trnstack.plan.model import LustrePlan, NodeGroupPlan

#: What templates alone know: logical ids, which the CDK writes in letters and digits with a capital first.
_LOGICAL_ID = re.compile(r"[A-Z][A-Za-z0-9]*")
#: The name of a zone, which differs from account to account; plans name zones by their ids.
_ZONE_NAME = re.compile(r"[a-z]{2}(-[a-z]+)+-\d[a-z]")
_LATER = (
    "nodes that start later meet it: give --keep in place of --fault, set it at /_rehearsal/faults,\n"
    "    and let time pass at /_rehearsal/clock or raise the group's size: docs/rehearsing.md"
)


def check_by_plan(faults: Sequence[Fault], plan: Plan, *, in_first_deploy: bool) -> None:
    """Refuses the faults of which the plan tells already that they meet nothing; templates tell of the others.

    Args:
        faults: The faults.
        plan: The environment's plan.
        in_first_deploy: Whether they are to strike in the first deploy, where nodes have to start to meet one.

    Raises:
        FaultError: Says which names there are, or when nodes start.
    """
    for fault in faults:
        match fault.kind.place:
            case Place.NODES:
                _check_nodes(fault, plan, in_first_deploy=in_first_deploy)
            case Place.FILE_SYSTEMS if in_first_deploy and not isinstance(plan.storage.lustre, LustrePlan):
                raise FaultError(f"{fault} meets nothing: the environment makes no file system")
            case Place.COMMAND:
                check_name(fault, dict.fromkeys((stack.name for stack in plan.stacks), 1))
            case _:
                pass


def _check_nodes(fault: Fault, plan: Plan, *, in_first_deploy: bool) -> None:
    groups = (plan.cluster.system_nodes, *plan.node_groups)
    if fault.where is not None:
        if _is_known_later(fault.where, groups):
            return
        check_name(fault, dict.fromkeys((name for group in groups for name in _names(group)), 1))
    if not in_first_deploy:
        return
    concerned = [group for group in groups if _concerns(fault, group)]
    if not concerned:
        raise FaultError(
            f"{fault} meets nothing: it strikes {fault.kind.without}"
            f"\n  hint: there are {', '.join(sorted({name for group in groups for name in _names(group)}))}"
        )
    if not any(group.scaling.desired for group in concerned):
        raise FaultError(
            f"{fault} meets nothing in the first deploy: no node starts in it\n  {_groups(concerned)}\n  hint: {_LATER}"
        )


def _is_known_later(where: str, groups: Iterable[NodeGroupPlan]) -> bool:
    """Says whether a name may be one of a template's, or a zone's of the account's own."""
    stack, slash, logical_id = where.rpartition("/")
    if slash:
        return stack in {group.stack for group in groups} and bool(_LOGICAL_ID.fullmatch(logical_id))
    return where == NODE_GROUP or bool(_ZONE_NAME.fullmatch(where) or _LOGICAL_ID.fullmatch(where))


def _names(group: NodeGroupPlan) -> Iterator[str]:
    template = group.launch_template
    yield from (group.name, group.stack, template.instance_type, *group.availability_zone_ids)
    if template.capacity_reservation_id:
        yield template.capacity_reservation_id


def _concerns(fault: Fault, group: NodeGroupPlan) -> bool:
    template = group.launch_template
    reserved = bool(template.capacity_reservation_id or template.capacity_reservation_resource_group_arn)
    if needs_reservation(fault) and not reserved:
        return False
    if fault.where is None:
        return needs_reservation(fault) or is_accelerated(template.instance_type)
    return fault.where in _names(group)


def _groups(groups: Iterable[NodeGroupPlan]) -> str:
    """Tells how many nodes each group starts with, and what happens to it later."""
    return "; ".join(_group(group) for group in groups)


def _group(group: NodeGroupPlan) -> str:
    schedules = group.block.schedules if group.block else ()
    later = "".join(
        f", and by its schedule with {one.desired_size} at {one.at} UTC" for one in schedules if one.desired_size
    )
    return f"node group {group.name} ({group.launch_template.instance_type}) starts with {group.scaling.desired}{later}"
