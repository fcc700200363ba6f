"""``trnstack diff``: what an edit does to what is deployed, before the deploy."""

from typing import Annotated

import typer

from trnstack.cli import output
from trnstack.cli.diff.result import FailOn, Result

#: What --fail-on answers with.
FAILED = 3
EXIT_CODES = f"""{output.EXIT_CODES.rstrip()}
  {FAILED}  --fail-on: a change does what it must not
"""


def diff(
    first: Annotated[
        str,
        typer.Argument(
            metavar="OLD", help="An environment file, or REV:path in git; with --deployed, the new environment."
        ),
    ],
    second: Annotated[
        str | None, typer.Argument(metavar="NEW", help="What is to be deployed: a file, or REV:path in git.")
    ] = None,
    *,
    deployed: Annotated[
        bool, typer.Option("--deployed", help="Compare with what CloudFormation says is deployed, in place of OLD.")
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(help="End with exit code 3 where data would be lost or left behind, or anything replaced."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the difference as JSON, and nothing else.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print it as Markdown, for a pull request.")] = False,
) -> None:
    """Show what an edit does to what is deployed, before the deploy.

    In place, with node restarts, by replacement, or with loss of data.

    Both environments are synthesized, each with its own lock, and compared property by property; what is replaced
    replaces what refers to it, across stacks. Nothing is deployed; an account is asked with --deployed alone.
    What is not known to be safe is shown as unknown.
    """
    from trnstack.cli.diff import result, sides  # noqa: PLC0415 - as every command, see the package's docstring

    if deployed == (second is not None):
        wanted = "one environment with --deployed" if deployed else "two environments, or one with --deployed"
        raise typer.BadParameter(f"name {wanted}", param_hint="OLD NEW")
    if as_json and as_markdown:
        raise typer.BadParameter("not both --json and --markdown", param_hint="--markdown")
    if second is None:
        new = sides.described(first, "new")
        old = sides.deployed(new)
    else:
        old, new = sides.described(first, "old"), sides.described(second, "new")
    try:
        found = result.compared(old, new)
    except result.UnknownRegionError as error:
        output.tell(f"{error}\n  hint: update cfn-lint, which brings the resource schemas")
        raise typer.Exit(output.FINDINGS) from None
    _show(found, as_json=as_json, as_markdown=as_markdown)
    if fail_on is not None:
        _fail(found, fail_on)


def _show(found: Result, *, as_json: bool, as_markdown: bool) -> None:
    import json  # noqa: PLC0415

    from trnstack.cli.diff import markdown, result, text  # noqa: PLC0415

    if as_json:
        output.say_json(json.dumps(result.as_data(found), indent=2, ensure_ascii=False))
    elif as_markdown:
        output.say(markdown.markdown(found).rstrip())
    else:
        output.say_sections(text.sections(found))


def _fail(found: Result, limit: FailOn) -> None:
    from trnstack.cli.diff.text import NAMES, is_of_logs  # noqa: PLC0415

    failing = found.failing(limit)
    for change in failing:
        what = f"{NAMES[change.impact]}{', only logs' if is_of_logs(change) else ''}"
        output.tell(f"--fail-on {limit}: {change.stack}/{change.called} ({change.type}): {what}")
    if failing:
        raise typer.Exit(FAILED)
