"""What EC2 says no to, by code and words, for whoever passes it on: EC2 itself, or EKS in its own name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """What EC2 says no to.

    Attributes:
        code: EC2's error code, such as ``InvalidParameterCombination``.
        message: What it says.
    """

    code: str
    message: str
