"""Updates of every kind: in place, by new nodes, refused by the guard, and one that fails and is rolled back."""

from rehearsal.faults import Fault, parse
from rehearsal.story.beginning import begin
from rehearsal.story.changing import change, follow
from rehearsal.story.edits import of_nodes
from rehearsal.story.error import RehearsalError
from rehearsal.story.expectations import deployed_differently
from rehearsal.story.failing import deploy_under
from rehearsal.story.stage import Stage, check, say, shown
from rehearsal.survey.records import Survey
from trnstack.advice.steps import steps

_DENIED = parse("access-denied@eks:UpdateNodegroupVersion")
_ROLLED_BACK = "UPDATE_ROLLBACK_COMPLETE"


def update_it(stage: Stage, faults: tuple[Fault, ...] = ()) -> None:
    """Tells them.

    Args:
        stage: The environment.
        faults: What goes wrong in the first deploy.

    Raises:
        RehearsalError: An update did something else than it should.
    """
    found = change(stage, begin(stage, faults))
    say("Changing it while something goes wrong")
    _fail(stage, found)


def _fail(stage: Stage, found: Survey) -> None:
    """Lets an update of nodes fail: everything is as before, and the next deploy converges."""
    changes = of_nodes(stage.plan)
    old = stage.edit(changes)
    stack = stage.plan.node_groups[0].stack
    deploy_under(stage, (_DENIED,), ("deploy", stack, "--exclusively", "--require-approval", "never"))
    after = stage.survey()
    status = next((each.status for each in after.stacks if each.name == stack), "gone")
    if status != _ROLLED_BACK:
        raise RehearsalError(f"stack {stack} should be {_ROLLED_BACK} after an update that failed, and is {status}")
    standing = (line for line in deployed_differently(old, after) if status not in line)
    nodes = [
        f"nodes of {name} were replaced by an update that failed"
        for name, ids in _nodes(found).items()
        if _nodes(after).get(name) != ids
    ]
    check((*standing, *nodes))
    say(f"             rolled back: {stack} is {_ROLLED_BACK}, everything is as before, every node the same")
    follow(stage, steps(old, stage.plan))
    check(deployed_differently(stage.plan, stage.survey()))
    say(f"             ({shown(changes)}) the second deploy converges\n")


def _nodes(found: Survey) -> dict[str, tuple[str, ...]]:
    return {group.name: group.instance_ids for cluster in found.clusters for group in cluster.node_groups}
