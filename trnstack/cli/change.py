"""How a change is shown: what differs between two plans, and the deploys that it takes."""

from typing import TYPE_CHECKING, Any

from trnstack.cli import output

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnstack.advice.steps import Step
    from trnstack.plan.difference import Change

#: A longer value, such as user data, says what it says in its first letters.
_LONGEST = 120


def difference_section(changes: "Sequence[Change]") -> list[str]:
    """Returns what differs between two plans, a line for each value."""
    if not changes:
        return ["Plan", "  nothing differs"]
    return ["Plan", *output.columns((each.path, f"{_short(each.before)} -> {_short(each.after)}") for each in changes)]


def steps_section(steps: "Sequence[Step]", file: str) -> list[str]:
    """Returns the deploys in their order, each with what it does to nodes and what it has to leave out."""
    from trnstack.advice.group_steps import deploy  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.advice.steps import is_one_deploy  # noqa: PLC0415

    if not steps:
        return ["Deploys", "  none: nothing that is deployed changes"]
    lines = ["Deploys, in their order"]
    for number, step in enumerate(steps, start=1):
        lines.append(f"  {number}. {output.named(file, step.command) or f'{_without_command(step)}: {step.stack}'}")
        told = (*step.changes, *(f"{name}: {text}" for name, text in _details(step) if text))
        lines += [line for text in told for line in _sentence(text, file)]
    if len(steps) > 1 and is_one_deploy(steps):
        lines.append(f"  All at once, in the same order: {output.named(file, deploy('--all'))}")
    return lines


def as_data(changes: "Iterable[Change]", steps: "Iterable[Step]", file: str) -> dict[str, Any]:
    """Returns the same for JSON."""
    from dataclasses import asdict  # noqa: PLC0415

    return {
        "plan_changes": [asdict(change) for change in changes],
        "steps": [
            {**asdict(step), **{key: output.named(file, getattr(step, key)) for key in ("command", "reason")}}
            for step in steps
        ],
    }


def _details(step: "Step") -> list[tuple[str, str]]:
    return [("nodes", step.nodes), ("leave out for now", ", ".join(step.held_back)), ("why", step.reason)]


def _sentence(text: str, file: str) -> list[str]:
    """Returns a sentence as lines; one with a command stays on one line, so that it can be copied."""
    named, pad = output.named(file, text), " " * 7
    return output.wrapped(text, f"{pad}  ", first=pad) if named == text else [f"{pad}{named}"]


def _without_command(step: "Step") -> str:
    return "WAITS" if step.waits else "NOT POSSIBLE"


def _short(value: str | None) -> str:
    if value is None:
        return "not there"
    first = value.partition("\n")[0][:_LONGEST]
    return first if first == value else f"{first} ..."
