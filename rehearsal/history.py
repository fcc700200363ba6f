"""What a stack tells of itself: the events of its history, and its outputs."""

from dataclasses import dataclass
from datetime import datetime

from rehearsal.handlers.base import Properties

STACK_TYPE = "AWS::CloudFormation::Stack"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an event is about: a resource, or the stack itself.

    Attributes:
        logical_id: Its name in the template.
        physical_id: What ``Ref`` gives; empty before it is made.
        type: Its CloudFormation type.
        properties: The resource's properties at that time; None for the stack.
    """

    logical_id: str
    physical_id: str
    type: str
    properties: Properties | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a stack's history, as ``DescribeStackEvents`` shows it.

    Attributes:
        event_id: Its own id.
        operation_id: The id of the stack operation that it belongs to.
        client_token: The token that the caller gave that operation.
        subject: What it is about.
        status: The status that this got.
        reason: Why.
        timestamp: When, by the rehearsal's clock.
        recorded: When, by the machine's.
        code: The error code of the service that refused; None where nothing did.
    """

    event_id: str
    operation_id: str
    client_token: str | None
    subject: Subject
    status: str
    reason: str | None
    timestamp: datetime
    recorded: datetime
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A stack's output.

    Attributes:
        key: Its name in the template.
        value: Its value.
        description: Its description, if it has one.
        export: The name under which other stacks may import it, if any.
    """

    key: str
    value: str
    description: str | None = None
    export: str | None = None
