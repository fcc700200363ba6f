"""Gives tests a deployed environment: the fixture ``rehearsed_environment``.

``docs/testing.md`` shows how a team uses it. A run of pytest that does not use it loads nothing but this module.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    import datetime as dt

    from rehearsal.rehearsed import RehearsedEnvironment


class Rehearse(Protocol):
    """Deploys an environment and gives what a test looks at."""

    def __call__(
        self, file: str | Path, *, deploy: bool = True, now: "dt.datetime | None" = None
    ) -> "RehearsedEnvironment":
        """Deploys an environment into an empty AWS in this process.

        Args:
            file: The environment file, from pytest's root folder or the current one; its lock lies beside it.
            deploy: Whether it is deployed; else the test does it by ``deploy()``.
            now: The time, with its zone, at which the embedded AWS stands; without it the machine's own.
        """


@pytest.fixture
def rehearsed_environment(request: pytest.FixtureRequest) -> Iterator[Rehearse]:
    """Deploys an environment file into an embedded AWS: ``rehearsed_environment("environments/x.yaml")``.

    A file with errors fails the test with what ``trnstack check`` says of it. After the test nothing of it is left.
    """
    with ExitStack() as stands:

        def rehearse(
            file: str | Path, *, deploy: bool = True, now: "dt.datetime | None" = None
        ) -> "RehearsedEnvironment":
            # Loaded when a test asks for it: it takes moto, boto3 and the services' models.
            from rehearsal.rehearsed import RehearsedError, rehearsed  # noqa: PLC0415
            from trnstack.findings import InvalidEnvironmentError, render  # noqa: PLC0415

            try:
                return stands.enter_context(rehearsed(_found(Path(file), request), deploy=deploy, now=now))
            except InvalidEnvironmentError as error:
                told = render(error.findings)
            except RehearsedError as error:
                told = str(error)
            return pytest.fail(told, pytrace=False)

        yield rehearse


def _found(file: Path, request: pytest.FixtureRequest) -> Path:
    """Returns where a file lies: in the folder that pytest runs from, or in its root folder."""
    from_root = request.config.rootpath / file
    return file if file.exists() or not from_root.exists() else from_root
