"""What looks at stacks and at their resources found, where they stand otherwise than their templates asked for.

Source: CloudFormation API reference, StackResourceDrift, PropertyDifference, DescribeStackDriftDetectionStatus.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

DELETED, IN_SYNC, MODIFIED, NOT_CHECKED = "DELETED", "IN_SYNC", "MODIFIED", "NOT_CHECKED"
DRIFTED = "DRIFTED"
ADD, NOT_EQUAL, REMOVE = "ADD", "NOT_EQUAL", "REMOVE"


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not what it should be.

    Attributes:
        path: Where it is, such as ``/Tags/0/Value``.
        kind: ``ADD`` for what a list has too much, ``REMOVE`` for what is missing, ``NOT_EQUAL`` otherwise.
        expected: What the template asked for; None for ``ADD``.
        actual: What stands; None for ``REMOVE``.
    """

    path: str
    kind: str
    expected: Any = None
    actual: Any = None


@dataclass(frozen=True, slots=True)
class Drift:
    """What a look at a resource found.

    Attributes:
        status: ``IN_SYNC``, ``MODIFIED`` or ``DELETED``.
        checked: When it was looked at.
        expected: The properties that were compared, as the template asked for them.
        actual: The same properties as they stand; None for a resource that is gone.
        differences: What differs.
    """

    status: str
    checked: datetime
    expected: dict[str, Any]
    actual: dict[str, Any] | None = None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class StackDrift:
    """What a look at a stack found.

    Attributes:
        id: The look's own id.
        checked: When it was done.
        drifted: How many resources are not as they should be.
    """

    id: str
    checked: datetime
    drifted: int

    @property
    def status(self) -> str:
        """``DRIFTED`` or ``IN_SYNC``."""
        return DRIFTED if self.drifted else IN_SYNC
