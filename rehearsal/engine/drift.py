"""Drift: how what stands differs from what a stack's template asked for.

Only properties that the template gives are compared, and of them those that a reader can tell; resources of a type
without a reader are not checked, as CloudFormation does not check types that it can't read.

Source: CloudFormation user guide, "Detect unmanaged configuration changes to stacks and resources with drift
detection"; API reference, StackResourceDrift and PropertyDifference.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from rehearsal.drifts import ADD, DELETED, IN_SYNC, MODIFIED, NOT_EQUAL, REMOVE, Difference, Drift
from rehearsal.handlers.base import Properties, Resource, Scope
from rehearsal.handlers.tags import wanted_tags
from rehearsal.schemas import same

SYSTEM_TAGS = "aws:"

Reader = Callable[[Scope, Resource], Properties | None]
"""Reads how a resource stands now, as CloudFormation properties: those that it can tell; None for one that is gone."""
ReaderTable = Callable[[str], Reader | None]
"""Gives the reader of a resource type; None for a type whose resources can't be read."""


def look(reader: Reader, scope: Scope, resource: Resource, now: datetime) -> Drift:
    """Compares a resource with its properties.

    Args:
        reader: Reads how it stands.
        scope: Where it is.
        resource: The resource.
        now: The time.
    """
    actual = reader(scope, resource)
    expected = _expected(scope, resource)
    if actual is None:
        return Drift(DELETED, now, expected)
    told = {name: actual[name] for name in expected if name in actual}
    compared = {name: expected[name] for name in told}
    differences = tuple(_differences(compared, told, ""))
    return Drift(MODIFIED if differences else IN_SYNC, now, compared, told, differences)


def _expected(scope: Scope, resource: Resource) -> Properties:
    """Gives the properties that a resource should have, with the tags that its stack hands down."""
    tags = wanted_tags(scope, resource, resource.properties)
    own = [{"Key": key, "Value": value} for key, value in tags.items() if not key.startswith(SYSTEM_TAGS)]
    return {**resource.properties, **({"Tags": own} if own else {})}


def _differences(expected: Any, actual: Any, path: str) -> Iterator[Difference]:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for name, value in expected.items():
            if name in actual:
                yield from _differences(value, actual[name], f"{path}/{name}")
            else:
                yield Difference(f"{path}/{name}", REMOVE, expected=value)
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _of_lists(expected, actual, path)
    elif not same(expected, actual):
        yield Difference(path, NOT_EQUAL, expected, actual)


def _of_lists(expected: list[Any], actual: list[Any], path: str) -> Iterator[Difference]:
    """Compares lists whose order says nothing; members of one key, or the only ones, are compared with each other."""
    left = list(enumerate(actual))
    missing = []
    for place, value in enumerate(expected):
        match = next((pair for pair in left if not any(_differences(value, pair[1], ""))), None)
        if match is None:
            missing.append((place, value))
        else:
            left.remove(match)
    for place, value in missing:
        partner = next((pair for pair in left if _key(value) == _key(pair[1])), None)
        if partner is None or _key(value) is None:
            yield Difference(f"{path}/{place}", REMOVE, expected=value)
        else:
            left.remove(partner)
            yield from _differences(value, partner[1], f"{path}/{place}")
    for place, value in left:
        yield Difference(f"{path}/{place}", ADD, actual=value)


def _key(value: Any) -> Any:
    """Gives what tells the members of a list apart, where they have it: a tag's key, a rule's id."""
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in ("Key", "Id", "Name", "PolicyName") if name in value), None)
