"""``trnstack lock --explain``: why a pin is what it is, by which rules, and what else there was."""

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from ami.pins import SYSTEM
from trnstack.cli import output

if TYPE_CHECKING:
    from ami.explain import Explanation
    from ami.pins import Lock
    from trnstack.findings import Finding
    from trnstack.rules.reference import Description
    from trnstack.spec import Environment


@dataclasses.dataclass(frozen=True, slots=True)
class _Asked:
    """What a rule says of a pin.

    Attributes:
        rule: The rule.
        findings: What it finds in it; none where the pin keeps the rule.
    """

    rule: "Description"
    findings: "tuple[Finding, ...]"


def explain(file: str, environment: "Environment", lock: "Lock", name: str, *, as_json: bool) -> None:
    """Shows why the lock pins what a name stands for; ends the command where it stands for nothing.

    Args:
        file: The environment file.
        environment: What is in it.
        lock: Its lock.
        name: A node group, ``system``, ``container``, an add-on, a chart, a component, or an image's name.
        as_json: Whether the answer is JSON.
    """
    from ami.explain import explanations  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.rules.pins import check_lock  # noqa: PLC0415

    found = explanations(lock, name)
    if not found:
        output.tell(_unknown(file, lock, name))
        raise typer.Exit(output.USAGE)
    findings = check_lock(environment, lock, f"run: trnstack lock {output.quoted(file)}")
    asked = [(each, _asked(environment, each, findings)) for each in found]
    if as_json:
        import json  # noqa: PLC0415

        data = [{**dataclasses.asdict(each), "rules": _as_data(rules)} for each, rules in asked]
        output.say_json(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        output.say_sections(section for each, rules in asked for section in _sections(each, rules))


def _unknown(file: str, lock: "Lock", name: str) -> str:
    from ami.explain import names  # noqa: PLC0415
    from trnstack.findings import did_you_mean  # noqa: PLC0415

    known = dict.fromkeys(names(lock))
    question = did_you_mean(name, known)
    start = f"{question} it pins: " if question else "it pins "
    return f"{file}: the lock pins no '{name}'\n  hint: {start}{', '.join(known)}"


def _asked(environment: "Environment", each: "Explanation", findings: "list[Finding]") -> list[_Asked]:
    """Returns every rule that looks at a pin, with what it finds in this lock."""
    from trnstack.rules.reference import descriptions  # noqa: PLC0415

    places: set[tuple[str | int, ...]] = {
        ("node_groups", index) for index, group in enumerate(environment.node_groups) if group.name == each.group
    }
    places |= {("eks", "system_node_group")} if each.group == SYSTEM else set()
    about = [finding for finding in findings if not each.group or finding.path[:2] in places]
    return [
        _Asked(rule, tuple(finding for finding in about if finding.code == rule.code))
        for rule in descriptions()
        if rule.code in each.rules
    ]


def _as_data(rules: list[_Asked]) -> list[dict[str, object]]:
    return [
        {
            **dataclasses.asdict(asked.rule),
            "kept": not asked.findings,
            "findings": [{"message": finding.message, "hint": finding.hint} for finding in asked.findings],
        }
        for asked in rules
    ]


def _sections(each: "Explanation", rules: list[_Asked]) -> list[list[str]]:
    kept = [line for asked in rules if not asked.findings for line in (_named(asked), _more(_first(asked.rule.why)))]
    broken = [line for asked in rules if asked.findings for line in (_named(asked), *_told(asked.findings))]
    return [
        [each.name[:1].upper() + each.name[1:], *output.columns(each.value.items())],
        ["Why", f"  it answers {each.answers}", f"  it is {each.chosen}"],
        *([["Rules that it breaks", *broken]] if broken else []),
        *([["Rules that it keeps", *kept]] if kept else []),
        *([["What else there was", *output.columns(each.alternatives)]] if each.alternatives else []),
        *([["Sources", *(f"  {source}" for source in each.sources)]] if each.sources else []),
    ]


def _named(asked: _Asked) -> str:
    return f"  {asked.rule.code}  {asked.rule.rule}"


def _told(findings: "tuple[Finding, ...]") -> Iterator[str]:
    for finding in findings:
        yield _more(finding.message)
        if finding.hint:
            yield _more(f"hint: {finding.hint}")


def _more(text: str) -> str:
    return f"          {text}"


def _first(why: str) -> str:
    return why.splitlines()[0]
