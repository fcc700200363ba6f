"""Starts and performs the operations on stacks: create, update, delete and the ways back."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.engine import removal
from rehearsal.engine.check import capabilities, check, check_update
from rehearsal.engine.deploy import Deploy
from rehearsal.engine.outputs import check_exports, listed, outputs
from rehearsal.engine.preview import Preview, Previewer
from rehearsal.engine.rollback import CLEANUP_FAILED, Rollback
from rehearsal.engine.step import Before, ClientFactory, HandlerTable, StepError, Steps
from rehearsal.engine.surroundings import stored_parameter, surroundings
from rehearsal.handlers.base import Resource
from rehearsal.parameters import Given, parameters
from rehearsal.resolve import Resolver
from rehearsal.schemas import Schemas, schemas
from rehearsal.stack import Deployment, Stack
from rehearsal.states import STEADY
from rehearsal.template import Template, TemplateError
from rehearsal.world import World

Operation = Callable[[], None]

DELETE_FAILED = "The following resource(s) failed to delete: [{}]. "


@dataclass(frozen=True, slots=True)
class Retention:
    """What a failed operation keeps.

    Attributes:
        on_failure: ``ROLLBACK`` leads back, ``DO_NOTHING`` leaves the stack as it failed, and ``DELETE`` removes it,
            which is for creations only.
        retain_except_on_create: Whether the way back deletes new resources in spite of the policy ``Retain``.
    """

    on_failure: str = "ROLLBACK"
    retain_except_on_create: bool = False


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
    """

    world: World
    handler_for: HandlerTable
    client: ClientFactory
    schemas_of: Callable[[str], Schemas] = field(default=schemas)
    before: tuple[Before, ...] = ()

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
            failure = self._deploy(stack)
            if failure is None:
                stack.settle()
                stack.move("CREATE_COMPLETE")
            elif retention.on_failure == "ROLLBACK":
                stack.move("ROLLBACK_IN_PROGRESS", f"{failure}Rollback requested by user.")
                self._rollback(stack, retention).undo_creation()
            elif retention.on_failure == "DELETE":
                stack.move("DELETE_IN_PROGRESS", failure)
                self._delete(stack, "", (), force=False)
            else:
                stack.move("CREATE_FAILED", failure)

        return run

    def update(self, stack: Stack, deployment: Deployment, retention: Retention, token: str | None = None) -> Operation:
        """Begins to change a stack's resources."""
        tags_changed = deployment.tags != stack.deployment.tags
        stack.begin("UPDATE_IN_PROGRESS", token=token)
        stack.deployment, stack.updated = deployment, stack.now()

        def run() -> None:
            may_replace = retention.on_failure == "ROLLBACK"
            failure = self._deploy(stack, tags_changed=tags_changed, may_replace=may_replace)
            if failure is None:
                self._finish_update(stack)
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
        return lambda: self._delete(stack, before, retained, force=force)

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

    @property
    def _steps(self) -> Steps:
        return Steps(self.handler_for, self.client, self.before)

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

    def _deploy(self, stack: Stack, *, tags_changed: bool = False, may_replace: bool = True) -> str | None:
        """Brings the stack to its deployment; gives the reason of a failure, and None when all is well."""
        imports: set[str] = set()
        resolver = self._resolver(stack, stack.deployment, stack.resources, imports)
        deploy = Deploy(self._steps, stack, resolver, self.schemas_of(stack.region), tags_changed, may_replace)
        try:
            deploy.run()
            new = outputs(resolver)
            check_exports(self.world, stack, new)
        except (StepError, TemplateError) as failure:
            return str(failure)
        finally:
            stack.imports |= imports
        stack.outputs, stack.imports = new, frozenset(imports)
        return None

    def _finish_update(self, stack: Stack) -> None:
        stack.move("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        template = stack.deployment.template
        resolver = self._resolver(stack, stack.deployment, {}, set())
        removed = [
            record
            for name, record in stack.records.items()
            if name not in template.resources or not resolver.present(name)
        ]
        fates = [(record, removal.leaving(record)) for record in removed]
        fates += [(record, removal.replaced(record)) for record in stack.superseded]
        failed = removal.remove_all(self._steps, stack, fates)
        for record in removed:
            del stack.records[record.logical_id]
        stack.superseded.clear()
        stack.settle()
        stack.move("UPDATE_COMPLETE", CLEANUP_FAILED if failed else None)

    def _delete(self, stack: Stack, before: str, retained: Collection[str], *, force: bool) -> None:
        blocked = self._export_in_use(stack)
        if blocked is not None:
            stack.move(before if before in STEADY else "DELETE_FAILED", blocked)
            return
        fates = [
            (record, removal.RETAIN if record.logical_id in retained else removal.leaving(record))
            for record in [*stack.records.values(), *stack.superseded]
        ]
        failed = removal.remove_all(self._steps, stack, fates)
        if failed and not force:
            stack.move("DELETE_FAILED", DELETE_FAILED.format(", ".join(failed)))
            return
        stack.outputs, stack.imports, stack.deleted = (), frozenset(), stack.now()
        stack.move("DELETE_COMPLETE")

    def _export_in_use(self, stack: Stack) -> str | None:
        for output in stack.outputs:
            users = self.world.importers(output.export, stack.account, stack.region) if output.export else []
            if users:
                return f"Export {output.export} cannot be deleted as it is in use by {listed(users)}"
        return None
