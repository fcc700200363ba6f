"""Tells the life of an environment against an embedded AWS: lock, bootstrap, deploy, look, change, and take down.

Every step is a run of the real CDK CLI or of ``trnstack``, and every step is checked: a deploy that stands otherwise
than planned, a change or a deletion that should be refused and is not, or data that is lost ends the rehearsal with
exit code 1.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ami.archives import folder_of
from ami.lock import path_for
from ami.resolve import ResolveError
from rehearsal.process import ServerStartError, server
from rehearsal.story import data
from rehearsal.story.cdk import clear_terminal_line
from rehearsal.story.changing import change
from rehearsal.story.ending import take_down
from rehearsal.story.expectations import deployed_differently
from rehearsal.story.stage import ACCOUNT, RehearsalError, Stage, check, say
from rehearsal.story.standing import server_options
from trnstack.environment import plan_file
from trnstack.findings import InvalidEnvironmentError, render

_INTERRUPTED = 130


def run(environment_file: Path) -> int:
    """Rehearses an environment and prints what happens; returns the process's exit code.

    0: all went as planned. 1: the environment has errors, or a step did not end as it should.
    """
    started = time.monotonic()
    try:
        plan = plan_file(environment_file)
    except InvalidEnvironmentError as error:
        say(render(error.findings), to=sys.stderr)
        return 1
    try:
        with _interruptible(), tempfile.TemporaryDirectory(prefix="trnstack-rehearsal-") as name:
            folder = Path(name)
            options = server_options(plan, account=ACCOUNT, folder=folder)
            lock_file = path_for(environment_file)
            with server(*options, "--pins", str(lock_file), "--charts", str(folder_of(lock_file))) as aws:
                _tell(Stage(plan, environment_file.resolve(), folder, aws))
    except (RehearsalError, ServerStartError, ResolveError) as error:
        clear_terminal_line()
        say(f"\nrehearsal failed: {error}", to=sys.stderr)
        return 1
    except KeyboardInterrupt:
        clear_terminal_line()
        say("\nrehearsal stopped; the embedded AWS is gone and nothing of it is left", to=sys.stderr)
        return _INTERRUPTED
    say(f"Rehearsed in {time.monotonic() - started:.0f} s; the embedded AWS is gone, no account was touched.")
    return 0


def _tell(stage: Stage) -> None:
    """Tells the steps, in their order."""
    say(f"Rehearsal of {stage.file.name}: the real CDK CLI against an embedded AWS, {stage.plan.region}\n")
    waiting = stage.lock().lock.awaiting_build
    stage.step("bootstrap", f"aws://{ACCOUNT}/{stage.plan.region}")
    if waiting:
        _build(stage)
    stage.step("deploy", "--all", "--require-approval", "never")
    found = stage.look("What stands", deployed_differently)
    written = data.write(stage.plan, found, stage.client("s3"))
    change(stage, found)
    found = take_down(stage)
    check(data.lost(written, found, stage.client("s3")))
    also = f"; and file system {written.file_system_id}" if written.file_system_id else ""
    say(f"Still there: s3://{written.bucket}/{written.key}, with its content{also}.\n")


def _build(stage: Stage) -> None:
    """Builds the custom images that node groups wait for, and locks their ids."""
    stage.step("deploy", f"{stage.plan.name}-images", "--require-approval", "never")
    still = stage.lock().lock.awaiting_build
    if still:
        raise RehearsalError(f"there is no image for {', '.join(still)} after the images' stack was deployed")


@contextmanager
def _interruptible() -> Iterator[None]:
    """Lets a request to terminate end the rehearsal as Ctrl-C does: everything that it started ends with it."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
