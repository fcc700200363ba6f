"""Keeps the stacks of the rehearsal: what they were asked to be, their events, and the states that may follow."""

import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rehearsal import clock
from rehearsal.drifts import StackDrift
from rehearsal.handlers.base import Properties, Resource
from rehearsal.history import STACK_TYPE, Event, Output, Subject
from rehearsal.masking import masked, secrets
from rehearsal.records import Kept, Present, Record
from rehearsal.states import INTERNAL_FAILURE, REMOVALS, STEADY, TRANSITIONS, USER_INITIATED
from rehearsal.templates.parameters import Parameters
from rehearsal.templates.template import NOTHING, Template

__all__ = ["STACK_TYPE", "Deployment", "Event", "Kept", "Output", "Present", "Record", "Settled", "Stack", "Subject"]


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
        executed: The change sets that were executed, by id.
        reviewed: The ids of the nested stacks that wait in review for a change set of its own, by their logical ids.
        change_set_id: The id of the one that its last operation executed; None where that was a direct one.
        revision: How many operations have begun that may change what a change set would do.
        policy: The text of its stack policy; None as long as none was set.
        policy_during_update: The text of the policy that takes its place as long as an update lasts.
        on_failure: What its creation was to do on a failure, where the caller said it by ``OnFailure``.
        parent_id: The ARN of the stack whose resource it is; None for one that is nobody's.
        root_id: The ARN of the stack at the root of its tree; None for one that is nobody's.
        drift: What the last look at the whole stack found; None where there was none.
        skipped: Of a nested stack, the logical ids that the next continuation of its way back leaves out.
        deadline: When its creation, or that of the stack around it, has taken too long; None where there is no limit.
        performed: The id of the operation that is worked at; another one may have taken its place in ``operation_id``.
        lock: Held by whoever looks at its status and then changes it.
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
    executed: dict[str, Any] = field(default_factory=dict)
    reviewed: dict[str, str] = field(default_factory=dict)
    change_set_id: str | None = None
    revision: int = 0
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
    deadline: datetime | None = None
    performed: str = ""
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def begin(self, status: str, *, token: str | None = None, reason: str | None = USER_INITIATED) -> None:
        """Starts an operation: it gets an id of its own, and the stack its first status.

        Raises:
            ValueError: No such operation may start from the stack's present status.
        """
        with self.lock:
            before = self.operation_id, self.client_token
            self.operation_id, self.client_token = str(uuid.uuid4()), token
            try:
                self.move(status, reason)
            except ValueError:
                self.operation_id, self.client_token = before
                raise
            if status != "DELETE_IN_PROGRESS":
                self.revision += 1

    def move(self, status: str, reason: str | None = None) -> None:
        """Gives the stack its next status, with an event.

        Raises:
            ValueError: CloudFormation never takes a stack from its present status to that one.
        """
        if status not in TRANSITIONS[self.status]:
            raise ValueError(f"stack {self.name} can't go from {self.status or 'nothing'} to {status}")
        self.status, self.reason = status, reason
        self._add_event(Subject(self.name, self.id, STACK_TYPE), status, reason)
        if status in REMOVALS:
            self.deleted = self.events[-1].timestamp
        elif status in STEADY:
            self.deleted = None

    def advance(self, status: str, reason: str | None = None) -> bool:
        """Gives the stack its next status, unless another operation has taken the place of the one that is performed.

        Returns:
            Whether it got it.
        """
        with self.lock:
            if self.is_interrupted:
                return False
            self.move(status, reason)
            return True

    def stop(self) -> None:
        """Gives the stack the status that is next after one in progress, if it was left there by a bug."""
        with self.lock:
            if self.is_busy and not self.is_interrupted:
                ends = TRANSITIONS[self.status]
                self.move(next((end for end in ends if end.endswith("_FAILED")), ends[0]), INTERNAL_FAILURE)

    def mark(self, record: Record, status: str, reason: str | None = None, code: str | None = None) -> None:
        """Gives a resource its next status, with an event; ``code`` is that of the service that refused."""
        resource, shown = record.resource, self._shown(record)
        subject = Subject(record.logical_id, resource.physical_id or "", resource.type, shown)
        self._add_event(subject, status, reason, code)
        record.status, record.reason, record.updated = status, reason, self.events[-1].timestamp
        record.drift = None  # what was found before says nothing of what it is now

    def _shown(self, record: Record) -> Properties:
        """Gives a resource's properties without secrets, wherever its present or its coming template put one."""
        hidden = secrets(self.deployment.parameters, self.settled.deployment.parameters)
        shown: Properties = masked(record.spec.properties, record.resource.properties, hidden)
        coming = self.deployment.template.resources.get(record.logical_id) if hidden else None
        if coming is not None and coming != record.spec:
            shown = masked(coming.properties, shown, hidden)
        return shown

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

    @property
    def is_interrupted(self) -> bool:
        """Whether another operation has taken the place of the one that is performed."""
        return bool(self.performed) and self.performed != self.operation_id

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
