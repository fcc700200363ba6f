"""Environments that are rehearsed within one process, for tests: no server, no CDK CLI, no account.

``rehearsal.pytest_plugin`` makes a fixture of it. Whoever wants a deployed environment for a whole module, or outside
pytest, takes ``rehearsed`` itself::

    with rehearsed(Path("environments/llama3-8b.yaml")) as aws:
        assert len(aws.survey().clusters) == 1
"""

import datetime as dt
import functools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
from moto.core.models import botocore_stubber

from rehearsal import clock
from rehearsal.application import MOTO_SETTINGS, Rehearsal
from rehearsal.embedded import embedded
from rehearsal.rehearsed.environment import RehearsedEnvironment
from rehearsal.rehearsed.errors import RehearsedError, StackFailedError
from rehearsal.rehearsed.files import Edits, planned

__all__ = ["Edits", "RehearsedEnvironment", "RehearsedError", "StackFailedError", "rehearsed"]

#: In process nobody gives a call up, so CloudFormation's answer waits for the operation's end.
_HOLD_SECONDS = 3600.0
#: The environment that stands: the services' records belong to the process, so there is one at a time.
_STANDS: list[Path] = []


@contextmanager
def rehearsed(file: Path, *, deploy: bool = True, now: dt.datetime | None = None) -> Iterator[RehearsedEnvironment]:
    """Deploys an environment into an embedded AWS of this process, which is empty before and after.

    Args:
        file: The environment file; its lock lies beside it.
        deploy: Whether it is deployed; else a test does it by ``deploy()``.
        now: The time, with its zone, at which the embedded AWS stands; without it the machine's own.

    Raises:
        trnstack.findings.InvalidEnvironmentError: The file, or its lock, has errors.
        RehearsedError: It can't be rehearsed here and now.
        StackFailedError: A stack failed.
    """
    _check_may()
    made = planned(file)
    _STANDS.append(file)
    try:
        with _surroundings(now), tempfile.TemporaryDirectory(prefix="trnstack-rehearsed-") as folder:
            aws = _aws()
            aws.reset()
            try:
                environment = RehearsedEnvironment(aws, made, Path(folder))
                if deploy:
                    environment.deploy()
                yield environment
            finally:
                aws.reset()
    finally:
        _STANDS.clear()


def _check_may() -> None:
    """Refuses a second environment, and one beside ``mock_aws``.

    Raises:
        RehearsedError: It is one of them.
    """
    if _STANDS:
        raise RehearsedError(
            f"{_STANDS[0]} stands already, and a process rehearses one environment at a time: "
            "rehearse the other one in a test of its own, or after the first one's block"
        )
    if botocore_stubber.enabled:
        raise RehearsedError(
            "moto's mock_aws is active, and would answer in the place of the rehearsal: "
            "leave it out of tests that rehearse an environment, whose clients need no mock"
        )


@functools.cache
def _aws() -> Rehearsal:
    """Gives the process's embedded AWS, whose clients take longer to make than to call."""
    return embedded(hold_seconds=_HOLD_SECONDS)


@contextmanager
def _surroundings(now: dt.datetime | None) -> Iterator[None]:
    """Sets what the embedded AWS goes by, and afterwards leaves the process as it was, boto3's session included."""
    settings = {**MOTO_SETTINGS, **({} if now is None else {clock.VARIABLE: now.isoformat()})}
    before = {name: os.environ.get(name) for name in settings}
    session = boto3.DEFAULT_SESSION
    os.environ.update(settings)
    try:
        yield
    finally:
        boto3.DEFAULT_SESSION = session
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
