"""What an environment costs by list price, from its templates. What has no price here is named, and never left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trnstack.advice.impact import prices
from trnstack.advice.impact.model import Action, Impact, Report, ResourceChange, Side, StackTemplate
from trnstack.advice.impact.prices import HOURS_A_MONTH
from trnstack.advice.impact.values import Values
from trnstack.catalog.instance_types import LIST_PRICES
from trnstack.catalog.storage_prices import LUSTRE_PRICES

#: Where the prices come from, and of when.
SOURCE = (
    f"list prices: nodes Linux On-Demand in us-east-1, {LIST_PRICES.read_on}, {HOURS_A_MONTH} hours a month; storage "
    f"in its own region, {LUSTRE_PRICES.read_on}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one side costs a month.

    Attributes:
        monthly_usd: All that has a price; None where nothing has.
        parts: The same by what it is for, such as ``nodes``.
        unknown: The parts in which something has no price.
        unpriced: What is not in it, each in words.
    """

    monthly_usd: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    unpriced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something that stays after the deploy, in no stack or in one that no deploy touches, and costs money on.

    Attributes:
        stack, logical_id: Its resource, as it was.
        what: What it is.
        monthly_usd: What it costs a month; None where that is not known here.
        note: How it is billed, or why its price is not known.
    """

    stack: str
    logical_id: str
    what: str
    monthly_usd: float | None
    note: str


def cost(side: Side) -> Cost:
    """Returns what an environment costs a month.

    Source: ``trnstack.catalog``; the AWS pricing calculator counts 730 hours a month.
    """
    values = Values(side, side.account)
    parts: dict[str, float] = {}
    unpriced: list[str] = []
    unknown: dict[str, None] = {}
    others: Counter[str] = Counter()
    for stack, _, resource in _resources(values):
        price = prices.price(values, stack, resource)
        if price is None:
            continue
        if price.monthly_usd is None:
            unknown[price.part] = None
        else:
            parts[price.part] = round(parts.get(price.part, 0.0) + price.monthly_usd, 2)
        if price.note:
            unpriced.append(f"{price.what}: {price.note}")
        elif price.monthly_usd is None:
            others[price.what] += 1
    for output, what in _adopted(values):
        unknown |= {"file system": None} if output == "FileSystemId" else {}
        unpriced.append(what)
    unpriced += _counted(others)
    unpriced += ["volumes of nodes, traffic and requests: no price here"] if "nodes" in parts else []
    total = round(sum(parts.values()), 2) if parts else None
    return Cost(monthly_usd=total, parts=parts, unknown=tuple(unknown), unpriced=tuple(dict.fromkeys(unpriced)))


def left(old: Side, report: Report) -> tuple[Left, ...]:
    """Returns what stays of the old side when the deploys are done, outside of what is deployed.

    Args:
        old: The old side.
        report: What differs.
    """
    values = Values(old, old.account)
    found = []
    for change in report.changes:
        if change.action is Action.LEAVE:
            found.append(_named_no_more(change, old.region))
            continue
        goes = change.action in (Action.DELETE, Action.REPLACE) and change.impact is not Impact.IN_PLACE
        stays = change.stack_goes or (change.retained and goes)
        stack = old.stacks.get(change.stack) if stays else None
        price = prices.price(values, stack, values.resources(stack)[change.logical_id]) if stack else None
        if price is not None:
            found.append(
                Left(
                    stack=change.stack,
                    logical_id=change.logical_id,
                    what=price.what,
                    monthly_usd=price.monthly_usd,
                    note=price.note or ("" if price.monthly_usd is not None else "no price here"),
                )
            )
    return tuple(found)


def _named_no_more(change: ResourceChange, region: str) -> Left:
    output = next(key for key, kind in prices.ADOPTED_TYPES.items() if kind == change.type)
    return Left(
        stack=change.stack,
        logical_id=change.logical_id,
        what=f"{prices.ADOPTED[output]} {change.logical_id}",
        monthly_usd=None,
        note=prices.of_adopted(output, region),
    )


def _resources(values: Values) -> Iterator[tuple[StackTemplate, str, Mapping[str, Any]]]:
    for stack in values.side.stacks.values():
        for logical_id, resource in values.resources(stack).items():
            yield stack, logical_id, resource


def _adopted(values: Values) -> Iterator[tuple[str, str]]:
    """Yields the outputs that name something as it is, so that no stack made it, and why it has no price."""
    for stack in values.side.stacks.values():
        outputs = stack.template.get("Outputs")
        for key, output in outputs.items() if isinstance(outputs, Mapping) else ():
            value = values.of(output.get("Value"), stack) if isinstance(output, Mapping) else None
            if isinstance(value, str) and key in prices.ADOPTED:
                why = prices.of_adopted(key, values.side.region)
                yield key, f"{prices.ADOPTED[key]} {value}, which no stack made: {why}"


def _counted(others: Mapping[str, int]) -> Iterator[str]:
    """Yields one line for all of which no price is kept."""
    if others:
        named = (f"{count} {what}{'s' if count > 1 else ''}" for what, count in sorted(others.items()))
        yield f"{', '.join(named)}: no price here"
