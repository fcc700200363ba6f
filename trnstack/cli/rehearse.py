"""``trnstack rehearse``: the whole life of an environment against an embedded AWS."""

from pathlib import Path
from typing import Annotated

import typer


def rehearse(file: Annotated[Path, typer.Argument(metavar="FILE", help="An environment file")]) -> None:
    """Rehearse a deployment against an embedded AWS.

    The real CDK CLI bootstraps, deploys, updates and destroys. Needs no account and no credentials, reaches no network
    and costs nothing.
    """
    from rehearsal import story  # noqa: PLC0415 - moto takes seconds to import

    raise typer.Exit(story.run(file))
