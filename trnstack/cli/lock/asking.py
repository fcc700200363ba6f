"""Asks AWS and registries for a lock: shows how far that is, and says what failed."""

import re
import shutil
import sys
from typing import TYPE_CHECKING

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.pins import Lock
    from ami.resolve import Resolved, ResolveError
    from trnstack.spec import Environment


def resolved(file: str, environment: "Environment", chosen: "Lock") -> "Resolved":
    """Returns a chosen lock as the account in use resolves it; ends the command where anything failed."""
    from ami.resolve import ResolveError, connect, resolve  # noqa: PLC0415 - as every command, see the package's docstring

    line = _Line()
    try:
        line.show(f"asking AWS in {environment.region}")
        aws = connect(environment.region)
        return resolve(chosen, aws=aws, account=environment.account, progress=line.answered)
    except ResolveError as error:
        line.clear()
        _tell(file, error)
        raise typer.Exit(output.FINDINGS) from None
    finally:
        line.clear()


def named(file: str, text: str) -> str:
    """Returns a sentence whose commands name the file, so that they can be copied."""
    return re.sub(r"\bFILE\b", lambda _: file, text)


def tell_failures(file: str, error: "ResolveError") -> None:
    """Says what failed, each with what to do about it."""
    for failure in error.failures:
        output.tell(f"{file}: {failure.message}\n  hint: {named(file, failure.hint)}")


def _tell(file: str, error: "ResolveError") -> None:
    from ami.resolve import NoAccountError  # noqa: PLC0415

    tell_failures(file, error)
    if isinstance(error, NoAccountError):
        output.tell(f"without an account: trnstack lock --offline {file}")
    output.tell("nothing was changed")


class _Line:
    """The terminal's last line, which says how far the asking is; where stderr is no terminal nothing is said."""

    def __init__(self) -> None:
        self._seen = sys.stderr.isatty()

    def answered(self, about: str, done: int, total: int) -> None:
        """Shows what was answered last."""
        self.show(f"{done} of {total}  {about}")

    def show(self, text: str) -> None:
        """Shows a text in place of the one before; a longer one than the terminal is wide would stay when it goes."""
        if self._seen:
            sys.stderr.write(f"\r\033[K  {text}"[: shutil.get_terminal_size().columns + len("\r\033[K") - 1])
            sys.stderr.flush()

    def clear(self) -> None:
        """Leaves the line empty."""
        if self._seen:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
