"""Tells the life of an environment against an embedded AWS: lock, bootstrap, deploy, look, and take down what may go.

Every step is a run of the real CDK CLI, and every step is checked: a deploy that stands otherwise than planned, or a
deletion that should be refused and is not, ends the rehearsal with exit code 1.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import boto3

from ami.lock import path_for
from ami.resolve import ResolveError
from rehearsal.process import RunningServer, ServerStartError, server
from rehearsal.story.cdk import Cdk, CdkRun, clear_terminal_line, show_on_terminal, show_question
from rehearsal.story.expectations import deployed_differently, kept_differently
from rehearsal.story.locking import RehearsalLock, lock
from rehearsal.story.standing import server_options
from rehearsal.story.unprotected import without_deletion_protection
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from rehearsal.transport import ACCESS_KEY, SECRET_KEY
from rehearsal.tree import tree
from trnstack.environment import plan_file
from trnstack.findings import InvalidEnvironmentError, render
from trnstack.plan import Plan

#: The account that the embedded AWS acts in, whatever the environment names: the number that AWS's guides use as an
#: example, which nobody has, so that what was locked and built for a rehearsal fits no real account.
ACCOUNT = "123456789012"
_REFUSED_BY = "TerminationProtection"
_INTERRUPTED = 130


class RehearsalError(Exception):
    """A step of the rehearsal did not end as it should; the message says which and shows what was printed."""


def run(environment_file: Path) -> int:
    """Rehearses an environment and prints what happens; returns the process's exit code.

    0: all went as planned. 1: the environment has errors, or a step did not end as it should.
    """
    started = time.monotonic()
    try:
        plan = plan_file(environment_file)
    except InvalidEnvironmentError as error:
        _say(render(error.findings), to=sys.stderr)
        return 1
    try:
        with _interruptible(), tempfile.TemporaryDirectory(prefix="trnstack-rehearsal-") as name:
            folder = Path(name)
            options = server_options(plan, account=ACCOUNT, folder=folder)
            with server(*options, "--pins", str(path_for(environment_file))) as aws:
                _Story(plan, environment_file.resolve(), folder, aws).tell()
    except (RehearsalError, ServerStartError, ResolveError) as error:
        clear_terminal_line()
        _say(f"\nrehearsal failed: {error}", to=sys.stderr)
        return 1
    except KeyboardInterrupt:
        clear_terminal_line()
        _say("\nrehearsal stopped; the embedded AWS is gone and nothing of it is left", to=sys.stderr)
        return _INTERRUPTED
    _say(f"Rehearsed in {time.monotonic() - started:.0f} s; the embedded AWS is gone, no account was touched.")
    return 0


class _Story:
    """The steps, in their order."""

    def __init__(self, plan: Plan, environment_file: Path, folder: Path, aws: RunningServer) -> None:
        self._plan = plan
        self._file = environment_file
        self._folder = folder
        self._aws = aws
        self._session = boto3.Session(ACCESS_KEY, SECRET_KEY, region_name=plan.region)
        variables = aws.environment(region=plan.region, account=ACCOUNT)
        self._cdk = Cdk(variables, folder, show_on_terminal)

    def tell(self) -> None:
        _say(f"Rehearsal of {self._file.name}: the real CDK CLI against an embedded AWS, {self._plan.region}\n")
        waiting = self._lock().lock.awaiting_build
        self._step("bootstrap", f"aws://{ACCOUNT}/{self._plan.region}")
        if waiting:
            self._build()
        plan = self._plan
        self._step("deploy", "--all", "--require-approval", "never")
        self._look("What stands", deployed_differently)
        _say("Taking it down")
        self._refusal()
        self._lift_deletion_protection()
        temporary = [stack.name for stack in reversed(plan.stacks) if not stack.termination_protection]
        self._step("destroy", *temporary, "--exclusively", "--force")
        self._look("What still stands, since it holds data or other stacks need it", kept_differently)

    def _client(self, service: str, region: str) -> Any:
        return self._session.client(service, region_name=region, endpoint_url=self._aws.endpoint)

    def _lock(self) -> RehearsalLock:
        """Locks the environment with what the embedded AWS answers, and plans anew with that lock."""
        made = lock(self._file, self._folder, client=self._client, progress=show_question)
        clear_terminal_line()
        self._cdk.lock_file = made.file
        self._plan = plan_file(self._file, lock_file=made.file, to_deploy=True)
        waiting = made.lock.awaiting_build
        image = f"; the custom image of {', '.join(waiting)} is not built yet" if waiting else ""
        _say(f"  {made.seconds:5.1f} s  trnstack lock: every image, container, chart and add-on resolved{image}")
        return made

    def _build(self) -> None:
        """Builds the custom images that node groups wait for, and locks their ids."""
        self._step("deploy", f"{self._plan.name}-images", "--require-approval", "never")
        still = self._lock().lock.awaiting_build
        if still:
            raise RehearsalError(f"there is no image for {', '.join(still)} after the images' stack was deployed")

    def _survey(self) -> Survey:
        return survey(lambda service: self._client(service, self._plan.region))

    def _step(self, *words: str, environment_file: Path | None = None) -> CdkRun:
        """Runs the CLI and prints how long it and each of its stacks took.

        Raises:
            RehearsalError: The CLI failed.
        """
        done = self._cdk.run(*words, environment_file=environment_file or self._file)
        clear_terminal_line()
        if done.status:
            raise RehearsalError(f"cdk {done.command} ended with status {done.status}\n{done.last_lines}")
        _say(f"  {done.seconds:5.1f} s  cdk {done.command}")
        width = max((len(stack.name) for stack in done.stacks), default=0)
        for stack in done.stacks:
            finished = f"{stack.resources:3} {_noun(stack.resources):9}"
            _say(f"             {stack.name:{width}}  {finished}  {stack.seconds:4.1f} s")
        return done

    def _look(self, title: str, differences: Callable[[Plan, Survey], Iterable[str]]) -> None:
        """Prints what stands, read back from the services.

        Raises:
            RehearsalError: It is not what the plan says.
        """
        found = self._survey()
        _say(f"\n{title}\n\n{tree(found)}")
        different = list(differences(self._plan, found))
        if different:
            raise RehearsalError("what stands is not what was planned:\n  " + "\n  ".join(different))
        _say("All of it is as planned.\n")

    def _refusal(self) -> None:
        """Shows that stacks which hold data, or on which others stand, are not deleted by a slip."""
        protected = [stack.name for stack in reversed(self._plan.stacks) if stack.termination_protection]
        for name in protected:
            done = self._cdk.run("destroy", name, "--exclusively", "--force", environment_file=self._file)
            clear_terminal_line()
            if done.status == 0 or _REFUSED_BY not in "".join(done.lines):
                raise RehearsalError(
                    f"cdk destroy {name} should be refused by termination protection\n{done.last_lines}"
                )
            _say(f"  {done.seconds:5.1f} s  cdk destroy {name}: refused, it has termination protection")

    def _lift_deletion_protection(self) -> None:
        """Deploys the edit that a person makes first: a cluster with deletion protection can't be deleted."""
        if self._plan.cluster.deletion_protection:
            copy = without_deletion_protection(self._file, self._folder)
            stack = f"{self._plan.name}-cluster"
            self._step("deploy", stack, "--exclusively", "--require-approval", "never", environment_file=copy)
            _say("             (eks.deletion_protection: false)")


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


def _say(text: str, *, to: TextIO | None = None) -> None:
    stream = to or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def _noun(resources: int) -> str:
    return "resource" if resources == 1 else "resources"
