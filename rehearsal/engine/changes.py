"""What a change set says of a deployment: which resources would change, how, and why."""

from dataclasses import dataclass, field

from rehearsal.handlers.base import Properties
from rehearsal.masking import Secrets, masked
from rehearsal.templates.template import ResourceSpec

ALWAYS, CONDITIONALLY, NEVER = "Always", "Conditionally", "Never"


@dataclass(frozen=True, slots=True)
class Detail:
    """One reason for which a resource changes.

    Attributes:
        attribute: The part of the resource: ``Properties``, ``Tags``, ``Metadata``, ``DeletionPolicy``, ...
        name: The top-level property; None for the other parts.
        recreation: Whether the change replaces the resource: ``Always``, ``Conditionally`` or ``Never``.
        dynamic: Whether the new value is known only when the change is made.
        source: ``DirectModification``, ``ParameterReference``, ``ResourceReference`` or ``ResourceAttribute``.
        cause: The parameter, resource or attribute that the change comes from.
    """

    attribute: str
    name: str | None = None
    recreation: str = NEVER
    dynamic: bool = False
    source: str = "DirectModification"
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one resource.

    Attributes:
        action: ``Add``, ``Modify`` or ``Remove``.
        spec: What the template says of it; of a resource that is removed, what it said.
        physical_id: What it is now; None for a new one.
        replacement: ``True``, ``False`` or ``Conditional`` for ``Modify``; None otherwise.
        policy: What becomes of the old one: ``Delete``, ``Retain``, ``Snapshot`` or ``ReplaceAndDelete`` and its like.
        details: Why it changes.
        before: Its present properties.
        after: Its coming properties, of which ``LATER`` stands for those not known yet.
        was: What the present template says of it; None for a new one.
        hidden: What may not be shown of either.
    """

    action: str
    spec: ResourceSpec
    physical_id: str | None = None
    replacement: str | None = None
    policy: str | None = None
    details: tuple[Detail, ...] = ()
    before: Properties | None = None
    after: Properties | None = None
    was: ResourceSpec | None = None
    hidden: Secrets = field(default_factory=dict)

    @property
    def shown(self) -> tuple[Properties | None, Properties | None]:
        """Its present and its coming properties as they may be shown: without what secret parameters hold."""
        was = self.spec if self.was is None else self.was
        return masked(was.properties, self.before, self.hidden), masked(self.spec.properties, self.after, self.hidden)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a deployment would change.

    Attributes:
        changes: The resources that change, in the order in which they would; removals last.
        is_empty: Whether nothing would change, the outputs and the stack's tags included.
    """

    changes: tuple[Change, ...]
    is_empty: bool
