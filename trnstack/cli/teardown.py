"""``trnstack teardown``: what a teardown deletes, what stays and costs, and the commands in their order."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.advice.teardown import Deleted, Kept, Step, Teardown
    from trnstack.plan import Plan

TEARDOWN_VERSION = 1
_WIDE = 116


def teardown(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON, and nothing else.")] = False,
) -> None:
    """Show how an environment is taken down, and what stays.

    What goes; what stays and what that costs a month; what to do first, or something is lost or left behind; the
    commands in their order; and, apart, the way that takes network and storage too. Nothing is deleted, and no account
    is asked.
    """
    import json  # noqa: PLC0415 - as every command, see the package's docstring

    from trnstack.advice import teardown as advice  # noqa: PLC0415
    from trnstack.environment import check_file  # noqa: PLC0415
    from trnstack.plan import plan  # noqa: PLC0415

    checked = check_file(file)
    if checked.environment is None or checked.lock is None:
        output.stop(checked.findings)
    decided = plan(checked.environment, checked.lock)
    found = advice.teardown(decided)
    if as_json:
        output.say_json(json.dumps(as_data(decided, found, file), indent=2, ensure_ascii=False))
    else:
        output.say_sections(sections(decided, found, file))


def as_data(plan: "Plan", found: "Teardown", file: str) -> dict[str, Any]:
    """Returns a teardown for JSON; the commands of ``cdk`` name the environment file."""
    from dataclasses import asdict  # noqa: PLC0415

    data = asdict(found)
    for part in ("before", "steps", "removal"):
        for step in data[part]:
            step["commands"] = [_command(command, file) for command in step["commands"]]
    total = {"kept_monthly_usd": _total(found.kept)}
    return {"teardown_version": TEARDOWN_VERSION, "environment": plan.name, "region": plan.region, **total, **data}


def sections(plan: "Plan", found: "Teardown", file: str) -> Iterator[list[str]]:
    """Yields what is said, section by section; the first line of each is its title."""
    yield [
        f"Taking down {plan.name} in {plan.region}",
        "  This command only tells. Nothing is deleted before you do it.",
    ]
    yield ["What goes", *_deleted(found.deleted)]
    yield ["What stays, and goes on costing: USD a month", *_kept(found.kept)]
    yield ["First", *_steps(found.before, file)]
    yield ["Then", *_steps(found.steps, file)]
    names = " and ".join(sorted(found.protected))
    yield [
        f"Apart from that, and only if what they hold is to go: {names}",
        *_wrapped("Both have termination protection. After all of the above, and each step by itself:", "  "),
        *_steps(found.removal, file),
    ]


def _deleted(parts: "Iterable[Deleted]") -> list[str]:
    rows = [(each.stack if place == 0 else "", text) for each in parts for place, text in enumerate(each.what)]
    return output.columns(rows)


def _kept(parts: "tuple[Kept, ...]") -> Iterator[str]:
    rows = [(_usd(each.monthly_usd), each.what, each.stack or "no stack's") for each in parts]
    lines = output.columns(rows, right=frozenset({0}))
    indent = " " * (max(len(row[0]) for row in rows) + 4)
    for line, each in zip(lines, parts, strict=True):
        yield line
        yield from _wrapped(each.note, indent)
    yield f"  {_usd(_total(parts))}  known of it; what has no figure comes on top"


def _steps(steps: "tuple[Step, ...]", file: str) -> Iterator[str]:
    for number, step in enumerate(steps, start=1):
        yield f"  {number}. {step.title}"
        yield from (f"       write in {file}: {edit.path}: {_yaml(value=edit.value)}" for edit in step.edits)
        yield from (f"       {_command(command, file)}" for command in step.commands)
        yield from _wrapped(step.consequence, "     ")


def _command(command: str, file: str) -> str:
    import shlex  # noqa: PLC0415

    return f"{command} -c environment={shlex.quote(file)}" if command.startswith("cdk ") else command


def _wrapped(text: str, indent: str) -> list[str]:
    import textwrap  # noqa: PLC0415

    return textwrap.wrap(text, _WIDE, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def _total(parts: "Iterable[Kept]") -> float:
    return sum(each.monthly_usd or 0.0 for each in parts)


def _usd(amount: float | None) -> str:
    return "?" if amount is None else f"{amount:,.0f}"


def _yaml(*, value: bool | str) -> str:
    return value if isinstance(value, str) else "true" if value else "false"
