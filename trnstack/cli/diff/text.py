"""A diff as people read it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from trnstack.cli import change as changing
from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.advice.impact import PropertyChange, ResourceChange
    from trnstack.advice.impact.cost import Cost
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
#: How long a value may be, beside another one and alone.
_LONGEST, _LONGEST_ALONE = 60, 70
#: What may be worth much, and is shown even where all of it has no price.
_NAMED = ("nodes", "file system")
#: What stands before a sum of which a part has no price.
_AT_LEAST = "at least "
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
        return [f"[{number}] {source}" for source, number in self._numbers.items()]


def sections(result: "Result") -> Iterator[list[str]]:
    """Yields what is said, section by section; the first line of each is its title."""
    sources = Sources()
    yield [f"{result.old} -> {result.new}", f"  {summary(result)}"]
    for stack, changes in groupby(result.report.changes, key=place):
        yield [stack, *_stack(list(changes), sources)]
    if result.report.refusals:
        refused = (f"{each.stack}: {each.reason}" for each in result.report.refusals)
        yield ["Refused by CloudFormation", *_listed(refused)]
    felt = list(feelings(result))
    if felt:
        yield ["What running jobs feel", *_listed(f"{who}: {what}" for who, what in felt)]
    for way in result.report.ways:
        yield [f"Without loss: {way.of}{sources.mark(way.source)}", *_way(way.steps, result.file)]
    if result.report.changes or result.steps:
        yield changing.steps_section(result.steps, result.file)
    if result.report.changes:
        yield cost(result)
    if result.left:
        yield left(result)
    if result.notes:
        yield ["To be known", *_listed(result.notes)]
    if sources.lines():
        yield ["Sources", *(line for text in sources.lines() for line in output.wrapped(text, " " * 6, first="  "))]


def summary(result: "Result") -> str:
    """Returns how many resources there are of each impact."""
    logs = sum(1 for change in result.report.changes if is_of_logs(change))
    alone = (
        {"loses-data": f" ({'only logs' if logs == result.counts['loses-data'] else f'{logs} only logs'})"}
        if logs
        else {}
    )
    counts = ", ".join(f"{count} {NAMES[name]}{alone.get(name, '')}" for name, count in result.counts.items())
    if not counts:
        return "no resource differs, but what a deploy tells people does" if result.steps else "nothing differs"
    refused = [change for change in result.report.changes if change.refused]
    by_kubernetes = sum(1 for change in refused if change.refused_by_kubernetes)
    by_aws = len(refused) - by_kubernetes + len(result.report.refusals)
    who = {"AWS": by_aws, "Kubernetes": by_kubernetes}
    told = ", ".join(f"{count} REFUSED by {name}" for name, count in who.items() if count)
    return f"{counts}{f'; {told}' if told else ''}"


def is_of_logs(change: "ResourceChange") -> bool:
    """Says whether a change loses logs, and no files, objects or keys."""
    return change.type == "AWS::Logs::LogGroup" and change.impact == "loses-data"


def place(change: "ResourceChange") -> str:
    """Returns the stack of a change, with its region where there are two."""
    return f"{change.stack} in {change.place}" if change.place else change.stack


def feelings(result: "Result") -> Iterator[tuple[str, str]]:
    """Yields what running jobs notice, and the resources of which."""
    who: dict[str, list[str]] = {}
    for change in result.report.changes:
        for text in change.feels:
            refused = " (REFUSED as it is)" if change.refused else ""
            who.setdefault(text, []).append(f"{change.called}{refused}")
    for text, names in who.items():
        yield ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else ""), text  # noqa: PLR2004


def cost(result: "Result") -> list[str]:
    """Returns what the environments cost before and after, and what of that is not known."""
    from trnstack.advice.impact.cost import SOURCE  # noqa: PLC0415 - as every command, see the package's docstring

    before, after = result.before, result.after
    parts = dict.fromkeys((*before.parts, *after.parts, *(part for part in _NAMED if part in after.unknown)))
    rows = [(part, *_change(_part(before, part), _part(after, part))) for part in parts]
    if len(parts) != 1:
        rows.append(("all with a price", *_change(_all(before), _all(after))))
    unpriced = dict.fromkeys((*before.unpriced, *after.unpriced))
    lines = _listed(f"not in it{_side(text, before.unpriced, after.unpriced)}: {text}" for text in unpriced)
    beside = ["  beside it, what stays behind, as below"] if result.left else []
    return ["USD a month", *output.columns(rows), *lines, *beside, *_listed((SOURCE,))]


def left(result: "Result") -> list[str]:
    """Returns what stays behind, and what it goes on costing."""
    counts = Counter((each.what, each.monthly_usd, each.note, each.stack) for each in result.left)
    rows = [
        (f"{count} x {what}" if count > 1 else what, _usd(usd and usd * count), note, stack)
        for (what, usd, note, stack), count in counts.items()
    ]
    known = [each.monthly_usd for each in result.left if each.monthly_usd is not None]
    least = _AT_LEAST if len(known) < len(result.left) else ""
    rows += [("all with a price", f"{least}{sum(known):,.0f}", "", "")] if len(known) > 1 else []
    return ["What stays behind, and goes on costing until you delete it: USD a month", *output.columns(rows)]


def _part(cost: "Cost", part: str) -> str:
    """Returns what a part costs; what of it has no price is said."""
    known, unknown = cost.parts.get(part), part in cost.unknown
    if known is None:
        return "unknown" if unknown else "0"
    return f"{known:,.0f}{' + unknown' if unknown else ''}"


def _all(cost: "Cost") -> str:
    """Returns what all comes to; a sum in which something large has no price is a lower bound, and looks like one."""
    least = cost.monthly_usd is not None and any(part in cost.unknown for part in _NAMED)
    return f"{_AT_LEAST if least else ''}{_usd(cost.monthly_usd)}"


def _change(before: str, after: str) -> tuple[str, str]:
    """Returns both sides, and by how much they differ where that is known."""
    figures = f"{before} -> {after}"
    if "unknown" in figures or _AT_LEAST in figures:
        return figures, ""
    if before == after:
        return figures, "(unchanged)"
    old, new = (int(each.replace(",", "")) for each in (before, after))
    return figures, f"({new - old:+,})"


def _side(text: str, before: tuple[str, ...], after: tuple[str, ...]) -> str:
    if text in before and text in after:
        return ""
    return ", before" if text in before else ", after"


def _way(steps: tuple[str, ...], file: str) -> Iterator[str]:
    """Yields the steps of a way; their commands below them."""
    for number, step in enumerate(steps, start=1):
        first, *commands = output.named(file, step).splitlines()
        yield from output.wrapped(f"{first}{':' if commands else ''}", " " * 5, first=f"  {number}. ")
        yield from (f"       {command}" for command in commands)


def pair(change: "PropertyChange") -> str:
    """Returns a property's old and new value, short enough for a line: of long ones, where they differ."""
    before, after = change.before, change.after
    if before is None or after is None:
        return f"{_short(before, _LONGEST_ALONE)} -> {_short(after, _LONGEST_ALONE)}"
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
    if change.stack_goes and change.impact in ("deletes", "in-place"):
        return f"{'stays' if change.retained else 'deleted'}, when the stack is destroyed"
    tags = all(each.path == "Tags" and each.reason == "the stack's tags" for each in change.properties)
    return "in place, the stack's tags" if change.properties and tags and change.impact == "in-place" else ""


def counted(changes: "list[ResourceChange]") -> dict[str, str]:
    """Returns the changes without a line of their own, by their word: how many of which types, objects by name."""
    found: dict[str, Counter[str]] = {}
    for change in changes:
        word = quiet(change)
        if word:
            # Of what is in the cluster, the type says nothing.
            found.setdefault(word, Counter())[change.object or change.type.removeprefix("AWS::")] += 1
    return {
        word: ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in sorted(kinds.items()))
        for word, kinds in found.items()
    }


def _stack(changes: "list[ResourceChange]", sources: Sources) -> Iterator[str]:
    for change in changes:
        if not quiet(change):
            yield from _resource(change, sources)
    yield from _listed(f"{word}: {kinds}" for word, kinds in counted(changes).items())


def _resource(change: "ResourceChange", sources: Sources) -> Iterator[str]:
    yield f"  {NAMES[change.impact].ljust(_WIDE)}{change.called} ({change.type.removeprefix('AWS::')})"
    pad = " " * (_WIDE + 2)
    if change.reason:
        yield from output.wrapped(change.reason, pad)
    rows = [(each.path, pair(each), f"{NAMES[each.impact]}{sources.mark(each.source)}") for each in change.properties]
    for line, each in zip(output.columns(rows, indent=_WIDE + 2), change.properties, strict=True):
        fits = len(line) + len(each.reason) + 2 <= output.WIDE
        yield f"{line}  {each.reason}" if each.reason and fits else line
        yield from () if fits or not each.reason else output.wrapped(each.reason, f"{pad}  ")
    for text in change.refused:
        yield from output.wrapped(f"REFUSED: {text}", pad)


def _listed(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in output.wrapped(text, " " * 4, first="  ")]


def _short(text: str | None, longest: int = _LONGEST) -> str:
    if text is None:
        return "not there"
    first = text.partition("\n")[0]
    return first if len(first) <= longest and first == text else f"{first[:longest]}..."


def _usd(amount: float | None) -> str:
    return "unknown" if amount is None else f"{amount:,.0f}"
