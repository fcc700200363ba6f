"""Runs the real CDK CLI and ``trnstack`` against a rehearsal, shows how far they are, and ends them with it."""

import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ami.lock import read
from ami.loopback import is_loopback
from rehearsal.sessions import NO_FILES
from rehearsal.story import processes
from rehearsal.story.error import RehearsalError
from rehearsal.story.jsii import jsii_cache
from rehearsal.story.runs import CdkRun, follow

PROJECT = Path(__file__).resolve().parent.parent.parent
BIN = PROJECT / ".venv" / "bin"

#: Settings of the person's own AWS account and CDK must not reach the CLI, nor must a proxy stand between it and us.
_FOREIGN = re.compile(r"^(AWS_|CDK_|(HTTPS?|ALL)_PROXY$)", re.IGNORECASE)
#: What needs no lock, since it deploys nothing of an environment.
_WITHOUT_LOCK = frozenset({"bootstrap"})
_SYNTHESIZE = frozenset({"deploy", "synth"})


class Cdk:
    """The pinned CDK CLI, and ``trnstack`` beside it, pointed at a rehearsal.

    Args:
        variables: The environment variables that point it there.
        own: The address of the rehearsal's own server, the only AWS against which anything is run.
        folder: A folder of the rehearsal's own, for everything that the CLI writes.
        progress: Told the stack and the number of finished resources whenever there is news.

    Attributes:
        lock_file: The lock that stacks are synthesized with; None takes the one beside the environment.
    """

    def __init__(
        self, variables: Mapping[str, str], folder: Path, progress: Callable[[str, int], None], *, own: str
    ) -> None:
        self._variables = variables
        self._own = own
        self._folder = folder
        self._progress = progress
        self.lock_file: Path | None = None
        self._synthesized: tuple[bytes, ...] = ()

    def run(self, *words: str, environment_file: Path, killed_when: Callable[[], bool] | None = None) -> CdkRun:
        """Runs ``cdk WORDS`` for the stacks of an environment file.

        What a deploy has synthesized does for the commands that follow it, until the environment or its lock changes:
        a synthesis takes longer than most of what they do.

        Args:
            *words: The command's words.
            environment_file: The environment.
            killed_when: Asked again and again while the CLI runs; when it says so, the CLI is killed with everything
                that it started, as by a machine that goes off.

        Raises:
            RehearsalError: It would reach another AWS than the rehearsal's own, or the lock is no rehearsal's.
        """
        self._require_own_lock(words[0])
        assembly = self._folder / "cdk.out"
        sources = self._sources(environment_file)
        is_ready = self.has_synthesized(environment_file)
        if is_ready:
            options = ["--app", str(assembly)]
        else:
            options = ["-c", f"environment={environment_file}", "--output", str(assembly)]
            options += ["-c", f"lock={self.lock_file}"] if self.lock_file else []
        options += ["--ci", "--no-color", *(["--progress", "events"] if words[0] == "deploy" else [])]
        done = self._run([str(BIN / "cdk"), *words, *options], " ".join(words), killed_when)
        if words[0] in _SYNTHESIZE and not is_ready:
            self._synthesized = sources if done.status == 0 else ()
        return done

    def has_synthesized(self, environment_file: Path) -> bool:
        """Says whether the assembly is that of an environment file and of the lock."""
        sources = self._sources(environment_file)
        return bool(sources) and sources == self._synthesized

    def _sources(self, environment_file: Path) -> tuple[bytes, ...]:
        files = (environment_file, self.lock_file)
        return tuple(file.read_bytes() for file in files if file is not None and file.is_file())

    def templates(self) -> dict[str, dict[str, Any]]:
        """Returns the templates that were synthesized last, by the names of their stacks."""
        assembly = self._folder / "cdk.out"
        artifacts = json.loads((assembly / "manifest.json").read_text(encoding="utf-8"))["artifacts"]
        return {
            each["properties"].get("stackName", name): json.loads(
                (assembly / each["properties"]["templateFile"]).read_text(encoding="utf-8")
            )
            for name, each in artifacts.items()
            if each["type"] == "aws:cloudformation:stack"
        }

    def _require_own_lock(self, command: str) -> None:
        """Refuses to synthesize with a lock that could reach a real account."""
        if command in _WITHOUT_LOCK:
            return
        if self.lock_file is None or read(self.lock_file).rehearsal_account is None:
            raise RehearsalError(f"cdk {command} is not run: the lock {self.lock_file or ''} was made in no rehearsal")

    def _require_own_aws(self) -> None:
        """Refuses to start anything whose AWS is not the rehearsal's own server."""
        addresses = {name: value for name, value in self._variables.items() if name.startswith("AWS_ENDPOINT_URL")}
        if addresses != {"AWS_ENDPOINT_URL": self._own} or not is_loopback(self._own):
            named = ", ".join(f"{name}={value}" for name, value in addresses.items()) or "no address at all"
            raise RehearsalError(f"nothing is run against {named}: the rehearsal's own AWS is {self._own}")

    def trnstack(self, *words: str) -> CdkRun:
        """Runs ``trnstack WORDS``, whose AWS is the embedded one too; what it keeps goes with the rehearsal."""
        return self._run([sys.executable, "-m", "trnstack.cli", *words], " ".join(words))

    def _run(self, command: Sequence[str], said: str, killed_when: Callable[[], bool] | None = None) -> CdkRun:
        self._require_own_aws()
        started = time.monotonic()
        with processes.start(command, folder=PROJECT, variables=self._process_environment()) as process:
            if killed_when is not None:
                threading.Thread(target=processes.kill, args=(process, killed_when), daemon=True).start()
            try:
                lines, stacks = follow(iter(process.stdout or ()), self._progress)
                status = process.wait()
            finally:
                processes.end(process)
        return CdkRun(said, status, time.monotonic() - started, tuple(stacks), tuple(lines))

    def _process_environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not _FOREIGN.match(name)}
        return {
            **own,
            **self._variables,
            "PATH": f"{BIN}{os.pathsep}{own.get('PATH', os.defpath)}",
            # Programs differ in which spelling they read.
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
            **NO_FILES,
            "XDG_CACHE_HOME": str(self._folder / "cache"),
            "CDK_HOME": str(self._folder / "cdk-home"),
            **jsii_cache(self._folder),
            # What the CLI leaves behind when it is ended in the middle goes with the rehearsal's folder.
            "TMPDIR": str(self._folder),
            "CDK_DISABLE_VERSION_CHECK": "1",
            "CDK_DISABLE_CLI_TELEMETRY": "1",
            # The templates are checked in the tests; here the second that the validation takes is not worth it.
            "CDK_VALIDATION": "false",
        }
