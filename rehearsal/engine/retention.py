"""What an operation keeps when it fails, and the stack policies that come with one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retention:
    """What a failed operation keeps.

    Attributes:
        on_failure: ``ROLLBACK`` leads back, ``DO_NOTHING`` leaves the stack as it failed, and ``DELETE`` removes it,
            which is for creations only.
        retain_except_on_create: Whether the way back deletes new resources in spite of the policy ``Retain``.
    """

    on_failure: str = "ROLLBACK"
    retain_except_on_create: bool = False


@dataclass(frozen=True, slots=True)
class Policies:
    """The texts of the stack policies that come with an update.

    Attributes:
        during: Takes the place of the stack's own as long as the update lasts; None leaves that in force.
        after: Becomes the stack's own when the update has succeeded; None leaves it as it is.
    """

    during: str | None = None
    after: str | None = None


NO_POLICIES = Policies()
