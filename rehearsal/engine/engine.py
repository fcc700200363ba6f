"""Starts and performs the operations on stacks: create, update, delete and the ways back."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.engine.check import capabilities, check, check_update
from rehearsal.engine.deploy import Deploy
from rehearsal.engine.drift import ReaderTable, look
from rehearsal.engine.ending import delete, finish_update
from rehearsal.engine.nested import CLEANING_UP, NestedStack, unfinished
from rehearsal.engine.outputs import check_exports, outputs
from rehearsal.engine.policy import check_removals
from rehearsal.engine.preview import Preview, Previewer
from rehearsal.engine.retention import NO_POLICIES, Policies, Retention
from rehearsal.engine.rollback import Rollback
from rehearsal.engine.step import Before, ClientFactory, HandlerTable, StepError, Steps
from rehearsal.engine.surroundings import stored_parameter, surroundings
from rehearsal.handlers.base import Handler, Properties, Resource
from rehearsal.parameters import Given, parameters
from rehearsal.resolve import Resolver
from rehearsal.schemas import Schemas, schemas
from rehearsal.stack import STACK_TYPE, Deployment, Stack
from rehearsal.template import Template, TemplateError
from rehearsal.world import World

Operation = Callable[[], None]

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

        def stored(name: str) -> str | None:
            return stored_parameter(self.client("ssm", stack.account, stack.region), name)

        values = parameters(template, given, stack.deployment.parameters, stored)
        deployment = Deployment(template, values, tags)
        check(self._resolver(stack, deployment, {}, set()), self.schemas_of(stack.region), self.handler_for)
        check_update(stack.deployment.template, template)
        return deployment

    def capabilities(self, template: Template, region: str) -> dict[str, str]:
        """Gives the capability that the caller must acknowledge for each resource type that needs one."""
        return capabilities(template, self.schemas_of(region))

    def present(self, stack: Stack, deployment: Deployment) -> frozenset[str]:
        """Gives the logical ids of the resources that a deployment asks for, conditions considered."""
        resolver = self._resolver(stack, deployment, {}, set())
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
            resolver=lambda resources: self._resolver(stack, deployment, resources, set()),
        ).preview()

    def create(self, stack: Stack, deployment: Deployment, retention: Retention, token: str | None = None) -> Operation:
        """Begins to make a stack's resources."""
        stack.begin("CREATE_IN_PROGRESS", token=token)
        stack.deployment = deployment

        def run() -> None:
            failure = self._deploy(stack, preserves=retention.on_failure == PRESERVE)
            if failure is None:
                stack.settle()
                stack.move("CREATE_COMPLETE")
            elif retention.on_failure == "ROLLBACK":
                stack.move("ROLLBACK_IN_PROGRESS", f"{failure}Rollback requested by user.")
                self._rollback(stack, retention).undo_creation()
            elif retention.on_failure == "DELETE":
                stack.move("DELETE_IN_PROGRESS", failure)
                delete(self.world, self._steps, stack, "", (), force=False)
            else:
                stack.move("CREATE_FAILED", failure)

        return run

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
        stack.deployment, stack.updated = deployment, stack.now()
        stack.policy_during_update = policies.during

        def run() -> None:
            may_replace = retention.on_failure == "ROLLBACK"
            preserves = retention.on_failure == PRESERVE
            failure = self._deploy(stack, tags_changed=tags_changed, may_replace=may_replace, preserves=preserves)
            stack.policy_during_update = None
            if failure is None:
                stack.policy = stack.policy if policies.after is None else policies.after
                stack.move(CLEANING_UP)
                if not waits:
                    self.clean_up(stack)
            elif retention.on_failure == "ROLLBACK":
                stack.move("UPDATE_ROLLBACK_IN_PROGRESS", failure)
                self._rollback(stack, retention).undo_update()
            else:
                stack.move("UPDATE_FAILED", failure)

        return run

    def delete(
        self, stack: Stack, *, retained: Collection[str] = (), force: bool = False, token: str | None = None
    ) -> Operation:
        """Begins to remove a stack's resources, those that it has lost track of included.

        Args:
            stack: The stack.
            retained: The logical ids of resources that are left in the account.
            force: Whether resources that can't be removed are left in the account as well.
            token: The caller's token.
        """
        before = stack.status
        stack.begin("DELETE_IN_PROGRESS", token=token)
        return lambda: delete(self.world, self._steps, stack, before, retained, force=force)

    def roll_back(self, stack: Stack, retention: Retention, token: str | None = None) -> Operation:
        """Begins the way back of a stack that was left as it failed."""
        rollback = self._rollback(stack, retention)
        if stack.status == "CREATE_FAILED":
            stack.begin("ROLLBACK_IN_PROGRESS", token=token)
            return rollback.undo_creation
        stack.begin("UPDATE_ROLLBACK_IN_PROGRESS", token=token)
        return rollback.undo_update

    def continue_rollback(self, stack: Stack, skipped: Collection[str], token: str | None = None) -> Operation:
        """Begins again the way back that failed, without the resources that are to be skipped."""
        stack.begin("UPDATE_ROLLBACK_IN_PROGRESS", token=token)
        return Rollback(self._steps, stack, skipped=skipped).undo_update

    def clean_up(self, stack: Stack) -> None:
        """Removes what an update has replaced or left out, of the nested stacks first, and ends the update."""
        for child in unfinished(self, stack):
            self.clean_up(child)
        finish_update(self._steps, stack, self.present(stack, stack.deployment))

    def nested_deployment(self, parent: Stack, child: Stack, properties: Properties) -> Deployment:
        """Gives what a nested stack would become by its resource's properties in the parent.

        Raises:
            TemplateError: CloudFormation would refuse the template or its parameters.
        """
        return NestedStack(self).deployment(self._steps.scope(parent), child, properties)

    def look(self, stack: Stack, names: Collection[str]) -> None:
        """Looks how some resources of a stack stand, if their types can be read, and keeps what it finds with them."""
        scope = self._steps.scope(stack)
        for name in names:
            record = stack.records[name]
            reader = self.reader_for(record.resource.type) if record.exists else None
            record.drift = None if reader is None else look(reader, scope, record.resource, stack.now())

    @property
    def _steps(self) -> Steps:
        return Steps(self._handler_for, self.client, self.before)

    def _handler_for(self, resource_type: str) -> Handler | None:
        return NestedStack(self) if resource_type == STACK_TYPE else self.handler_for(resource_type)

    def _rollback(self, stack: Stack, retention: Retention) -> Rollback:
        return Rollback(self._steps, stack, retain_except_on_create=retention.retain_except_on_create)

    def _resolver(
        self, stack: Stack, deployment: Deployment, resources: Mapping[str, Resource], imports: set[str]
    ) -> Resolver:
        def client(service: str, region: str) -> Any:
            return self.client(service, stack.account, region)

        return Resolver(
            deployment.template, deployment.parameters, surroundings(self.world, stack, client, imports), resources
        )

    def _deploy(
        self, stack: Stack, *, tags_changed: bool = False, may_replace: bool = True, preserves: bool = False
    ) -> str | None:
        """Brings the stack to its deployment; gives the reason of a failure, and None when all is well."""
        imports: set[str] = set()
        resolver = self._resolver(stack, stack.deployment, stack.resources, imports)
        types = self.schemas_of(stack.region)
        deploy = Deploy(self._steps, stack, resolver, types, tags_changed, may_replace, preserves)
        try:
            check_removals(stack, resolver)
            deploy.run()
            new = outputs(resolver)
            check_exports(self.world, stack, new)
        except (StepError, TemplateError) as failure:
            return str(failure)
        finally:
            stack.imports |= imports
        stack.outputs, stack.imports = new, frozenset(imports)
        return None
