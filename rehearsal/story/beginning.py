"""How every scenario begins: lock, bootstrap, build what node groups wait for, deploy, look at what stands."""

import time

from rehearsal.faults import Fault
from rehearsal.story.error import RehearsalError
from rehearsal.story.estimate import estimate
from rehearsal.story.expectations import deployed_differently
from rehearsal.story.failing import deploy_under
from rehearsal.story.stage import Stage, say
from rehearsal.survey.records import Survey
from rehearsal.transport import ACCOUNT


def begin(stage: Stage, faults: tuple[Fault, ...] = (), *, in_turn: bool = False) -> Survey:
    """Deploys the environment, and returns what stands.

    Args:
        stage: The environment, of which nothing stands yet, or what was loaded.
        faults: What goes wrong in the first deploy; a second one, without them, has to get over it.
        in_turn: Whether there is a first deploy for each of them, and not one with all of them.

    Raises:
        RehearsalError: A step failed, or what stands is not what was planned.
        FaultError: A fault would meet nothing of this environment.
    """
    waiting = stage.lock().lock.awaiting_build
    stage.step("bootstrap", f"aws://{ACCOUNT}/{stage.plan.region}")
    if waiting:
        _build(stage)
    for together in [(fault,) for fault in faults] if in_turn else [faults] if faults else []:
        deploy_under(stage, together)
    stage.step("deploy", "--all", "--require-approval", "never")
    found = stage.look("What stands", deployed_differently)
    started = time.monotonic()
    made = estimate(stage.client("cloudformation"), [stack.name for stack in stage.plan.stacks])
    say(f"{made.text}\n")
    stage.note("estimate of the time on AWS", time.monotonic() - started, made.text, data=made.data)
    return found


def _build(stage: Stage) -> None:
    """Builds the custom images that node groups wait for, and locks their ids."""
    stage.step("deploy", f"{stage.plan.name}-images", "--require-approval", "never")
    still = stage.lock().lock.awaiting_build
    if still:
        raise RehearsalError(f"there is no image for {', '.join(still)} after the images' stack was deployed")
