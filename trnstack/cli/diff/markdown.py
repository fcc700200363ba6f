"""A diff as Markdown, for the description of a pull request or a comment in it."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from trnstack.cli import change as changing
from trnstack.cli import output
from trnstack.cli.diff import text

if TYPE_CHECKING:
    from trnstack.advice.impact import ResourceChange
    from trnstack.cli.diff.result import Result

_SPECIAL = re.compile(r"([\\|`*_<>\[\]#$])")
_HEAD = ("| Resource | Property | Before -> after | Impact | Why |", "| --- | --- | --- | --- | --- |")


def markdown(result: "Result") -> str:
    """Returns the whole as Markdown; whatever files and templates hold is shown as text."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: "Result") -> Iterator[str]:
    sources = text.Sources()
    yield f"### {escaped(result.old)} -> {escaped(result.new)}"
    yield ""
    yield f"**{escaped(text.summary(result))}**"
    for stack, found in groupby(result.report.changes, key=text.place):
        yield from ("", f"#### {escaped(stack)}", "")
        yield from _stack(list(found), sources)
    yield from _listed("Refused by CloudFormation", [f"{each.stack}: {each.reason}" for each in result.report.refusals])
    yield from _listed("What running jobs feel", [f"{who}: {what}" for who, what in text.feelings(result)])
    for way in result.report.ways:
        yield from ("", f"#### {escaped(f'Without loss: {way.of}{sources.mark(way.source)}')}", "")
        yield from _way(way.steps, result.file)
    if result.report.changes or result.steps:
        told = [changing.steps_section(result.steps, result.file)]
        told += [text.cost(result)] if result.report.changes else []
        for title, *rest in (*told, *([text.left(result)] if result.left else [])):
            yield from ("", f"#### {escaped(title)}", "", *_fenced(rest))
    yield from _listed("To be known", result.notes)
    yield from _listed("Sources", [line.strip() for line in sources.lines()])


def _stack(changes: "list[ResourceChange]", sources: text.Sources) -> Iterator[str]:
    shown = [change for change in changes if not text.quiet(change)]
    if shown:
        yield from _HEAD
    for change in shown:
        name = f"{change.called} ({change.type.removeprefix('AWS::')})"
        why = "; ".join(part for part in (change.reason, *(f"REFUSED: {each}" for each in change.refused)) if part)
        yield _row(name, "", "", f"**{text.NAMES[change.impact]}**", escaped(why))
        for each in change.properties:
            impact = f"{text.NAMES[each.impact]} {escaped(sources.mark(each.source))}".rstrip()
            yield _row("", each.path, text.pair(each), impact, escaped(each.reason))
    counted = text.counted(changes)
    if shown and counted:
        yield ""
    yield from (f"- {escaped(word)}: {escaped(kinds)}" for word, kinds in counted.items())


def _way(steps: tuple[str, ...], file: str) -> Iterator[str]:
    """Yields the steps of a way; their commands below them, to be copied."""
    for number, step in enumerate(steps, start=1):
        first, *commands = output.named(file, step).splitlines()
        yield f"{number}. {escaped(first)}{':' if commands else ''}"
        yield from (f"   {line}" for line in (_fenced(commands) if commands else ()))


def _fenced(lines: list[str]) -> list[str]:
    return ["```text", *(line.replace("```", "'''") for line in lines), "```"]


def _row(resource: str, path: str, values: str, impact: str, why: str) -> str:
    return f"| {escaped(resource)} | {escaped(path)} | {escaped(values)} | {impact} | {why} |"


def _listed(title: str, lines: "list[str] | tuple[str, ...]") -> Iterator[str]:
    if lines:
        yield from ("", f"#### {escaped(title)}", "", *(f"- {escaped(line)}" for line in lines))


def escaped(value: str) -> str:
    """Returns text in which nothing is taken for Markdown or HTML, on one line."""
    plain = " ".join(value.split()).replace("&", "&amp;")
    return _SPECIAL.sub(r"\\\1", plain).replace("@", "&#64;")
