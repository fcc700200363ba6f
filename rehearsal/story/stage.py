"""What every part of a rehearsal's story acts with: the environment as it is edited, the CLI, and what stands."""

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from ami.lock import path_for
from rehearsal.kubernetes import view as clusters
from rehearsal.process import RunningServer
from rehearsal.sessions import session
from rehearsal.story.cdk import Cdk
from rehearsal.story.control import Control
from rehearsal.story.edited import edited
from rehearsal.story.error import RehearsalError
from rehearsal.story.locking import RehearsalLock, lock
from rehearsal.story.record import DONE, WRONG, Step
from rehearsal.story.runs import CdkRun
from rehearsal.story.terminal import clear_terminal_line, show_on_terminal, show_question
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from rehearsal.transport import ACCESS_KEY, ACCOUNT, SECRET_KEY
from rehearsal.tree import tree
from trnstack.environment import plan_file
from trnstack.findings import Path as YamlPath
from trnstack.findings import dotted
from trnstack.plan import Plan

_WIDE = 120
_NO_DATA: Mapping[str, Any] = MappingProxyType({})


class Stage:
    """An environment in the embedded AWS.

    Attributes:
        plan: The plan of the file.
        file: The environment file: the person's, or the copy with the latest edit.
        folder: The rehearsal's own folder.
        cdk: The CLI.
        control: What is said to the embedded AWS beside what AWS is told.
        done: What was done until now.
    """

    def __init__(self, plan: Plan, environment_file: Path, folder: Path, aws: RunningServer, done: list[Step]) -> None:
        self.plan = plan
        self.file = environment_file
        self.folder = folder
        variables = aws.environment(region=plan.region, account=ACCOUNT)
        self.cdk = Cdk(variables, folder, show_on_terminal, own=aws.endpoint)
        self.control = Control(aws.endpoint)
        self.done = done
        self._own_lock = path_for(environment_file)
        self._aws = aws
        self._session = session(ACCESS_KEY, SECRET_KEY, None, plan.region)

    def client(self, service: str, region: str | None = None) -> Any:
        """Returns a service's client, in the environment's region unless another one is named."""
        return self._session.client(service, region_name=region or self.plan.region, endpoint_url=self._aws.endpoint)

    def lock(self) -> RehearsalLock:
        """Locks the environment with what the embedded AWS answers, and plans anew with that lock."""
        made = lock(self.file, self.folder, own=self._own_lock, client=self.client, progress=show_question)
        clear_terminal_line()
        self.cdk.lock_file = made.file
        self.plan = self._planned()
        waiting = made.lock.awaiting_build
        image = f"; the custom image of {', '.join(waiting)} is not built yet" if waiting else ""
        self.tell("trnstack lock", made.seconds, f"every image, container, chart and add-on resolved{image}")
        if made.stand_ins:
            say(f"             stand-ins of the rehearsal's own, for want of archives: {', '.join(made.stand_ins)}")
        return made

    def edit(self, changes: Mapping[YamlPath, object], *, lock: bool = False) -> Plan:
        """Goes on with an edited copy of the environment file; returns the plan of before.

        Args:
            changes: The edit.
            lock: Whether the edit asks for other pins, so that the copy has to be locked.
        """
        before = self.plan
        self.file = edited(self.file, self.folder, changes)
        if lock:
            self.lock()
        else:
            self.plan = self._planned()
        return before

    def survey(self) -> Survey:
        """Reads back what stands."""
        return survey(self.client, self._inside)

    def _inside(self, endpoint: str) -> Mapping[str, Any]:
        """Reads what is in a cluster, beside the embedded AWS."""
        found: Mapping[str, Any] = self.control.read(f"{clusters.PREFIX}{endpoint.removeprefix('https://')}")
        return found

    def tell(
        self, what: str, seconds: float, comment: str = "", *, outcome: str = DONE, data: Mapping[str, Any] = _NO_DATA
    ) -> None:
        """Prints a step that was done, with its seconds, and notes it."""
        self.note(what, seconds, comment, outcome=outcome, data=data)
        line = f"  {seconds:5.1f} s  {what}{f': {comment}' if comment else ''}"
        if comment and len(line) > _WIDE:
            line = f"  {seconds:5.1f} s  {what}\n             {comment}"
        say(line)

    def note(
        self, what: str, seconds: float, comment: str = "", *, outcome: str = DONE, data: Mapping[str, Any] = _NO_DATA
    ) -> None:
        """Notes a step of which something else is printed."""
        self.done.append(Step(what, seconds, outcome, comment, dict(data)))

    def attempt(self, *words: str, killed_when: Callable[[], bool] | None = None) -> CdkRun:
        """Runs the CDK CLI and prints nothing, for who has yet to see whether it ended as it should."""
        done = self.cdk.run(*words, environment_file=self.file, killed_when=killed_when)
        clear_terminal_line()
        return done

    def step(self, *words: str) -> CdkRun:
        """Runs the CDK CLI and prints how long it and each of its stacks took.

        Raises:
            RehearsalError: The CLI failed.
        """
        done = self.attempt(*words)
        if done.status:
            self.note(f"cdk {done.command}", done.seconds, f"status {done.status}", outcome=WRONG, data=stacks_of(done))
            raise RehearsalError(f"cdk {done.command} ended with status {done.status}\n{done.last_lines}")
        self.tell(f"cdk {done.command}", done.seconds, data=stacks_of(done))
        width = max((len(stack.name) for stack in done.stacks), default=0)
        for stack in done.stacks:
            finished = f"{stack.resources:3} {_noun(stack.resources):9}"
            say(f"             {stack.name:{width}}  {finished}  {stack.seconds:4.1f} s")
        return done

    def look(self, title: str, differences: Callable[[Plan, Survey], Iterable[str]]) -> Survey:
        """Prints what stands, read back from the services.

        Raises:
            RehearsalError: It is not what the plan says.
        """
        started = time.monotonic()
        found = self.survey()
        say(f"\n{title}\n\n{tree(found)}")
        check(differences(self.plan, found))
        say("All of it is as planned.\n")
        self.note(title, time.monotonic() - started, "all of it is as planned")
        return found

    def _planned(self) -> Plan:
        return plan_file(self.file, lock_file=self.cdk.lock_file, to_deploy=True)


def stacks_of(done: CdkRun) -> Mapping[str, Any]:
    """Returns what a run of the CLI did to each stack, as a step's data; empty where it concerned none."""
    if not done.stacks:
        return {}
    return {"stacks": [asdict(stack) | {"seconds": round(stack.seconds, 1)} for stack in done.stacks]}


def check(differences: Iterable[str]) -> None:
    """Ends the rehearsal where something differs.

    Raises:
        RehearsalError: It does; the message says what.
    """
    different = list(differences)
    if different:
        raise RehearsalError("what stands is not what was planned:\n  " + "\n  ".join(different))


def say(text: str, *, to: TextIO | None = None) -> None:
    """Prints a text at once."""
    stream = to or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def shown(changes: Mapping[YamlPath, object]) -> str:
    """Returns an edit as people write it."""
    values = {path: str(value).lower() if isinstance(value, bool) else value for path, value in changes.items()}
    return ", ".join(f"{dotted(path)}: {value}" for path, value in values.items())


def _noun(resources: int) -> str:
    return "resource" if resources == 1 else "resources"
