"""The reader that most types need: one describe call, whose answer is spelled as the template spells it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from rehearsal.handlers.base import Properties, Resource, Scope
from rehearsal.handlers.calls import at, call, filled, is_gone

Record = dict[str, Any]
SYSTEM_TAGS = "aws:"


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiReader:
    """Reads the resources of one type by one row of facts.

    Attributes:
        service: boto3's name of the service.
        operation: The describe operation.
        parameters: Its parameters, as templates over ``{Ref}``, properties and attributes.
        at: Where the resource is in the answer.
        renamed: The API's name of each property that has another one.
        whole: The properties of which the answer tells every member, so that a missing one is missing.
        verbatim: The properties that ``adapt`` has brought into the template's form, to the letter.
        gone: Says of a record that what it describes is deleted.
        adapt: Brings the record into the template's form where names alone don't.
    """

    service: str
    operation: str
    parameters: Mapping[str, Any]
    at: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    verbatim: frozenset[str] = frozenset()
    gone: Callable[[Record], bool] = lambda _: False
    adapt: Callable[[Scope, Resource, Record], Record] = lambda _, __, record: record

    def __call__(self, scope: Scope, resource: Resource) -> Properties | None:
        """Reads a resource; None for one that is gone."""
        client = scope.client(self.service)
        answer = unless_gone(lambda: call(client, self.operation, filled(self.parameters, resource)))
        record = None if answer is None else at(answer, self.at)
        if not record or self.gone(record):
            return None
        record = self.adapt(scope, resource, dict(record))
        names = {name.lower(): name for name in record}
        told: Properties = {}
        for name, expected in resource.properties.items():
            found = names.get(self.renamed.get(name, name).lower())
            if found is not None and name != "Tags":
                value = record[found]
                told[name] = value if name in self.verbatim else spelled(expected, value, whole=name in self.whole)
        if "tags" in names:
            told["Tags"] = tag_list(record[names["tags"]])
        return told


def spelled(expected: Any, actual: Any, *, whole: bool = False) -> Any:
    """Gives an API's value with the template's names, which differ in their capitals alone.

    Args:
        expected: The template's value.
        actual: The API's value.
        whole: Whether a member that the API does not tell is missing; otherwise it is taken as it should be.
    """
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        names = {str(name).lower(): name for name in actual}
        told = {
            name: spelled(value, actual[names[name.lower()]], whole=whole)
            for name, value in expected.items()
            if name.lower() in names
        }
        return told if whole else {**expected, **told}
    if isinstance(expected, list) and isinstance(actual, list):
        model = {key: value for item in expected if isinstance(item, Mapping) for key, value in item.items()}
        return [spelled(model, item, whole=True) if isinstance(item, Mapping) else item for item in actual]
    return actual


def tag_list(tags: Any) -> list[dict[str, str]]:
    """Gives tags as a list of ``Key`` and ``Value``, without those that AWS itself has set."""
    pairs = tags.items() if isinstance(tags, Mapping) else [tuple(each.values()) for each in map(_ordered, tags)]
    return [{"Key": key, "Value": value} for key, value in pairs if not key.startswith(SYSTEM_TAGS)]


def unless_gone(act: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """Calls an operation that reads something; None where that is gone.

    Raises:
        ClientError: The service refuses for another reason.
    """
    try:
        return act()
    except ClientError as error:
        if is_gone(error):
            return None
        raise


def _ordered(tag: Mapping[str, str]) -> dict[str, str]:
    """Gives a tag's key first; KMS calls them ``TagKey`` and ``TagValue``."""
    return {
        "key": tag.get("Key", tag.get("TagKey", "")),
        "value": tag.get("Value", tag.get("TagValue", "")),
    }
