"""What must hold of the budget, and of those who are told."""

from collections.abc import Iterator
from itertools import pairwise

from trnstack.findings import Finding
from trnstack.rules.shape import repeated
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


def alarm_emails_are_unique(environment: Environment) -> Iterator[Finding]:
    """SPEC024: Nobody is told twice.

    Source: SNS API reference, Subscribe: a second subscription of the same address is the first one.
    """
    emails = [email.lower() for email in environment.observability.alarm_emails]
    for index, email in repeated(emails):
        yield Finding(
            code="SPEC024",
            path=("observability", "alarm_emails", index),
            message=f"'{email}' is listed twice",
            hint="remove one of the two",
        )


RULES = (budget_steps_rise, alarm_emails_are_unique)
