"""Nested stacks: stacks that are resources of others, made, changed, led back and removed within their parents' steps.

Source: CloudFormation user guide, "Embed stacks within other stacks using nested stacks" and "Using ResourcesToSkip to
recover a nested stacks hierarchy"; template reference, AWS::CloudFormation::Stack. The reasons of failed creations and
updates are quoted in aws-parallelcluster's user guide and in many logs (``Embedded stack ARN was not successfully
created: ...``, ``... was not successfully updated. Currently in UPDATE_ROLLBACK_IN_PROGRESS with reason: ...``); that
of a failed deletion follows them and is unconfirmed, as is that a nested stack whose creation fails waits in
``CREATE_FAILED`` for its parent to remove it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rehearsal.addresses import downloaded
from rehearsal.engine.retention import Retention
from rehearsal.handlers.base import Properties, Resource, ResourceError, Scope
from rehearsal.handlers.names import generated_name
from rehearsal.handlers.tags import own_tags
from rehearsal.limits import MAX_OPERATIONS
from rehearsal.stack import STACK_TYPE, Deployment, Stack
from rehearsal.states import STEADY
from rehearsal.templates.parameters import Given
from rehearsal.templates.template import Template, TemplateError, parse

if TYPE_CHECKING:
    from rehearsal.engine.engine import Engine

CLEANING_UP, LEADING_BACK = "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS"
INHERITED_OPTIONS: tuple[str, ...] = ("Capabilities", "RoleARN")
OWN_OPTIONS: tuple[str, ...] = ("NotificationARNs", "TimeoutInMinutes")
_LONGEST_NAME = 128


@dataclass(frozen=True, slots=True)
class NestedStack:
    """Handles ``AWS::CloudFormation::Stack``: each of its resources is a stack.

    A nested stack whose update succeeds keeps what it replaced until its parent's update has succeeded too: until then
    it is in ``UPDATE_COMPLETE_CLEANUP_IN_PROGRESS``, from where it may still be led back.

    Attributes:
        engine: What performs the operations on stacks.
    """

    engine: "Engine"

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the nested stack; see ``Handler.create``."""
        parent, world = self._parent(scope), self.engine.world
        child = self.reviewed(parent, resource) or self.new(scope, parent, resource)
        child.options = options(parent.options, resource.properties)
        deployment = self.deployment(scope, child, resource.properties)
        world.add(child)
        parent.reviewed.pop(resource.logical_id, None)
        resource.physical_id = child.id
        self.engine.create(child, deployment, Retention(on_failure="DO_NOTHING"))()
        if child.status != "CREATE_COMPLETE":
            raise TemplateError(f"Embedded stack {child.id} was not successfully created: {child.reason}")
        resource.attributes = _attributes(child)

    def new(self, scope: Scope, parent: Stack, resource: Resource) -> Stack:
        """Makes a nested stack that nobody sees before it is added."""
        child = self.engine.world.new(
            generated_name(scope, resource, limit=_LONGEST_NAME),
            account=parent.account,
            region=parent.region,
            partition=parent.partition,
        )
        child.parent_id, child.root_id = parent.id, parent.root_id or parent.id
        return child

    def reviewed(self, parent: Stack, resource: Resource) -> Stack | None:
        """Gives the nested stack that waits in review to be made; None where there is none."""
        child = self.engine.world.by_id(parent.reviewed.get(resource.logical_id, ""))
        return child if child is not None and child.status == "REVIEW_IN_PROGRESS" else None

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes the nested stack, or leads it back where its parent is led back; see ``Handler.update``."""
        child = self._child(resource)
        if child is None:
            raise ResourceError("NotFound", f"Stack [{resource.physical_id}] does not exist")
        if self._parent(scope).status == LEADING_BACK:
            self._lead_back(child)
        else:
            self._bring(scope, child, properties)
        resource.attributes = _attributes(child)

    def delete(self, _: Scope, resource: Resource) -> None:
        """Removes the nested stack with everything in it; see ``Handler.delete``."""
        child = self._child(resource)
        if child is None:
            return
        if child.status == CLEANING_UP:
            self.engine.clean_up(child)
        self.engine.delete(child)()
        if child.status != "DELETE_COMPLETE":
            raise TemplateError(f"Embedded stack {child.id} was not successfully deleted: {child.reason}")

    def _bring(self, scope: Scope, child: Stack, properties: Properties) -> None:
        if child.status == CLEANING_UP:
            self.engine.clean_up(child)
        if not child.may("UPDATE_IN_PROGRESS"):
            raise TemplateError(f"Stack:{child.id} is in {child.status} state and can not be updated.")
        deployment = self.deployment(scope, child, properties)
        if child.status in STEADY and self.engine.preview(child, deployment).is_empty:
            return
        self.engine.update(child, deployment, Retention(), waits=True)()
        if child.status != CLEANING_UP:
            raise _not_updated(child, LEADING_BACK)

    def _lead_back(self, child: Stack) -> None:
        if child.status == CLEANING_UP:
            self.engine.roll_back(child, Retention())()
        elif child.status == "UPDATE_ROLLBACK_FAILED":
            self.engine.continue_rollback(child, child.skipped)()
        if child.status == "UPDATE_ROLLBACK_FAILED":
            raise _not_updated(child, child.status)

    def deployment(self, scope: Scope, child: Stack, properties: Properties) -> Deployment:
        """Reads the nested stack's template and gives it the parameters and tags that its parent hands down.

        Raises:
            TemplateError: CloudFormation would refuse the template, or the tree of stacks gets too large.
        """
        template = _template(scope, properties)
        needed = set(self.engine.capabilities(template, child.region).values())
        given = set(child.options.get("Capabilities", ()))
        if needed - given and not (needed == {"CAPABILITY_IAM"} and "CAPABILITY_NAMED_IAM" in given):
            raise TemplateError(f"Requires capabilities : [{max(needed)}]")
        self._check_size(child, template)
        values = {name: Given(_text(value)) for name, value in properties.get("Parameters", {}).items()}
        return self.engine.prepare(child, template, values, {**scope.tags, **own_tags(properties)})

    def _check_size(self, child: Stack, template: Template) -> None:
        others = (
            stack
            for stack in self.engine.world.stacks(child.account, child.region)
            if child.root_id in {stack.id, stack.root_id} and stack is not child and stack.status != "DELETE_COMPLETE"
        )
        total = len(template.resources) + sum(len(stack.deployment.template.resources) for stack in others)
        if total > MAX_OPERATIONS:
            words = f"Number of resources in nested stacks, {total}, is greater than maximum allowed, {MAX_OPERATIONS}"
            raise TemplateError(words)

    def _parent(self, scope: Scope) -> Stack:
        parent = self.engine.world.find(scope.stack_id, account=scope.account, region=scope.region)
        if parent is None:
            raise ResourceError("NotFound", f"Stack [{scope.stack_id}] does not exist")
        return parent

    def _child(self, resource: Resource) -> Stack | None:
        return self.engine.world.by_id(resource.physical_id or "")


def unfinished(engine: "Engine", stack: Stack) -> list[Stack]:
    """Gives the nested stacks whose updates have succeeded and that await the end of their parent's."""
    nested = (record for record in stack.records.values() if record.resource.type == STACK_TYPE and record.exists)
    found = (engine.world.by_id(record.resource.physical_id or "") for record in nested)
    return [child for child in found if child is not None and child.status == CLEANING_UP]


def _template(scope: Scope, properties: Properties) -> Template:
    url = properties.get("TemplateURL")
    if not url:
        raise TemplateError("Either Template URL or Template Body must be specified.")
    return parse(downloaded(str(url), scope.client("s3")))


def options(inherited: Mapping[str, Any], properties: Properties) -> Mapping[str, Any]:
    """Gives what CloudFormation keeps with a nested stack: some of its parent's options, and some of its own."""
    return {
        **{name: inherited[name] for name in INHERITED_OPTIONS if name in inherited},
        **{name: properties[name] for name in OWN_OPTIONS if name in properties},
    }


def _attributes(child: Stack) -> dict[str, Any]:
    return {f"Outputs.{output.key}": output.value for output in child.outputs}


def _not_updated(child: Stack, status: str) -> TemplateError:
    reason = next(event.reason for event in reversed(child.events) if event.status == status)
    words = f"Currently in {status} with reason: {reason}"
    return TemplateError(f"Embedded stack {child.id} was not successfully updated. {words}")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_text(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
