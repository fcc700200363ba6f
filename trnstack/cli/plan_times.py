"""How long a first deploy takes, as ``trnstack plan`` shows it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan.model import Plan
    from trnstack.plan.times import Minutes


def section(decided: "Plan") -> list[str]:
    """Returns the section: the whole time, what all else waits for, how sure it is, and what shortens it."""
    from trnstack.plan.times import estimate  # noqa: PLC0415 - as every command, see the package's docstring

    found = estimate(decided)
    whole = [("one stack after another", _minutes(found.one_after_another), "cdk deploy --all")]
    if len(found.stacks) > 1:
        options = f"cdk deploy --all --concurrency {len(found.stacks)}"
        whole.append(("side by side", _minutes(found.side_by_side), options))
    width = len(f"{decided.name}-")
    steps = [(_minutes(step.minutes), step.stack[width:], step.what) for step in found.path]
    return [
        "First deploy: an estimate, by what third parties measured and AWS documents, from the least to the most",
        *output.columns(whole),
        "  what all else waits for",
        *output.columns(steps, indent=4),
        *output.wrapped(
            f"measured by third parties or assumed, without a figure of AWS's own: {', '.join(found.unconfirmed)}", "  "
        ),
        *(line for sentence in found.later for line in output.wrapped(sentence, "    ", first="  later: ")),
        *(line for sentence in found.shorter for line in output.wrapped(sentence, "    ", first="  shorter: ")),
    ]


def as_data(decided: "Plan") -> Mapping[str, Any]:
    """Returns the estimate as plain data, with minutes rounded to tenths."""
    import dataclasses  # noqa: PLC0415

    from trnstack.plan.times import estimate  # noqa: PLC0415

    data: Mapping[str, Any] = _rounded(dataclasses.asdict(estimate(decided)))
    return data


def _minutes(span: "Minutes") -> str:
    return f"{_rough(span.likely)} min ({_rough(span.low)} to {_rough(span.high)})"


def _rough(minutes: float) -> str:
    return f"{minutes:.0f}" if minutes >= 1 else f"{minutes:.1f}"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    return round(value, 1) if isinstance(value, float) else value
