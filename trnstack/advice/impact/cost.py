"""What the nodes of an environment cost by list price, from its templates; what has no list price is named instead."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trnstack.advice.impact.model import Side, StackTemplate
from trnstack.advice.impact.symbols import Reference
from trnstack.advice.impact.values import Values
from trnstack.catalog import INSTANCE_TYPES, SYSTEM_INSTANCE_TYPES
from trnstack.catalog.instance_types import LIST_PRICES

#: An average month, as AWS's own calculator takes it.
HOURS_A_MONTH = 730
_ON_DEMAND = "ON_DEMAND"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the nodes of one side cost.

    Attributes:
        monthly_usd: Linux list price On-Demand in us-east-1, of the desired number of nodes; None where none is known.
        unpriced: What is not in it, each in words.
    """

    monthly_usd: float | None
    unpriced: tuple[str, ...]


#: Where the prices come from, and of when.
SOURCE = f"list prices, Linux On-Demand in us-east-1, {LIST_PRICES.read_on}, {HOURS_A_MONTH} hours a month"


def cost(side: Side) -> Cost:
    """Returns what the nodes of an environment cost a month.

    Source: ``trnstack.catalog``; the AWS pricing calculator counts 730 hours a month.
    """
    values = Values(side, side.account)
    total, unpriced, priced = 0.0, [], False
    for stack in side.stacks.values():
        for logical_id, resource in values.resources(stack).items():
            if resource.get("Type") != "AWS::EKS::Nodegroup":
                continue
            properties = _mapping(values.of(resource.get("Properties"), stack))
            name = str(properties.get("NodegroupName", logical_id))
            price = _price(values, stack, properties)
            if isinstance(price, str):
                unpriced.append(f"{name}: {price}")
            else:
                total, priced = total + price, True
    return Cost(monthly_usd=round(total, 2) if priced else None, unpriced=tuple(unpriced))


def _price(values: Values, stack: StackTemplate, group: Mapping[str, Any]) -> float | str:
    """Returns what a node group costs a month, or why that is not known."""
    kinds = list(_types(values, stack, group))
    if len(kinds) != 1:
        return "its instance type is not known before the deploy"
    row = INSTANCE_TYPES.get(kinds[0]) or SYSTEM_INSTANCE_TYPES.get(kinds[0])
    hourly = row.on_demand_usd_per_hour if row else None
    capacity = group.get("CapacityType", _ON_DEMAND)
    if capacity != _ON_DEMAND:
        return f"{kinds[0]} as {capacity} has no list price"
    if hourly is None:
        return f"{kinds[0]} has no on-demand list price"
    desired = _mapping(group.get("ScalingConfig")).get("DesiredSize", 1)
    if not str(desired).isdigit():
        return "its number of nodes is not known before the deploy"
    return hourly * int(desired) * HOURS_A_MONTH


def _types(values: Values, stack: StackTemplate, group: Mapping[str, Any]) -> Iterator[str]:
    """Yields the instance types of a node group: its own, or its launch template's."""
    template = group.get("LaunchTemplate")
    reference = template.get("Id") if isinstance(template, Mapping) else None
    if isinstance(reference, Reference) and reference.stack == stack.name:
        made = values.resources(stack).get(reference.logical_id, {})
        data = _mapping(_mapping(values.of(made.get("Properties"), stack)).get("LaunchTemplateData"))
        if isinstance(data.get("InstanceType"), str):
            yield data["InstanceType"]
    own = group.get("InstanceTypes")
    yield from (kind for kind in (own if isinstance(own, list) else ()) if isinstance(kind, str))


def _mapping(value: Any) -> Mapping[str, Any]:
    """Returns an object; an empty one for what is none, as in templates that were edited by hand."""
    return value if isinstance(value, Mapping) else {}
