"""``trnstack check``: everything that is wrong with environment files, at once."""

from typing import Annotated

import typer

from trnstack.cli import output


def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files such as environments/*.yaml")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list of findings, and nothing else.")] = False,
) -> None:
    """Show everything that is wrong with environment files.

    Each finding says where it is, what is wrong and what to write instead. Errors must be corrected before anything can
    be planned or deployed; warnings and notes need not be.
    """
    from trnstack.environment import check_file  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.findings import has_errors, summary, to_json  # noqa: PLC0415

    findings = [finding for file in files for finding in check_file(file).findings]
    if as_json:
        output.say_json(to_json(findings))
    else:
        output.say_findings(findings)
        output.say(f"{summary(findings)} in {files[0] if len(files) == 1 else f'{len(files)} files'}")
    if has_errors(findings):
        raise typer.Exit(output.FINDINGS)
