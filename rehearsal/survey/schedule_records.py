"""What a survey finds of things that happen by themselves."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule of EventBridge Scheduler.

    Attributes:
        expression: When it runs, in its time zone.
        target: The ARN of what it calls.
        input: What its target gets.
    """

    group: str
    name: str
    expression: str
    timezone: str
    state: str
    target: str
    input: str


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of SNS.

    Attributes:
        tls_only: Whether its policy denies every message that does not come encrypted.
        subscriptions: Who is told: protocol and address.
    """

    name: str
    encrypted: bool
    tls_only: bool
    subscriptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of CloudWatch."""

    name: str
    metric: str
    notifies: int
