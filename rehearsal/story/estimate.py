"""How long AWS would take for what was deployed: as a person reads it, and as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rehearsal.times import Run, last_run, report


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate.

    Attributes:
        text: What a person reads.
        data: The same in minutes: of all stacks one after another, and of each stack with the resources on its path.
    """

    text: str
    data: Mapping[str, Any]


def estimate(client: Any, stack_names: Sequence[str]) -> Estimate:
    """Estimates the time of the last operations of stacks.

    Args:
        client: A boto3 client of the rehearsal's CloudFormation.
        stack_names: The names of the stacks, in the order in which they were deployed.
    """
    runs = [last_run(client, name) for name in stack_names]
    data = {**_minutes(runs), "stacks": [_stack(run) for run in runs]}
    return Estimate("\n".join(report(runs)), data)


def _minutes(runs: Sequence[Run]) -> Mapping[str, float]:
    return {
        "minutes": round(sum(run.minutes for run in runs), 1),
        "minutes_low": round(sum(run.low for run in runs), 1),
        "minutes_high": round(sum(run.high for run in runs), 1),
    }


def _stack(run: Run) -> Mapping[str, Any]:
    path = [{"logical_id": took.logical_id, "type": took.type, "minutes": round(took.minutes, 1)} for took in run.path]
    return {"name": run.stack, **_minutes([run]), "path": path}
