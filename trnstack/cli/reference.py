"""``trnstack rules`` and ``trnstack schema``: what is checked, and the form of the file."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.rules import Rule

_WIDEST = 100
_NARROWEST = 40


def rules(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rules as a JSON list.")] = False,
) -> None:
    """List what is checked, and why.

    Shows each rule's code, what must hold, why it matters, and the source that says so.
    """
    import dataclasses  # noqa: PLC0415 - as every command, see the package's docstring

    from trnstack.rules import RULES  # noqa: PLC0415
    from trnstack.rules.reading import READING_CHECKS  # noqa: PLC0415

    rows = [*map(dataclasses.asdict, READING_CHECKS), *map(described, RULES)]
    if as_json:
        import json  # noqa: PLC0415

        output.say_json(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        output.say("\n\n".join(_as_text(row) for row in rows))


def schema() -> None:
    """Print the environment file's JSON Schema.

    For editors, which then complete and explain keys, and for other programs.
    """
    import json  # noqa: PLC0415 - as every command, see the package's docstring

    output.say_json(json.dumps(environment_schema(), indent=2, ensure_ascii=False))


def described(rule: "Rule") -> dict[str, str]:
    """Returns a rule's code, proposition, explanation and source, from its name and docstring."""
    import inspect  # noqa: PLC0415

    text, _, source = (inspect.getdoc(rule) or "").partition("Source:")
    code, _, why = text.partition(":")
    return {
        "code": code.strip(),
        "rule": rule.__name__.replace("_", " "),
        "why": _joined(why),
        "source": _joined(source),
    }


def environment_schema() -> dict[str, Any]:
    """Returns the JSON Schema of the environment file, version 1, in a stable order."""
    from trnstack.spec import Environment  # noqa: PLC0415

    generated = Environment.model_json_schema()
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trnstack environment, version 1",
        "description": generated["description"],
    }
    definitions = generated.pop("$defs")
    return {**head, **{key: value for key, value in generated.items() if key not in head}, "$defs": definitions}


def _joined(text: str) -> str:
    """Returns a docstring's paragraphs as one line each, without its markup for code."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in text.replace("``", "`").strip().split("\n\n"))


def _as_text(row: dict[str, str]) -> str:
    import shutil  # noqa: PLC0415
    import textwrap  # noqa: PLC0415

    margin = " " * (len(row["code"]) + 2)
    width = max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST))
    paragraphs = [*row["why"].splitlines(), f"source: {row['source']}"]
    wrapped = (textwrap.fill(each, width, initial_indent=margin, subsequent_indent=margin) for each in paragraphs)
    return "\n".join([f"{row['code']}  {row['rule']}", *wrapped])
