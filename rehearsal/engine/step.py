"""Performs one operation on one resource; everything that a stack does to a resource passes through here."""

from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from botocore.exceptions import ClientError, ParamValidationError

from rehearsal import clock
from rehearsal.durations import REFUSAL_SECONDS, seconds
from rehearsal.engine.words import failure
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.stack import Record, Stack
from rehearsal.templates.template import TemplateError

HandlerTable = Callable[[str], Handler | None]
ClientFactory = Callable[[str, str, str], Any]
Action = Callable[[], None]
Job = Generator[float, None, None]
"""A step under way: it yields how many seconds pass before it goes on."""
Before = Callable[[Stack, Resource, str, Properties], None]
"""Looks at an operation before its handler does: the stack, the resource as it stands, the verb, and the resolved
properties that it is to have. It raises ResourceError, ClientError or TemplateError to refuse it."""


_FAILED = "The following resource(s) failed to {}: [{}]. "

#: What CloudFormation calls what it was doing when it gives it up.
_CANCELLED = {"CREATE": "creation", "UPDATE": "update", "DELETE": "deletion"}


class Cancelled(Exception):  # noqa: N818 - no error: what is under way is told by it to end
    """Thrown into a step under way that CloudFormation gives up because another one failed."""


class StepError(Exception):
    """An operation on a resource failed; the resource's last event says why.

    Attributes:
        logical_id: The resource.
        verb: ``CREATE``, ``UPDATE`` or ``DELETE``.
    """

    def __init__(self, logical_id: str, verb: str) -> None:
        super().__init__(_FAILED.format(verb.lower(), logical_id))
        self.logical_id = logical_id
        self.verb = verb


class StepsError(StepError):
    """Operations on several resources failed.

    Attributes:
        failures: Each of them, in the order in which they failed.
    """

    def __init__(self, failures: Sequence[StepError]) -> None:
        super().__init__(failures[0].logical_id, failures[0].verb)
        self.failures = tuple(failures)

    def __str__(self) -> str:
        failed: dict[str, list[str]] = {}
        for one in self.failures:
            failed.setdefault(one.verb.lower(), []).append(one.logical_id)
        return "".join(_FAILED.format(verb, ", ".join(names)) for verb, names in failed.items())


@runtime_checkable
class Snapshots(Protocol):
    """What a handler has beside ``Handler`` when its resources can be kept as snapshots."""

    def snapshot(self, scope: Scope, resource: Resource) -> None:
        """Keeps the resource's data before it is deleted."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Creates, updates and deletes single resources through the handlers of their types.

    Attributes:
        handler_for: Gives the handler of a resource type; None for a type that the rehearsal has no model of.
        client: Gives a boto3 client for a service, an account and a region.
        before: What looks at each operation before its handler does, in this order.
    """

    handler_for: HandlerTable
    client: ClientFactory
    before: tuple[Before, ...] = ()

    def step(
        self,
        stack: Stack,
        record: Record,
        verb: str,
        action: Action,
        *,
        reason: str | None = None,
        successor: Record | None = None,
        takes: Callable[[], float] | None = None,
    ) -> Job:
        """Performs one operation with its two events, between which the time passes that it takes.

        What is done is done at the start, so that all of a stack's operations can share a thread; time that passes in
        it, by ``clock.pass_to``, counts.

        Args:
            stack: The stack of the resource.
            record: The resource.
            verb: ``CREATE``, ``UPDATE`` or ``DELETE``.
            action: What is done; it may raise what a handler may raise, or TemplateError.
            reason: The reason that the first event shows.
            successor: The record to which the last event belongs, where the operation replaces the resource.
            takes: Gives how many seconds it takes, asked when it is done; None for as long as the verb alone says.

        Raises:
            StepError: The action failed, or the step was given up.
        """
        began = clock.now()
        stack.mark(record, f"{verb}_IN_PROGRESS", reason)
        outcome = successor or record
        try:
            copy_context().run(action)  # what a look notes for the calls of this operation ends with it
        except (ResourceError, ClientError, ParamValidationError, TemplateError) as refusal:
            why = failure(refusal)
            with suppress(Cancelled):
                yield REFUSAL_SECONDS
            stack.mark(outcome, f"{verb}_FAILED", why.reason, why.code)
            raise StepError(record.logical_id, verb) from refusal
        passed = (clock.now() - began).total_seconds()
        try:
            yield max(0.0, (takes() if takes else _takes(verb, outcome.resource)) - passed)
        except Cancelled as order:
            stack.mark(outcome, f"{verb}_FAILED", f"Resource {_CANCELLED[verb]} cancelled")
            raise StepError(record.logical_id, verb) from order
        stack.mark(outcome, f"{verb}_COMPLETE")

    def create(self, stack: Stack, resource: Resource) -> None:
        """Has the handler make a resource from the properties that it holds."""
        handler = self._handler(resource.type)
        asked = resource.properties
        self._look(stack, resource, "CREATE", asked)
        try:
            handler.create(self.scope(stack), resource)
        finally:
            resource.properties = asked

    def change(self, stack: Stack, record: Record, properties: Properties, *, policy: str | None = None) -> None:
        """Has the handler change a resource to new properties.

        A handler that answers another physical id has made another resource, as the function of a custom resource may:
        the record is that one's from then on, and the old one awaits its removal.

        Args:
            stack: The stack of the resource.
            record: The resource.
            properties: What it is to have.
            policy: What becomes of the old one, if there is one: its ``UpdateReplacePolicy``.

        Source: CloudFormation user guide, "Custom resource request and response reference", replacing a custom
        resource during an update.
        """
        old = record.resource
        handler = self._handler(old.type)
        self._look(stack, old, "UPDATE", properties)
        new = replace(old, attributes=dict(old.attributes))
        try:
            handler.update(self.scope(stack), new, properties)
        finally:
            old.properties = new.properties  # what was changed before a failure: the way back has to undo it
        if new.physical_id == old.physical_id:
            old.attributes, old.properties = new.attributes, properties
            return
        new.properties = properties
        record.resource = new
        spec = replace(record.spec, update_replace_policy=policy)
        stack.superseded.append(Record(spec, old, record.dependencies, record.status))

    def delete(self, stack: Stack, resource: Resource) -> None:
        """Has the handler remove a resource."""
        handler = self._handler(resource.type)
        self._look(stack, resource, "DELETE", resource.properties)
        handler.delete(self.scope(stack), resource)

    def snapshot(self, stack: Stack, resource: Resource) -> None:
        """Has the handler keep a resource's data before it is removed."""
        handler = self._handler(resource.type)
        if not isinstance(handler, Snapshots):
            raise ResourceError(NOT_MODELLED, f"The rehearsal makes no snapshots of {resource.type}")
        handler.snapshot(self.scope(stack), resource)

    def scope(self, stack: Stack) -> Scope:
        """Gives what the handlers of a stack's resources work with."""
        return Scope(
            account=stack.account,
            region=stack.region,
            partition=stack.partition,
            stack_name=stack.name,
            stack_id=stack.id,
            tags=stack.deployment.tags,
            client=lambda service: self.client(service, stack.account, stack.region),
        )

    def _look(self, stack: Stack, resource: Resource, verb: str, properties: Properties) -> None:
        for look in self.before:
            look(stack, resource, verb, properties)

    def _handler(self, resource_type: str) -> Handler:
        handler = self.handler_for(resource_type)
        if handler is None:
            raise ResourceError(NOT_MODELLED, f"The rehearsal has no model of {resource_type}")
        return handler


def _takes(verb: str, resource: Resource) -> float:
    return seconds(resource.type, verb, resource.properties, resource.properties)
