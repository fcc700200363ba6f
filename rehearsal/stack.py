"""Keeps the stacks of the rehearsal: their resources, their events, and the states through which they may pass."""

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rehearsal.handlers.base import Properties, Resource
from rehearsal.parameters import Parameters
from rehearsal.states import INTERNAL_FAILURE, TRANSITIONS, USER_INITIATED
from rehearsal.template import NOTHING, ResourceSpec, Template

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
        timestamp: When.
        code: The error code of the service that refused; None where nothing did.
    """

    event_id: str
    operation_id: str
    client_token: str | None
    subject: Subject
    status: str
    reason: str | None
    timestamp: datetime
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


@dataclass(slots=True)
class Record:
    """A resource within its stack.

    Attributes:
        spec: What the template said of it when it was last made or changed.
        resource: The resource itself, which its handler works on.
        dependencies: The logical ids of the resources that must be there before it.
        status: Its last status; empty before its first.
        reason: The reason for that status.
        updated: When it got that status.
    """

    spec: ResourceSpec
    resource: Resource
    dependencies: frozenset[str] = frozenset()
    status: str = ""
    reason: str | None = None
    updated: datetime | None = None

    @property
    def logical_id(self) -> str:
        """The resource's name in the template."""
        return self.spec.logical_id

    @property
    def exists(self) -> bool:
        """Whether there is something of it in the account."""
        return self.resource.physical_id is not None and self.status not in {"DELETE_COMPLETE", "DELETE_SKIPPED"}


@dataclass(frozen=True, slots=True)
class Present(Mapping[str, Resource]):
    """Shows, of a stack's records, the resources that are there."""

    records: Mapping[str, Record]

    def __getitem__(self, name: str) -> Resource:
        record = self.records[name]
        if not record.exists:
            raise KeyError(name)
        return record.resource

    def __iter__(self) -> Iterator[str]:
        return (name for name, record in self.records.items() if record.exists)

    def __len__(self) -> int:
        return sum(record.exists for record in self.records.values())


@dataclass(frozen=True, slots=True)
class Deployment:
    """What a stack was asked to be.

    Attributes:
        template: The template.
        parameters: Its parameters with their values.
        tags: The stack's own tags.
    """

    template: Template = NOTHING
    parameters: Parameters = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kept:
    """How a resource stood when its stack was last at rest."""

    spec: ResourceSpec
    resource: Resource
    properties: Properties
    dependencies: frozenset[str]


@dataclass(frozen=True, slots=True)
class Settled:
    """How a stack stood when it was last at rest, which is where a rollback leads."""

    deployment: Deployment = field(default_factory=Deployment)
    records: Mapping[str, Kept] = field(default_factory=dict)
    imports: frozenset[str] = frozenset()


@dataclass(slots=True)
class Stack:
    """A CloudFormation stack.

    Attributes:
        now: Tells the time of its events.
        records: Its resources by logical id, in the order in which they were made.
        superseded: The resources that replacements have pushed out and that still await their removal.
        deployment: What it was last asked to be.
        settled: How it stood when it was last at rest.
        outputs: Its outputs.
        imports: The names of the exports that it uses.
        options: What the caller gave along and CloudFormation only gives back (role, notifications, capabilities, ...).
        change_sets: Its change sets by name, as the API keeps them.
    """

    name: str
    id: str
    account: str
    region: str
    partition: str
    now: Callable[[], datetime]
    created: datetime
    updated: datetime | None = None
    deleted: datetime | None = None
    status: str = ""
    reason: str | None = None
    records: dict[str, Record] = field(default_factory=dict)
    superseded: list[Record] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    deployment: Deployment = field(default_factory=Deployment)
    settled: Settled = field(default_factory=Settled)
    outputs: tuple[Output, ...] = ()
    imports: frozenset[str] = frozenset()
    options: Mapping[str, Any] = field(default_factory=dict)
    change_sets: dict[str, Any] = field(default_factory=dict)
    policy: str | None = None
    is_protected: bool = False
    operation_id: str = ""
    client_token: str | None = None

    def begin(self, status: str, *, token: str | None = None, reason: str | None = USER_INITIATED) -> None:
        """Starts an operation: it gets an id of its own, and the stack its first status.

        Raises:
            ValueError: No such operation may start from the stack's present status.
        """
        self.operation_id = str(uuid.uuid4())
        self.client_token = token
        self.move(status, reason)

    def move(self, status: str, reason: str | None = None) -> None:
        """Gives the stack its next status, with an event.

        Raises:
            ValueError: CloudFormation never takes a stack from its present status to that one.
        """
        if status not in TRANSITIONS[self.status]:
            raise ValueError(f"stack {self.name} can't go from {self.status or 'nothing'} to {status}")
        self.status, self.reason = status, reason
        self._add_event(Subject(self.name, self.id, STACK_TYPE), status, reason)

    def stop(self) -> None:
        """Gives the stack the status that is next after one in progress, if it was left there by a bug."""
        if self.is_busy:
            ends = TRANSITIONS[self.status]
            self.move(next((end for end in ends if end.endswith("_FAILED")), ends[0]), INTERNAL_FAILURE)

    def mark(self, record: Record, status: str, reason: str | None = None, code: str | None = None) -> None:
        """Gives a resource its next status, with an event; ``code`` is that of the service that refused."""
        resource = record.resource
        subject = Subject(record.logical_id, resource.physical_id or "", resource.type, resource.properties)
        self._add_event(subject, status, reason, code)
        record.status, record.reason, record.updated = status, reason, self.events[-1].timestamp

    def settle(self) -> None:
        """Remembers how the stack stands, as the place to which a later rollback leads."""
        self.settled = Settled(
            deployment=self.deployment,
            records={
                name: Kept(record.spec, record.resource, record.resource.properties, record.dependencies)
                for name, record in self.records.items()
            },
            imports=self.imports,
        )

    @property
    def resources(self) -> Mapping[str, Resource]:
        """The resources that are there, by logical id; a view that always shows the present."""
        return Present(self.records)

    @property
    def is_busy(self) -> bool:
        """Whether an operation is under way."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    def may(self, status: str) -> bool:
        """Says whether the stack may take a status now."""
        return status in TRANSITIONS[self.status]

    def _add_event(self, subject: Subject, status: str, reason: str | None, code: str | None = None) -> None:
        event = Event(
            event_id=str(uuid.uuid4()),
            operation_id=self.operation_id,
            client_token=self.client_token,
            subject=subject,
            status=status,
            reason=reason,
            timestamp=self.now(),
            code=code,
        )
        self.events.append(event)
