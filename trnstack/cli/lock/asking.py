"""Asks AWS and registries for a lock: shows how far that is, and says what failed."""

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.pins import Lock
    from ami.resolve import Aws, Resolved, ResolveError
    from trnstack.spec import Environment


#: The last line of a command that ends without having written anything.
UNCHANGED = "nothing was changed"


def resolved(
    file: str, environment: "Environment", chosen: "Lock", *, old: "Lock | None", options: Sequence[str] = ()
) -> "Resolved":
    """Returns a chosen lock as the account in use resolves it; ends the command where anything failed.

    Args:
        file: The environment file.
        environment: What is in it.
        chosen: The lock to resolve.
        old: The lock that it is to replace.
        options: The options of the command under way, with which it can be run without an account.
    """
    from ami.archives import folder_of  # noqa: PLC0415 - as every command, see the package's docstring
    from ami.lock import path_for  # noqa: PLC0415
    from ami.resolve import ResolveError, connect, resolve  # noqa: PLC0415

    line = _Line()
    try:
        line.show(f"asking AWS in {environment.region}")
        aws = connect(environment.region)
        _refuse_rehearsal(aws, old)
        archives = folder_of(path_for(file))
        found = resolve(chosen, aws=aws, account=environment.account, archives=archives, progress=line.answered)
    except ResolveError as error:
        line.clear()
        _tell(file, error, options)
        raise typer.Exit(output.FINDINGS) from None
    finally:
        line.clear()
    _refuse_charts(file, environment, found)
    return found


def _refuse_charts(file: str, environment: "Environment", found: "Resolved") -> None:
    """Ends the command where a chart is not as a deploy would need it, or can't be read."""
    from ami import archives  # noqa: PLC0415
    from ami.chart_files import ChartError, unpacked  # noqa: PLC0415
    from ami.lock import path_for  # noqa: PLC0415
    from trnstack import source  # noqa: PLC0415
    from trnstack.charts import unfit  # noqa: PLC0415
    from trnstack.plan import plan  # noqa: PLC0415

    text, folder, findings = source.read(file), path_for(file).parent, []
    for release in plan(environment, found.lock).kubernetes.releases:
        name = archives.file_name(release.chart, release.version)
        content = found.archives.get(name) or archives.read(folder / release.archive, release.archive_digest)
        if isinstance(content, archives.ArchiveProblem):  # somebody took it away in the meantime
            continue
        try:
            chart = unpacked(content, name=release.chart, version=release.version)
            findings += [text.locate(each) for each in unfit(chart, release)]
        except ChartError as error:
            output.tell(f"{file}: {folder / release.archive} {error}\n  hint: delete it and run the command again")
            raise typer.Exit(output.FINDINGS) from None
    if findings:
        output.tell_findings(findings)
        output.tell(UNCHANGED)
        raise typer.Exit(output.FINDINGS)


def _refuse_rehearsal(aws: "Aws", old: "Lock | None") -> None:
    """Refuses to replace what AWS told by what an embedded AWS tells: nobody could deploy from it, or get it back.

    Raises:
        ResolveError: It would.
    """
    from ami.remember import holds_answers  # noqa: PLC0415
    from ami.resolve import Failure, ResolveError  # noqa: PLC0415

    address = aws.rehearsal()
    if address and old and not old.rehearsal_account and holds_answers(old):
        raise ResolveError(
            [
                Failure(
                    f"AWS is asked at {address}, which is a rehearsal, and its ids and digests would replace those of "
                    "AWS in the lock",
                    "run: unset AWS_ENDPOINT_URL; or give the rehearsal a copy of FILE under another name",
                )
            ]
        )


def words(*options: tuple[str, str | None]) -> list[str]:
    """Returns the words by which a command was given options; those without a value were not given."""
    return [word for name, value in options if value is not None for word in (name, value)]


def tell_failures(file: str, error: "ResolveError") -> None:
    """Says what failed, with what to do about it; what has the same hint stands together, with the hint once."""
    messages: dict[str, list[str]] = {}
    for failure in error.failures:
        messages.setdefault(failure.hint, []).append(failure.message)
    for hint, told in messages.items():
        output.tell("\n".join([*(f"{file}: {message}" for message in told), f"  hint: {output.named(file, hint)}"]))


def _tell(file: str, error: "ResolveError", options: Sequence[str]) -> None:
    from ami.resolve import NoAccountError  # noqa: PLC0415

    tell_failures(file, error)
    if isinstance(error, NoAccountError):
        command = " ".join(["trnstack", "lock", *map(output.quoted, options), "--offline", output.quoted(file)])
        output.tell(f"without an account: {command}")
    output.tell(UNCHANGED)


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
