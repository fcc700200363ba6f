"""A diff as people read it."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from trnstack.cli import change as changing
from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.advice.impact import PropertyChange, ResourceChange
    from trnstack.cli.diff.result import Result

#: What each impact is called.
NAMES = {
    "none": "new",
    "in-place": "in place",
    "restarts-nodes": "restarts nodes",
    "replaces": "REPLACED",
    "deletes": "DELETED",
    "unknown": "UNKNOWN",
    "loses-data": "LOSES DATA",
}
_LONGEST = 60
_BEFORE_THE_DIFFERENCE = 12
_WIDE = max(map(len, NAMES.values())) + 2


class Sources:
    """The sources that were named, each by its number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, source: str) -> str:
        """Returns a source's number in brackets; empty for none."""
        return f" [{self._numbers.setdefault(source, len(self._numbers) + 1)}]" if source else ""

    def lines(self) -> list[str]:
        """Returns the sources with their numbers."""
        return [f"  [{number}] {source}" for source, number in self._numbers.items()]


def sections(result: "Result") -> Iterator[list[str]]:
    """Yields what is said, section by section; the first line of each is its title."""
    sources = Sources()
    yield [f"{result.old} -> {result.new}", f"  {summary(result)}"]
    for stack, changes in groupby(result.report.changes, key=lambda change: change.stack):
        yield [stack, *_stack(list(changes), sources)]
    if result.report.refusals:
        yield ["Refused by CloudFormation", *(f"  {each.stack}: {each.reason}" for each in result.report.refusals)]
    felt = list(feelings(result))
    if felt:
        yield ["What running jobs feel", *(f"  {who}: {what}" for who, what in felt)]
    for way in result.report.ways:
        steps = [f"  {number}. {step}" for number, step in enumerate(way.steps, start=1)]
        yield [f"Without loss: {way.logical_id} of {way.stack}{sources.mark(way.source)}", *steps]
    if result.report.changes:
        yield changing.steps_section(result.steps, result.file)
        yield cost(result)
    if result.notes:
        yield ["To be known", *(f"  {note}" for note in result.notes)]
    if sources.lines():
        yield ["Sources", *sources.lines()]


def summary(result: "Result") -> str:
    """Returns how many resources there are of each impact."""
    counts = ", ".join(f"{count} {NAMES[name]}" for name, count in result.counts.items())
    refused = sum(1 for change in result.report.changes if change.refused) + len(result.report.refusals)
    return f"{counts}{f'; {refused} REFUSED by AWS' if refused else ''}" if counts else "nothing differs"


def feelings(result: "Result") -> Iterator[tuple[str, str]]:
    """Yields what running jobs notice, and the resources of which."""
    who: dict[str, list[str]] = {}
    for change in result.report.changes:
        for text in change.feels:
            who.setdefault(text, []).append(change.logical_id)
    for text, names in who.items():
        yield ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else ""), text  # noqa: PLR2004


def cost(result: "Result") -> list[str]:
    """Returns what the nodes cost before and after."""
    from trnstack.advice.impact.cost import SOURCE  # noqa: PLC0415 - as every command, see the package's docstring

    before, after = result.before.monthly_usd, result.after.monthly_usd
    figures = f"  {_usd(before)} -> {_usd(after)}"
    if before is not None and after is not None:
        figures += f"  ({after - before:+,.0f})" if after != before else "  (unchanged)"
    unpriced = dict.fromkeys((*result.before.unpriced, *result.after.unpriced))
    others = "  without file system, buckets, network, control plane and volumes, which have no price here"
    return [f"Nodes, USD a month at {SOURCE}", figures, *(f"  not in it: {text}" for text in unpriced), others]


def pair(change: "PropertyChange") -> str:
    """Returns a property's old and new value, short enough for a line: of long ones, where they differ."""
    before, after = change.before, change.after
    if before is None or after is None:
        return f"{_short(before)} -> {_short(after)}"
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > 1:
        place = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        first, second = ((lines[place].strip() if place < len(lines) else "nothing") for lines in (old, new))
        return f"line {place + 1}: {_short(first)} -> {_short(second)}"
    if max(len(before), len(after)) <= _LONGEST:
        return f"{before} -> {after}"
    common = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = max(0, common - _BEFORE_THE_DIFFERENCE)
    return " -> ".join(_short(f"...{text[start:]}" if start else text) for text in (before, after))


def quiet(change: "ResourceChange") -> str:
    """Returns under which word a change that needs no line of its own is counted; empty for one that needs it."""
    if change.refused:
        return ""
    if change.action == "add" and change.impact == "none" and change.reason == "is new":
        return "new"
    if change.stack_goes and change.impact == "deletes":
        return "deleted, when the stack is destroyed"
    tags = all(each.path == "Tags" and each.reason == "the stack's tags" for each in change.properties)
    return "in place, the stack's tags" if change.properties and tags and change.impact == "in-place" else ""


def counted(changes: "list[ResourceChange]") -> dict[str, str]:
    """Returns the changes without a line of their own, by their word: how many of which types."""
    found: dict[str, Counter[str]] = {}
    for change in changes:
        word = quiet(change)
        if word:
            found.setdefault(word, Counter())[change.type.removeprefix("AWS::")] += 1
    return {
        word: ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in sorted(kinds.items()))
        for word, kinds in found.items()
    }


def _stack(changes: "list[ResourceChange]", sources: Sources) -> Iterator[str]:
    for change in changes:
        if not quiet(change):
            yield from _resource(change, sources)
    for word, kinds in counted(changes).items():
        yield f"  {word}: {kinds}"


def _resource(change: "ResourceChange", sources: Sources) -> Iterator[str]:
    yield f"  {NAMES[change.impact].ljust(_WIDE)}{change.logical_id} ({change.type.removeprefix('AWS::')})"
    pad = " " * (_WIDE + 2)
    if change.reason:
        yield f"{pad}{change.reason}"
    rows = [
        (each.path, pair(each), f"{NAMES[each.impact]}{sources.mark(each.source)}", each.reason)
        for each in change.properties
    ]
    yield from output.columns(rows, indent=_WIDE + 2)
    yield from (f"{pad}REFUSED: {text}" for text in change.refused)


def _short(text: str | None) -> str:
    if text is None:
        return "not there"
    first = text.partition("\n")[0]
    return first if len(first) <= _LONGEST and first == text else f"{first[:_LONGEST]}..."


def _usd(amount: float | None) -> str:
    return "no list price" if amount is None else f"{amount:,.0f}"
