"""What every resource type answers to: how it is created, updated and deleted through the services' own APIs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Properties = dict[str, Any]

NOT_MODELLED = "NotModelled"
"""The code of what AWS may well do, and only the rehearsal does not: never one of AWS's own refusals."""
PROVIDER_FAILED = "ProviderFailed"
"""The code of what the provider of a custom resource said, which CloudFormation shows as it is."""
VALIDATION_FAILED = "VALIDATION_FAILED"
"""What CloudFormation's events say of properties that it refuses itself, before any handler is called.

Source: CloudFormation API reference, StackEvent, ``DetailedStatus``.
"""


class ResourceError(Exception):
    """A resource could not be made, changed or removed, for the reason that AWS would give.

    Attributes:
        code: The service's error code, such as ``InvalidParameterException``.
        message: What CloudFormation shows as the resource's status reason.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{message} (Error Code: {code})")
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a stack's resources are made.

    Attributes:
        account: The twelve digits of the account.
        region: The region's name.
        partition: The partition's name, such as ``aws``.
        stack_name: The stack's name, from which generated names begin.
        stack_id: The stack's ARN.
        tags: The stack's own tags, which reach every resource that can carry tags.
        client: Returns the in-process boto3 client of a service for this account and region.
    """

    account: str
    region: str
    partition: str
    stack_name: str
    stack_id: str
    tags: Mapping[str, str]
    client: Callable[[str], Any]


@dataclass(slots=True)
class Resource:
    """One resource of a stack, as it stands.

    Attributes:
        logical_id: Its name in the template.
        type: Its CloudFormation type, such as ``AWS::EC2::Subnet``.
        properties: The properties it has now, every intrinsic function resolved.
        physical_id: What ``Ref`` gives; None before it is made.
        attributes: What ``Fn::GetAtt`` gives, by attribute path (``Endpoint`` or ``Endpoint.Address``). Only what the
            service's API answered is in it: asking for anything else is an error, never an invented value.
    """

    logical_id: str
    type: str
    properties: Properties
    physical_id: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)

    def took(self, properties: Properties, *names: str) -> None:
        """Notes that some properties are changed already, as a handler does that changes them one after the other.

        What fails after that leaves them so, and the way back has to undo them.
        """
        others = {name: value for name, value in self.properties.items() if name not in names}
        self.properties = others | {name: properties[name] for name in names if properties.get(name) is not None}

    def bring(
        self,
        name: str,
        old: Sequence[Any],
        new: Sequence[Any],
        *,
        remove: Callable[[Any], object],
        add: Callable[[Any], object],
    ) -> None:
        """Brings a property that lists members to its new ones by a call for each, and notes what each has changed.

        Args:
            name: The property.
            old: What it lists now.
            new: What it is to list.
            remove: Takes a member away.
            add: Adds one.
        """
        stand = list(old)
        for member in [each for each in old if each not in new]:
            remove(member)
            stand.remove(member)
            self.took({name: list(stand)}, name)
        for member in [each for each in new if each not in old]:
            add(member)
            stand.append(member)
            self.took({name: list(stand)}, name)


class Handler(Protocol):
    """Creates, updates and deletes the resources of one type.

    A handler calls the services' own APIs and nothing else. It raises ``ResourceError`` for what it refuses itself; a
    botocore ``ClientError`` passes through, and the engine turns either into the resource's failure. A property that it
    cannot pass on is a ``ResourceError`` that names the property: nothing is left out in silence.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the resource from ``resource.properties``; sets its physical id and attributes."""

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes the resource in place to ``properties``; ``resource`` still holds the old ones.

        Sets attributes that changed. Where it takes several calls it notes by ``resource.took`` what each has changed.
        The engine stores the new properties afterwards, and never calls this for a change that the type's schema marks
        as create-only.
        """

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the resource. A resource that is gone already is no error."""
