"""``trnstack check``: everything that is wrong with environment files, at once."""

import datetime as dt
from typing import TYPE_CHECKING, Annotated

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnstack.findings import Finding


def _time(text: str) -> dt.datetime:
    """Returns the time that a text names.

    Raises:
        typer.BadParameter: It is none, or has no zone.
    """
    example = "write it with its zone, such as 2027-03-01T00:00:00Z"
    try:
        time = dt.datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a time: {example}") from None
    if time.tzinfo is None:
        raise typer.BadParameter(f"'{text}' has no zone: {example}")
    return time.astimezone(dt.UTC)


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files such as environments/*.yaml")],
    *,
    at: Annotated[
        dt.datetime | None,
        typer.Option(parser=_time, metavar="TIME", help="Check as of this time too, such as 2027-03-01T00:00:00Z."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of findings, and nothing else.")] = False,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="Print SARIF 2.1.0 for code-review tools.")] = False,
) -> None:
    """Show everything that is wrong with environment files.

    Each finding says where it is, what is wrong and what to write instead. Errors must be corrected before anything can
    be planned or deployed; warnings and notes need not be. A comment silences one of those on its line, or on the line
    below it: # trnstack: ignore[CODE] and the reason.
    """
    from trnstack.environment import check_file  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.findings import has_errors, summary, to_json  # noqa: PLC0415

    if as_json and as_sarif:
        raise typer.BadParameter("print one of --json and --sarif")
    findings = [finding for file in files for finding in check_file(file, at=at).findings]
    if as_json:
        output.say_json(to_json(findings))
    elif as_sarif:
        output.say_json(_sarif(findings))
    else:
        output.say_findings(findings)
        output.say(f"{files[0] if len(files) == 1 else f'{len(files)} files'}: {summary(findings)}")
    if has_errors(findings):
        raise typer.Exit(output.FINDINGS)


def _sarif(findings: "Sequence[Finding]") -> str:
    from importlib.metadata import version  # noqa: PLC0415 - takes long to import

    from trnstack.sarif import to_sarif  # noqa: PLC0415

    return to_sarif(findings, version=version("trnstack"))
