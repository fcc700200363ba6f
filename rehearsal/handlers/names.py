"""The names that CloudFormation gives to resources whose templates give none."""

import hashlib
import string
from dataclasses import dataclass

from rehearsal.handlers.base import Resource, Scope
from rehearsal.overlays.state import state_of

_ALPHABET = string.ascii_uppercase + string.digits
_SUFFIX_LENGTH = 12


@dataclass(frozen=True, slots=True)
class NameRule:
    """How the name of a type's resources is found.

    Attributes:
        property: The property that may hold the name.
        limit: The most characters that the type's names may have.
        lower: Whether names are in lower case, as a bucket's are.
        begins: What a generated name begins with; None where it is the stack's name, as it is of most types.
    """

    property: str
    limit: int
    lower: bool = False
    begins: str | None = None

    def name(self, scope: Scope, resource: Resource) -> str:
        """Gives the template's name, or generates ``STACK-LOGICALID-RANDOM``, cut to the type's limit.

        The random part follows from the stack's id, the logical id and how many names they were given before, so that a
        replacement gets another name and two equal rehearsals print alike.

        Source: CloudFormation user guide, Name type.
        """
        given = resource.properties.get(self.property)
        if given:
            return str(given)
        return generated_name(scope, resource, limit=self.limit, lower=self.lower, begins=self.begins)


def generated_name(
    scope: Scope, resource: Resource, *, limit: int, lower: bool = False, begins: str | None = None
) -> str:
    """Generates the next name of a resource; both its parts are cut alike where it would be longer than the limit."""
    counts = state_of(scope.account, scope.region).generated_names
    counts[scope.stack_id, resource.logical_id] += 1
    suffix = _suffix(f"{scope.stack_id} {resource.logical_id} {counts[scope.stack_id, resource.logical_id]}")
    room, first = limit - len(suffix) - 2, scope.stack_name if begins is None else begins
    logical_id = resource.logical_id[: max(room // 2, room - len(first))]
    name = f"{first[: room - len(logical_id)]}-{logical_id}-{suffix}"
    return name.lower() if lower else name


def _suffix(seed: str) -> str:
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in digest[:_SUFFIX_LENGTH])
