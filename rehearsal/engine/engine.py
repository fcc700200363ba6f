"""Starts and performs the operations on stacks: create, update, delete and the ways back."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.engine.bringing import bring
from rehearsal.engine.changes import Preview
from rehearsal.engine.check import capabilities, check, check_update, check_written
from rehearsal.engine.drift import ReaderTable, look
from rehearsal.engine.ending import delete, finish_update
from rehearsal.engine.nested import CLEANING_UP, LEADING_BACK, NestedStack, unfinished
from rehearsal.engine.performing import Operation, performed
from rehearsal.engine.preview import Previewer
from rehearsal.engine.retention import NO_POLICIES, Policies, Retention
from rehearsal.engine.rollback import Rollback
from rehearsal.engine.step import Before, ClientFactory, HandlerTable, Steps
from rehearsal.engine.surroundings import stored_parameters, surroundings
from rehearsal.engine.watch import deadline
from rehearsal.handlers.base import Handler, Properties, Resource
from rehearsal.schemas import Schemas, schemas
from rehearsal.stack import STACK_TYPE, Deployment, Stack
from rehearsal.templates.parameters import Given, parameters
from rehearsal.templates.resolve import Resolver
from rehearsal.templates.template import Template
from rehearsal.world import World

PRESERVE = "DO_NOTHING"


@dataclass(frozen=True, slots=True)
class Engine:
    """Performs the operations on the stacks of a world.

    Every method that begins an operation gives the stack its first status and returns the rest as a function, so that
    whoever calls may run it beside himself; the caller holds ``world.lock`` while it decides and begins.

    Attributes:
        world: The stacks.
        handler_for: Gives the handler of a resource type; None for a type that the rehearsal has no model of.
        client: Gives a boto3 client for a service, an account and a region.
        schemas_of: Gives the resource types of a region.
        before: What looks at each operation on a resource before its handler does.
        reader_for: Gives what reads how a resource of a type stands; None for a type that is not checked for drift.
    """

    world: World
    handler_for: HandlerTable
    client: ClientFactory
    schemas_of: Callable[[str], Schemas] = field(default=schemas)
    before: tuple[Before, ...] = ()
    reader_for: ReaderTable = field(default=lambda _: None)

    def prepare(
        self, stack: Stack, template: Template, given: Mapping[str, Given], tags: Mapping[str, str]
    ) -> Deployment:
        """Gives a template's parameters their values and checks what it says of its resources.

        Raises:
            TemplateError: CloudFormation would refuse the request.
        """

        def stored(names: Iterable[str]) -> Mapping[str, str]:
            return stored_parameters(self.client("ssm", stack.account, stack.region), names)

        values = parameters(template, given, stack.deployment.parameters, stored)
        deployment = Deployment(template, values, tags)
        check(self.resolver(stack, deployment, {}, set()), self.schemas_of(stack.region), self.handler_for)
        check_update(stack.deployment.template, template)
        return deployment

    def validate(self, template: Template, region: str) -> None:
        """Checks a template by itself.

        Raises:
            TemplateError: CloudFormation would refuse it, whatever its parameters' values.
        """
        check_written(template, self.schemas_of(region), self.handler_for)

    def capabilities(self, template: Template, region: str) -> dict[str, str]:
        """Gives the capability that the caller must acknowledge for each resource type that needs one."""
        return capabilities(template, self.schemas_of(region))

    def present(self, stack: Stack, deployment: Deployment) -> frozenset[str]:
        """Gives the logical ids of the resources that a deployment asks for, conditions considered."""
        resolver = self.resolver(stack, deployment, {}, set())
        return frozenset(name for name in deployment.template.resources if resolver.present(name))

    def preview(self, stack: Stack, deployment: Deployment) -> Preview:
        """Tells what a deployment would change, without changing it.

        Raises:
            TemplateError: The template imports what no stack exports.
        """
        return Previewer(
            stack=stack,
            deployment=deployment,
            schemas=self.schemas_of(stack.region),
            resolver=lambda resources: self.resolver(stack, deployment, resources, set()),
        ).preview()

    def create(self, stack: Stack, deployment: Deployment, retention: Retention, token: str | None = None) -> Operation:
        """Begins to make a stack's resources."""
        stack.begin("CREATE_IN_PROGRESS", token=token)
        stack.deployment, stack.deadline = deployment, deadline(self.world, stack)

        def run() -> None:
            failure = bring(self, stack, preserves=retention.on_failure == PRESERVE)
            if failure is None:
                stack.settle()
                stack.advance("CREATE_COMPLETE")
            elif retention.on_failure == "ROLLBACK":
                if stack.advance("ROLLBACK_IN_PROGRESS", f"{failure.rstrip('. ')}. Rollback requested by user."):
                    self._rollback(stack, retention).undo_creation()
            elif retention.on_failure == "DELETE":
                if stack.advance("DELETE_IN_PROGRESS", f"{failure.rstrip('. ')}. Delete requested by user."):
                    delete(self.world, self.steps, stack, "", (), force=False)
            else:
                stack.advance("CREATE_FAILED", failure)

        return performed(stack, run)

    def update(
        self,
        stack: Stack,
        deployment: Deployment,
        retention: Retention,
        token: str | None = None,
        *,
        policies: Policies = NO_POLICIES,
        waits: bool = False,
    ) -> Operation:
        """Begins to change a stack's resources.

        Args:
            stack: The stack.
            deployment: What it is to become.
            retention: What a failure keeps.
            token: The caller's token.
            policies: The stack policies that come with the update.
            waits: Whether what was replaced or left out stays until ``clean_up``, as that of a nested stack does until
                its parent's update has succeeded.
        """
        tags_changed = deployment.tags != stack.deployment.tags
        stack.begin("UPDATE_IN_PROGRESS", token=token)
        stack.deployment, stack.updated, stack.deadline = deployment, stack.now(), None
        stack.policy_during_update = policies.during

        def run() -> None:
            may_replace = retention.on_failure == "ROLLBACK"
            preserves = retention.on_failure == PRESERVE
            failure = bring(self, stack, tags_changed=tags_changed, may_replace=may_replace, preserves=preserves)
            stack.policy_during_update = None
            if failure is None:
                if stack.advance(CLEANING_UP):
                    stack.policy = stack.policy if policies.after is None else policies.after
                    if not waits:
                        self.clean_up(stack)
            elif retention.on_failure == "ROLLBACK":
                if stack.advance(LEADING_BACK, failure):
                    self._rollback(stack, retention).undo_update()
            else:
                stack.advance("UPDATE_FAILED", failure)

        return performed(stack, run)

    def delete(
        self, stack: Stack, *, retained: Collection[str] = (), force: bool = False, token: str | None = None
    ) -> Operation:
        """Begins to remove a stack's resources, those that it has lost track of included; it ends a creation.

        Args:
            stack: The stack.
            retained: The logical ids of resources that are left in the account.
            force: Whether resources that can't be removed are left in the account as well.
            token: The caller's token.
        """
        before = stack.status
        stack.begin("DELETE_IN_PROGRESS", token=token)
        return performed(stack, lambda: delete(self.world, self.steps, stack, before, retained, force=force))

    def roll_back(self, stack: Stack, retention: Retention, token: str | None = None) -> Operation:
        """Begins the way back of a stack that was left as it failed, or whose update is under way, which it ends."""
        rollback = self._rollback(stack, retention)
        if stack.status == "CREATE_FAILED":
            stack.begin("ROLLBACK_IN_PROGRESS", token=token)
            return performed(stack, rollback.undo_creation)
        stack.begin(LEADING_BACK, token=token)
        return performed(stack, rollback.undo_update)

    def continue_rollback(
        self, stack: Stack, skipped: Collection[str], token: str | None = None, *, refusal: str | None = None
    ) -> Operation:
        """Begins again the way back that failed, without the resources that are to be skipped.

        Args:
            stack: The stack.
            skipped: The logical ids of the resources that are taken as rolled back.
            token: The caller's token.
            refusal: Why these can't be skipped, which ends it at once; None where they can.
        """
        stack.begin(LEADING_BACK, token=token)
        if refusal is not None:
            return performed(stack, lambda: stack.move("UPDATE_ROLLBACK_FAILED", refusal))
        return performed(stack, Rollback(self.steps, stack, skipped=skipped).undo_update)

    def clean_up(self, stack: Stack) -> None:
        """Removes what an update has replaced or left out, of the nested stacks first, and ends the update."""
        for child in unfinished(self, stack):
            self.clean_up(child)
        finish_update(self.steps, stack, self.present(stack, stack.deployment))

    def nested_deployment(self, parent: Stack, child: Stack, properties: Properties) -> Deployment:
        """Gives what a nested stack would become by its resource's properties in the parent.

        Raises:
            TemplateError: CloudFormation would refuse the template or its parameters.
        """
        return NestedStack(self).deployment(self.steps.scope(parent), child, properties)

    def look(self, stack: Stack, names: Collection[str]) -> None:
        """Looks how some resources of a stack stand, if their types can be read, and keeps what it finds with them."""
        scope = self.steps.scope(stack)
        for name in names:
            record = stack.records[name]
            reader = self.reader_for(record.resource.type) if record.exists else None
            record.drift = None if reader is None else look(reader, scope, record.resource, stack.now())

    @property
    def steps(self) -> Steps:
        """What performs operations on single resources."""
        return Steps(self._handler_for, self.client, self.before)

    def _handler_for(self, resource_type: str) -> Handler | None:
        return NestedStack(self) if resource_type == STACK_TYPE else self.handler_for(resource_type)

    def _rollback(self, stack: Stack, retention: Retention) -> Rollback:
        return Rollback(self.steps, stack, retain_except_on_create=retention.retain_except_on_create)

    def resolver(
        self, stack: Stack, deployment: Deployment, resources: Mapping[str, Resource], imports: set[str]
    ) -> Resolver:
        """Gives what resolves a deployment's values.

        Args:
            stack: The stack.
            deployment: What it is to become.
            resources: The resources to which the template may refer, by logical id.
            imports: Gets the name of every export that is used.
        """

        def client(service: str, region: str) -> Any:
            return self.client(service, stack.account, region)

        def offers(resource_type: str, attribute: str) -> bool:
            schema = self.schemas_of(stack.region).get(resource_type)
            return schema is None or schema.offers(attribute)

        around = surroundings(self.world, stack, client, imports)
        return Resolver(deployment.template, deployment.parameters, around, resources, offers)
