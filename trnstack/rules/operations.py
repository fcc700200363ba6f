"""What must hold of the budget."""

from collections.abc import Iterator
from itertools import pairwise

from trnstack.findings import Finding
from trnstack.spec import Environment


def budget_steps_rise(environment: Environment) -> Iterator[Finding]:
    """COST001: The shares of the budget at which people are told rise from one to the next, each given once.

    Source: AWS Budgets API reference, CreateNotification: a second equal notification is a duplicate.
    """
    steps = environment.budget.notify_at_percent if environment.budget else ()
    for index, (earlier, later) in enumerate(pairwise(steps), start=1):
        if later <= earlier:
            yield Finding(
                code="COST001",
                path=("budget", "notify_at_percent", index),
                message=f"{later} percent does not come after {earlier}",
                hint=f"write [{', '.join(map(str, sorted(set(steps))))}]",
            )


RULES = (budget_steps_rise,)
