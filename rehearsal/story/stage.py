"""What every part of a rehearsal's story acts with: the environment as it is edited, the CLI, and what stands."""

import json
import sys
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from rehearsal.kubernetes import view as clusters
from rehearsal.process import RunningServer
from rehearsal.sessions import session
from rehearsal.story.cdk import Cdk, CdkRun, clear_terminal_line, show_on_terminal, show_question
from rehearsal.story.edited import edited
from rehearsal.story.locking import RehearsalLock, lock
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from rehearsal.transport import ACCESS_KEY, SECRET_KEY
from rehearsal.tree import tree
from trnstack.environment import plan_file
from trnstack.findings import Path as YamlPath
from trnstack.findings import dotted
from trnstack.plan import Plan

#: The account that the embedded AWS acts in, whatever the environment names: the number that AWS's guides use as an
#: example, which nobody has, so that what was locked and built for a rehearsal fits no real account.
ACCOUNT = "123456789012"


class RehearsalError(Exception):
    """A step of the rehearsal did not end as it should; the message says which and shows what was printed."""


class Stage:
    """An environment in the embedded AWS.

    Attributes:
        plan: The plan of the file.
        file: The environment file: the person's, or the copy with the latest edit.
        folder: The rehearsal's own folder.
        cdk: The CLI.
    """

    def __init__(self, plan: Plan, environment_file: Path, folder: Path, aws: RunningServer) -> None:
        self.plan = plan
        self.file = environment_file
        self.folder = folder
        self.cdk = Cdk(aws.environment(region=plan.region, account=ACCOUNT), folder, show_on_terminal)
        self._aws = aws
        self._session = session(ACCESS_KEY, SECRET_KEY, None, plan.region)

    def client(self, service: str, region: str | None = None) -> Any:
        """Returns a service's client, in the environment's region unless another one is named."""
        return self._session.client(service, region_name=region or self.plan.region, endpoint_url=self._aws.endpoint)

    def lock(self) -> RehearsalLock:
        """Locks the environment with what the embedded AWS answers, and plans anew with that lock."""
        made = lock(self.file, self.folder, client=self.client, progress=show_question)
        clear_terminal_line()
        self.cdk.lock_file = made.file
        self.plan = self._planned()
        waiting = made.lock.awaiting_build
        image = f"; the custom image of {', '.join(waiting)} is not built yet" if waiting else ""
        say(f"  {made.seconds:5.1f} s  trnstack lock: every image, container, chart and add-on resolved{image}")
        if made.stand_ins:
            say(f"             stand-ins of the rehearsal's own, for want of archives: {', '.join(made.stand_ins)}")
        return made

    def edit(self, changes: Mapping[YamlPath, object]) -> Plan:
        """Goes on with an edited copy of the environment file; returns the plan of before."""
        before = self.plan
        self.file = edited(self.file, self.folder, changes)
        self.plan = self._planned()
        return before

    def survey(self) -> Survey:
        """Reads back what stands."""
        return survey(self.client, self._inside)

    def _inside(self, endpoint: str) -> Mapping[str, Any]:
        """Reads what is in a cluster, beside the embedded AWS."""
        url = f"{self._aws.endpoint}{clusters.PREFIX}{endpoint.removeprefix('https://')}"
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - the loopback address of the server
            found: Mapping[str, Any] = json.load(answer)
        return found

    def step(self, *words: str) -> CdkRun:
        """Runs the CDK CLI and prints how long it and each of its stacks took.

        Raises:
            RehearsalError: The CLI failed.
        """
        done = self.cdk.run(*words, environment_file=self.file)
        clear_terminal_line()
        if done.status:
            raise RehearsalError(f"cdk {done.command} ended with status {done.status}\n{done.last_lines}")
        say(f"  {done.seconds:5.1f} s  cdk {done.command}")
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
        found = self.survey()
        say(f"\n{title}\n\n{tree(found)}")
        check(differences(self.plan, found))
        say("All of it is as planned.\n")
        return found

    def _planned(self) -> Plan:
        return plan_file(self.file, lock_file=self.cdk.lock_file, to_deploy=True)


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
