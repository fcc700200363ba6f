"""What a rehearsal has done, step by step, for a machine to read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

VERSION = 1
#: How a step ended: it did what it should; it failed, or was refused, as it should; or it did not end as it should.
DONE, FAILED_AS_TOLD, REFUSED, WRONG = "done", "failed as told", "refused as it should be", "wrong"
#: What is of a scenario and not of this environment.
LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Step:
    """A step.

    Attributes:
        what: What was done: a command, or a sentence.
        seconds: How long it took.
        outcome: How it ended, as above.
        detail: What came of it, if there is more to say: the fault it was done under, or what failed.
        data: The same for a machine, as JSON has it: of a run of the CLI its ``stacks``, with their resources and
            seconds, and of one that failed as told also its ``failed`` resources; of the estimate its minutes.
    """

    what: str
    seconds: float
    outcome: str = DONE
    detail: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def to_json(*, environment: str, scenario: str, outcome: str, seconds: float, steps: Sequence[Step], error: str) -> str:
    """Returns a rehearsal as one JSON document.

    Args:
        environment: The environment file.
        scenario: The scenario's name.
        outcome: ``as planned``, ``failed``, ``wrong usage`` or ``stopped``.
        seconds: How long all of it took.
        steps: The steps, in their order.
        error: Why it failed; empty where it did not.
    """
    document: Mapping[str, Any] = {
        "version": VERSION,
        "environment": environment,
        "scenario": scenario,
        "outcome": outcome,
        "seconds": round(seconds, 1),
        "steps": [asdict(step) | {"seconds": round(step.seconds, 1)} for step in steps],
        "error": error or None,
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
