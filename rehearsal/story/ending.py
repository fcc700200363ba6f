"""How a rehearsal takes an environment down: by the steps of ``trnstack teardown``."""

from rehearsal.story.error import RehearsalError
from rehearsal.story.expectations import kept_differently
from rehearsal.story.record import REFUSED
from rehearsal.story.stage import Stage, say, shown
from rehearsal.survey.records import Survey
from trnstack.advice.teardown import Step, teardown

_REFUSED_BY = "TerminationProtection"
#: What people are asked by the CLI, and nobody answers here.
_UNASKED = {"deploy": ("--require-approval", "never"), "destroy": ("--force",)}


def take_down(stage: Stage) -> Survey:
    """Follows the ordinary way of a teardown, and returns what still stands.

    The commands of ``cdk`` are run. Those of ``aws`` and ``kubectl`` ask for what nothing made here.

    Raises:
        RehearsalError: Something is deleted that must not be, or stays that should go.
    """
    say("Taking it down")
    way = teardown(stage.plan)
    for stack in way.protected:
        _refusal(stage, stack)
    for step in way.steps:
        _follow(stage, step)
    return stage.look("What still stands, since it holds data or other stacks need it", kept_differently)


def _follow(stage: Stage, step: Step) -> None:
    changes: dict[tuple[str | int, ...], object] = {tuple(edit.path.split(".")): edit.value for edit in step.edits}
    if changes:
        stage.edit(changes)
    for command in step.commands:
        program, *words = command.split()
        if program == "cdk":
            stage.step(*words, *_UNASKED[words[0]])
    if changes:
        say(f"             ({shown(changes)})")


def _refusal(stage: Stage, stack: str) -> None:
    """Shows that a stack which holds data, or on which others stand, is not deleted by a slip."""
    done = stage.attempt("destroy", stack, "--exclusively", "--force")
    if done.status == 0 or _REFUSED_BY not in "".join(done.lines):
        raise RehearsalError(f"cdk destroy {stack} should be refused by termination protection\n{done.last_lines}")
    stage.tell(f"cdk destroy {stack}", done.seconds, "refused, it has termination protection", outcome=REFUSED)
