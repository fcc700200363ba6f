"""``trnstack rules`` and ``trnstack schema``: what is checked, and the form of the file."""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.rules.reference import Description

_WIDEST = 100
_NARROWEST = 40
_PAGE_WIDTH = 120
#: What stands before a check that has no code, in a code's width.
_NO_CODE = "-"


def rules(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rules as a JSON list.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/rules.md.")] = False,
) -> None:
    """List what is checked, and why.

    Shows each rule's code, what must hold, why it matters, and the source that says so. Rules of dates are checked with
    --at alone. What only the account can answer is listed last: it is left to preflight, which is not built yet.
    """
    from trnstack.rules.reference import descriptions  # noqa: PLC0415 - as every command, see the package's docstring

    rows = descriptions()
    if as_json and as_markdown:
        raise typer.BadParameter("print one of --json and --markdown")
    if as_json:
        import dataclasses  # noqa: PLC0415
        import json  # noqa: PLC0415

        output.say_json(json.dumps([dataclasses.asdict(row) for row in rows], indent=2, ensure_ascii=False))
    elif as_markdown:
        output.say_json(markdown())
    else:
        output.say("\n\n".join(_as_text(row) for row in rows))


def schema() -> None:
    """Print the environment file's JSON Schema.

    For editors, which then complete and explain keys, and for other programs. docs/environment.schema.json is a copy.
    """
    from trnstack.spec.schema import schema_text  # noqa: PLC0415 - as every command, see the package's docstring

    output.say_json(schema_text())


def markdown() -> str:
    """Returns docs/rules.md, without its last line feed."""
    from trnstack.rules.reference import descriptions, introduction  # noqa: PLC0415

    parts = [
        "# Rules",
        "What `trnstack check` looks at, by subject. This page is made by `trnstack rules --markdown > docs/rules.md`.",
        "An error forbids to plan and to deploy. Anything else can be silenced on its line, or on the line above, with",
        "    # trnstack: ignore[NET003] the reason",
    ]
    for subject, group in groupby(descriptions(), key=lambda each: each.subject):
        parts += [f"## {subject}", *filter(None, [introduction(subject)])]
        parts += [part for each in group for part in _as_markdown(each)]
    return "\n\n".join(parts)


def _as_markdown(each: "Description") -> Iterator[str]:
    import textwrap  # noqa: PLC0415

    yield f"### {each.code}: {each.rule}" if each.code else f"### {each.rule[0].upper()}{each.rule[1:]}"
    for paragraph in (*each.why.splitlines(), f"{_when(each)}Source: {each.source}"):
        yield textwrap.fill(paragraph, _PAGE_WIDTH, break_long_words=False, break_on_hyphens=False)


def _when(each: "Description") -> str:
    from trnstack.rules.reference import Checked  # noqa: PLC0415

    return "" if each.checked is Checked.ALWAYS else f"Checked {each.checked}. "


def _as_text(row: "Description") -> str:
    import shutil  # noqa: PLC0415
    import textwrap  # noqa: PLC0415

    code = row.code or _NO_CODE
    margin = " " * (len(code) + 2)
    width = max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST))
    when = [when] if (when := _when(row).strip(". ").lower()) else []
    paragraphs = [*row.why.splitlines(), *when, f"source: {row.source}"]
    wrapped = (textwrap.fill(each, width, initial_indent=margin, subsequent_indent=margin) for each in paragraphs)
    return "\n".join([f"{code}  {row.rule}", *wrapped])
