"""The parts of an ARN.

Source: IAM user guide, "Amazon Resource Names (ARNs)": partition, service, region, account and resource, of which the
last may have colons of its own.
"""

from typing import NamedTuple

PARTS = 6


class Arn(NamedTuple):
    """What an ARN says, of which a region or an account may be empty."""

    partition: str
    service: str
    region: str
    account: str
    resource: str


def parsed(text: str) -> Arn | None:
    """Gives the parts of an ARN; None for what is none."""
    first, *parts = text.split(":", PARTS - 1)
    return Arn(*parts) if first == "arn" and len(parts) == len(Arn._fields) else None
