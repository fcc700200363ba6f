"""What a rehearsal changes while it stands: in place, by new nodes, and not at all where the file system would go."""

import shutil
from collections.abc import Callable, Iterator, Sequence

from ami.lock import path_for
from rehearsal.story.edits import Changes, in_place, of_nodes, replacing
from rehearsal.story.error import RehearsalError
from rehearsal.story.expectations import deployed_differently
from rehearsal.story.record import REFUSED
from rehearsal.story.stage import Stage, check, say, shown
from rehearsal.story.terminal import clear_terminal_line
from rehearsal.survey.records import Survey
from trnstack.advice.steps import Step, steps

_REFUSED = 3
_LOST = ("AWS::FSx::FileSystem", "LOSES DATA")


def change(stage: Stage, found: Survey) -> Survey:
    """Deploys two edits as updates, each of them alone, and has the guard refuse a third one.

    Args:
        stage: What stands.
        found: What a survey found of it.

    Returns:
        What stands then.

    Raises:
        RehearsalError: An update did something else than it should, or the guard let pass what it must not.
    """
    say("Changing it")
    found = update(stage, found, in_place(stage.plan), _same_nodes)
    say("             in place: every node is still the same")
    found = update(stage, found, of_nodes(stage.plan), _new_nodes)
    some = _nodes(found)[stage.plan.node_groups[0].name]
    say(f"             {'every node of the group is a new one' if some else 'the group has no node now'}")
    _guard(stage)
    say("")
    return found


def update(
    stage: Stage,
    before: Survey,
    changes: Changes,
    nodes_differently: Callable[[Stage, Survey, Survey], Iterator[str]],
) -> Survey:
    """Deploys an edit as ``trnstack plan --against`` says; returns what stands then."""
    old = stage.edit(changes)
    follow(stage, steps(old, stage.plan))
    found = stage.survey()
    check((*deployed_differently(stage.plan, found), *nodes_differently(stage, before, found)))
    say(f"             ({shown(changes)})")
    return found


def follow(stage: Stage, way: Sequence[Step]) -> None:
    """Runs the deploys of a change, in their order, each of its own stack alone."""
    for step in way:
        words = step.command.partition(" -c environment=")[0].split()[1:]
        stage.step(*words, "--exclusively", "--require-approval", "never")


def _same_nodes(_: Stage, before: Survey, after: Survey) -> Iterator[str]:
    yield from _same_releases(before, after)
    old, new = _nodes(before), _nodes(after)
    yield from (f"nodes of {name} were replaced by a change in place" for name in old if old[name] != new.get(name))


def _same_releases(before: Survey, after: Survey) -> Iterator[str]:
    """Compares releases, which nothing of these edits concerns: a deploy that upgraded one would restart its pods."""
    old, new = (
        {each.name: each.revision for one in found.clusters for each in one.releases} for found in (before, after)
    )
    yield from (f"release {name} was upgraded without need" for name in old if old[name] != new.get(name))


def _new_nodes(stage: Stage, before: Survey, after: Survey) -> Iterator[str]:
    yield from _same_releases(before, after)
    changed, old, new = stage.plan.node_groups[0].name, _nodes(before), _nodes(after)
    if set(old[changed]) & set(new[changed]):
        yield f"nodes of {changed} were not replaced"
    yield from (f"nodes of {name} were replaced" for name in old if name != changed and old[name] != new[name])


def _nodes(found: Survey) -> dict[str, tuple[str, ...]]:
    return {group.name: group.instance_ids for cluster in found.clusters for group in cluster.node_groups}


def _guard(stage: Stage) -> None:
    """Shows that an edit which would replace the file system is refused before any deploy."""
    folder = stage.folder / "guard"
    edit = replacing(stage.plan, stage.file, folder)
    if edit is None:
        return
    changes, copy = edit
    if stage.cdk.lock_file:
        shutil.copyfile(stage.cdk.lock_file, path_for(copy))
    done = stage.cdk.trnstack("diff", "--deployed", str(copy), "--fail-on", "data-loss")
    clear_terminal_line()
    if done.status != _REFUSED or not any(all(word in line for word in _LOST) for line in done.lines):
        raise RehearsalError(f"trnstack diff should refuse {shown(changes)}\n{done.last_lines}")
    said = f"trnstack diff --deployed {copy.name} --fail-on data-loss"
    stage.tell(said, done.seconds, "refused, the file system would be lost", outcome=REFUSED)
    say(f"             ({shown(changes)}) not deployed")
