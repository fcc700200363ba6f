"""What EC2 refuses of a launch template when an instance is started from it.

CreateLaunchTemplate looks at little of what it is given; whoever starts instances by the template is told then, which
is why a node group fails and its launch template stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """What EC2 says no to.

    Attributes:
        code: EC2's error code, such as ``InvalidParameterCombination``.
        message: What it says.
    """

    code: str
    message: str


def refusals(
    data: Mapping[str, Any], instance_type: str, *, zone_ids: Sequence[str] = (), region: str
) -> Iterator[Refusal]:
    """Yields what RunInstances refuses of a launch template's data.

    Args:
        data: The data, by EC2's API names.
        instance_type: The type of the instance, the template's or else the caller's.
        zone_ids: The zones of the subnets in which it may start; without any, the region alone is looked at.
        region: The region.
    """
    groups = bool(data.get("SecurityGroupIds") or data.get("SecurityGroups"))
    if groups and data.get("NetworkInterfaces"):
        yield Refusal(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level security groups may not be specified on the same request",
        )
