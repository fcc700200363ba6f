"""Where ``trnstack plan --against`` gets the older plan from: another file, or a revision of git."""

from typing import TYPE_CHECKING

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.environment import Checked
    from trnstack.plan import Plan


def older_plan(old: str) -> "Plan":
    """Returns the plan of an environment file, or of ``REV:path`` in git; ends the command where there is none.

    The lock is the one beside the file, of the same revision.
    """
    return plan_of(checked(old))


def checked(name: str) -> "Checked":
    """Returns what is found in a file or revision; ends the command where it is not there."""
    from trnstack import revisions  # noqa: PLC0415 - as every command, see the package's docstring

    try:
        return revisions.checked(name)
    except revisions.RevisionError as error:
        output.tell(f"{error.message}\n  hint: {error.hint}")
        raise typer.Exit(output.FINDINGS) from None


def plan_of(found: "Checked") -> "Plan":
    """Returns the plan of a file that was checked; ends the command with its findings where it has errors."""
    from trnstack.plan import plan  # noqa: PLC0415

    if found.environment is None or found.lock is None:
        output.stop(found.findings)
    return plan(found.environment, found.lock)
