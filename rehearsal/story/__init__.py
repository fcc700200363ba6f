"""Tells the life of an environment against an embedded AWS: lock, bootstrap, deploy, look, change, and take down.

Every step is a run of the real CDK CLI or of ``trnstack``, and every step is checked: a deploy that stands otherwise
than planned, a change or a deletion that should be refused and is not, or data that is lost ends the rehearsal with
exit code 1.
"""

import contextlib
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ami.archives import folder_of
from ami.lock import path_for
from ami.resolve import ResolveError
from rehearsal.faults import FaultError
from rehearsal.keeping import StateError, opened
from rehearsal.process import FOLDER_PREFIX, RunningServer, ServerRefusedError, ServerStartError, server
from rehearsal.story.error import RehearsalError
from rehearsal.story.keeping_up import keep_up
from rehearsal.story.meeting import check_by_plan
from rehearsal.story.record import Step, to_json
from rehearsal.story.scenarios import tell
from rehearsal.story.stage import Stage, say
from rehearsal.story.standing import server_options
from rehearsal.story.terminal import clear_terminal_line
from rehearsal.story.wanted import FAULTS, Wanted
from rehearsal.transport import ACCOUNT
from trnstack.environment import plan_file
from trnstack.findings import InvalidEnvironmentError, render
from trnstack.plan import Plan

__all__ = ["Wanted", "refuse", "run"]

PLANNED, NOT_PLANNED, USAGE, INTERRUPTED = 0, 1, 2, 130
_OUTCOMES = {PLANNED: "as planned", NOT_PLANNED: "failed", USAGE: "wrong usage", INTERRUPTED: "stopped"}


def run(environment_file: Path, wanted: Wanted | None = None) -> int:
    """Rehearses an environment and prints what happens; returns the process's exit code.

    0: all went as planned. 1: the environment has errors, or a step did not end as it should. 2: what was asked for
    can't be: a fault that meets nothing, a state that can't be read. 130: it was stopped.
    """
    wanted, steps, started = wanted or Wanted(), list[Step](), time.monotonic()
    with contextlib.redirect_stdout(sys.stderr) if wanted.as_json else contextlib.nullcontext():
        status, error = _run(environment_file, wanted, steps)
        clear_terminal_line()
        seconds = time.monotonic() - started
        if error:
            say(error, to=sys.stderr)
        if status == PLANNED:
            say(f"Rehearsed in {seconds:.0f} s; the embedded AWS is gone, no account was touched.")
    if wanted.as_json:
        _say_json(environment_file, wanted, status, seconds, steps, error)
    return status


def refuse(environment_file: Path, wanted: Wanted, sentence: str, *, with_table: str = "") -> int:
    """Says why what a person wrote can't be rehearsed, as JSON too where that is asked for; returns the exit code.

    Args:
        environment_file: The environment file.
        wanted: What was wanted, as far as it can be read.
        sentence: What is wrong.
        with_table: The same for a person, where that is longer.
    """
    say(with_table or sentence, to=sys.stderr)
    if wanted.as_json:
        _say_json(environment_file, wanted, USAGE, 0.0, (), sentence)
    return USAGE


def _say_json(
    environment_file: Path, wanted: Wanted, status: int, seconds: float, steps: Sequence[Step], error: str
) -> None:
    told = to_json(
        environment=str(environment_file),
        scenario=wanted.scenario,
        outcome=_OUTCOMES[status],
        seconds=seconds,
        steps=steps,
        error=error.strip(),
    )
    say(told)


def _run(environment_file: Path, wanted: Wanted, steps: list[Step]) -> tuple[int, str]:
    """Rehearses, notes the steps, and returns the exit code with what is said of a failure."""
    try:
        plan = plan_file(environment_file)
        check_by_plan(wanted.faults, plan, in_first_deploy=wanted.scenario != FAULTS)
        _check_files(wanted)
        with _interruptible(), tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as name:
            _with_server(plan, environment_file.resolve(), Path(name), wanted, steps)
    except InvalidEnvironmentError as error:
        return NOT_PLANNED, render(error.findings)
    except (StateError, FaultError, ServerRefusedError) as error:
        return USAGE, f"\n{error}"
    except (RehearsalError, ServerStartError, ResolveError, OSError) as error:
        return NOT_PLANNED, f"\nrehearsal failed: {error}"
    except KeyboardInterrupt:
        return INTERRUPTED, "\nrehearsal stopped; the embedded AWS is gone and nothing of it is left"
    return PLANNED, ""


def _check_files(wanted: Wanted) -> None:
    """Refuses files of a state before anything is started.

    Raises:
        StateError: The one to load can't be read, or the other can't be written.
    """
    if wanted.load:
        opened(wanted.load)
    if wanted.save:
        _check_place(wanted.save)


def _check_place(file: Path) -> None:
    """Refuses a place where no file can be saved, which would else be noticed when everything is done.

    Raises:
        StateError: Says why not.
    """
    folder = file.absolute().parent
    if not folder.is_dir():
        raise StateError(f"{file}: there is no folder {file.parent} to save in")
    if file.exists() and not file.is_file():
        what = "a folder" if file.is_dir() else "no ordinary file"
        raise StateError(f"{file}: this is {what}, and can't be saved in\n  hint: name a file, new or to be replaced")
    try:
        # Tried, as rights alone do not tell of a file system that is full or read-only.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StateError(
            f"{file}: nothing can be saved in {file.parent}: {error.strerror or error}\n  hint: name another folder"
        ) from error


def _with_server(plan: Plan, environment_file: Path, folder: Path, wanted: Wanted, steps: list[Step]) -> None:
    lock_file = path_for(environment_file)
    options = ["--pins", str(lock_file), "--charts", str(folder_of(lock_file))]
    if wanted.load:
        options += ["--load", str(wanted.load)]
        say(f"Making again what {wanted.load} has, call by call", to=sys.stderr)
    else:
        options += server_options(plan, account=ACCOUNT, folder=folder)
    if wanted.load or wanted.save:
        options += ["--journal", str(folder / "journal")]
    with server(*options, folder=folder) as aws:
        stage = Stage(plan, environment_file, folder, aws, steps)
        say(f"Rehearsal of {stage.file.name}: the real CDK CLI against an embedded AWS, {stage.plan.region}\n")
        tell(stage, wanted)
        _save(stage, wanted)
        if wanted.keep:
            _keep(stage, aws, wanted)


def _keep(stage: Stage, aws: RunningServer, wanted: Wanted) -> None:
    """Lets a person work with what stands until he ends it, which is an end as planned."""
    try:
        keep_up(stage, aws)
    except KeyboardInterrupt:
        clear_terminal_line()
        say("")
        _save(stage, wanted)


def _save(stage: Stage, wanted: Wanted) -> None:
    if wanted.save is None:
        return
    started = time.monotonic()
    stage.control.save(wanted.save)
    stage.tell(f"saved in {wanted.save}", time.monotonic() - started)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Lets a request to terminate, or the terminal's end, be as Ctrl-C is: everything that was started ends too."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
