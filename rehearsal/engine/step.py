"""Performs one operation on one resource; everything that a stack does to a resource passes through here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from botocore.exceptions import ClientError, ParamValidationError

from rehearsal.engine.words import failure
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.stack import Record, Stack
from rehearsal.template import TemplateError

HandlerTable = Callable[[str], Handler | None]
ClientFactory = Callable[[str, str, str], Any]
Action = Callable[[], None]
Before = Callable[[Stack, Resource, str, Properties], None]
"""Looks at an operation before its handler does: the stack, the resource as it stands, the verb, and the resolved
properties that it is to have. It raises ResourceError, ClientError or TemplateError to refuse it."""


class StepError(Exception):
    """An operation on a resource failed; the resource's last event says why.

    Attributes:
        logical_id: The resource.
        verb: ``CREATE``, ``UPDATE`` or ``DELETE``.
    """

    def __init__(self, logical_id: str, verb: str) -> None:
        super().__init__(f"The following resource(s) failed to {verb.lower()}: [{logical_id}]. ")
        self.logical_id = logical_id
        self.verb = verb


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
    ) -> None:
        """Performs one operation with its two events.

        Args:
            stack: The stack of the resource.
            record: The resource.
            verb: ``CREATE``, ``UPDATE`` or ``DELETE``.
            action: What is done; it may raise what a handler may raise, or TemplateError.
            reason: The reason that the first event shows.
            successor: The record to which the last event belongs, where the operation replaces the resource.

        Raises:
            StepError: The action failed.
        """
        stack.mark(record, f"{verb}_IN_PROGRESS", reason)
        outcome = successor or record
        try:
            action()
        except (ResourceError, ClientError, ParamValidationError, TemplateError) as refusal:
            why = failure(refusal)
            stack.mark(outcome, f"{verb}_FAILED", why.reason, why.code)
            raise StepError(record.logical_id, verb) from refusal
        stack.mark(outcome, f"{verb}_COMPLETE")

    def create(self, stack: Stack, resource: Resource) -> None:
        """Has the handler make a resource from the properties that it holds."""
        handler = self._handler(resource.type)
        self._look(stack, resource, "CREATE", resource.properties)
        handler.create(self.scope(stack), resource)

    def update(self, stack: Stack, resource: Resource, properties: Properties) -> None:
        """Has the handler change a resource in place, and stores the new properties."""
        handler = self._handler(resource.type)
        self._look(stack, resource, "UPDATE", properties)
        handler.update(self.scope(stack), resource, properties)
        resource.properties = properties

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
