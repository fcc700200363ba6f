"""Keeps the stacks of the rehearsal: what they were asked to be, their events, and the states that may follow."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rehearsal import clock
from rehearsal.drifts import StackDrift
from rehearsal.handlers.base import Properties, Resource
from rehearsal.parameters import Parameters
from rehearsal.records import Kept, Present, Record
from rehearsal.states import INTERNAL_FAILURE, TRANSITIONS, USER_INITIATED
from rehearsal.template import NOTHING, Template

__all__ = ["STACK_TYPE", "Deployment", "Event", "Kept", "Output", "Present", "Record", "Settled", "Stack", "Subject"]

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
class Settled:
    """How a stack stood when it was last at rest, which is where a rollback leads."""

    deployment: Deployment = field(default_factory=Deployment)
    records: Mapping[str, Kept] = field(default_factory=dict)
    imports: frozenset[str] = frozenset()
    outputs: tuple[Output, ...] = ()


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
        policy: The text of its stack policy; None as long as none was set.
        policy_during_update: The text of the policy that takes its place as long as an update lasts.
        on_failure: What its creation was to do on a failure, where the caller said it by ``OnFailure``.
        parent_id: The ARN of the stack whose resource it is; None for one that is nobody's.
        root_id: The ARN of the stack at the root of its tree; None for one that is nobody's.
        drift: What the last look at the whole stack found; None where there was none.
        skipped: Of a nested stack, the logical ids that the next continuation of its way back leaves out.
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
    policy_during_update: str | None = None
    on_failure: str | None = None
    parent_id: str | None = None
    root_id: str | None = None
    drift: StackDrift | None = None
    skipped: frozenset[str] = frozenset()
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
        record.drift = None  # what was found before says nothing of what it is now

    def settle(self) -> None:
        """Remembers how the stack stands, as the place to which a later rollback leads."""
        self.settled = Settled(
            deployment=self.deployment,
            records={
                name: Kept(record.spec, record.resource, record.resource.properties, record.dependencies)
                for name, record in self.records.items()
            },
            imports=self.imports,
            outputs=self.outputs,
        )

    @property
    def resources(self) -> Mapping[str, Resource]:
        """The resources that are there, by logical id; a view that always shows the present."""
        return Present(self.records)

    @property
    def policy_in_force(self) -> str | None:
        """The text of the policy that an update has to obey now."""
        return self.policy if self.policy_during_update is None else self.policy_during_update

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
            timestamp=max([self.now(), *(one.timestamp + clock.MOMENT for one in self.events[-1:])]),
            recorded=clock.recorded(),
            code=code,
        )
        self.events.append(event)
