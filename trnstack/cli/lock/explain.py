"""``trnstack lock --explain``: why a pin is what it is, by which rules, and what else there was."""

import dataclasses
from typing import TYPE_CHECKING

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from ami.explain import Explanation
    from ami.pins import Lock
    from trnstack.rules.reference import Description


def explain(file: str, lock: "Lock", name: str, *, as_json: bool) -> None:
    """Shows why the lock pins what a name stands for; ends the command where it stands for nothing.

    Args:
        file: The environment file.
        lock: Its lock.
        name: A node group, ``system``, ``container``, an add-on, a chart, a component, or an image's name.
        as_json: Whether the answer is JSON.
    """
    from ami.explain import explanations  # noqa: PLC0415 - as every command, see the package's docstring

    found = explanations(lock, name)
    if not found:
        output.tell(_unknown(file, lock, name))
        raise typer.Exit(output.USAGE)
    if as_json:
        import json  # noqa: PLC0415

        data = [{**dataclasses.asdict(each), "rules": _rules(each)} for each in found]
        output.say_json(json.dumps(data, indent=2, ensure_ascii=False, default=dataclasses.asdict))
    else:
        output.say_sections(section for each in found for section in _sections(each))


def _unknown(file: str, lock: "Lock", name: str) -> str:
    from ami.explain import names  # noqa: PLC0415
    from trnstack.findings import did_you_mean  # noqa: PLC0415

    known = dict.fromkeys(names(lock))
    question = did_you_mean(name, known)
    start = f"{question} it pins: " if question else "it pins "
    return f"{file}: the lock pins no '{name}'\n  hint: {start}{', '.join(known)}"


def _sections(each: "Explanation") -> list[list[str]]:
    rules = [line for rule in _rules(each) for line in (f"  {rule.code}  {rule.rule}", f"          {_first(rule.why)}")]
    return [
        [each.name[:1].upper() + each.name[1:], *output.columns(each.value.items())],
        ["Why", f"  it answers {each.answers}", f"  it is {each.chosen}"],
        *([["Rules that it keeps", *rules]] if rules else []),
        *([["What else there was", *output.columns(each.alternatives)]] if each.alternatives else []),
        *([["Sources", *(f"  {source}" for source in each.sources)]] if each.sources else []),
    ]


def _first(why: str) -> str:
    return why.splitlines()[0]


def _rules(each: "Explanation") -> "list[Description]":
    from trnstack.rules.reference import descriptions  # noqa: PLC0415

    return [rule for rule in descriptions() if rule.code in each.rules]
