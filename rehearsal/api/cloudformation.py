"""The actions that only tell, which complete CloudFormation's API."""

from moto.core.responses import ActionResult

from rehearsal.api import answer
from rehearsal.api.change_sets import ChangeSetActions
from rehearsal.api.errors import ApiError
from rehearsal.api.paging import PAGE
from rehearsal.stack import Record, Stack


class CloudFormation(ChangeSetActions):
    """Answers CloudFormation's API as far as the CDK CLI and the rehearsal's users call it."""

    def describe_stacks(self) -> ActionResult:
        """Shows one stack, or all that are not deleted."""
        if self.asked("StackName"):
            shown = [self.stack()]
        else:
            stacks = self.engine.world.stacks(self.current_account, self.region)
            shown = [it for it in stacks if it.status != "DELETE_COMPLETE"]
        root = self.engine.world.root
        return self.paged(
            "Stacks", shown, lambda it: answer.stack(it, is_protected=root(it).is_protected), newest_first=True
        )

    def list_stacks(self) -> ActionResult:
        """Lists the stacks, deleted ones too, or those in the asked states."""
        wanted = self.asked("StackStatusFilter")
        stacks = self.engine.world.stacks(self.current_account, self.region)
        rows = [it for it in stacks if not wanted or it.status in wanted]
        return self.paged("StackSummaries", rows, answer.stack_summary, newest_first=True)

    def describe_stack_events(self) -> ActionResult:
        """Shows a stack's history, newest first."""
        stack = self.existing()
        rows, recorded = stack.events[::-1], self.recorded
        return self.paged(
            "StackEvents", rows, lambda one: answer.event(stack, one, recorded=recorded), newest_first=True
        )

    def describe_events(self) -> ActionResult:
        """Shows the history of an operation, newest first; change sets have none."""
        if self.asked("ChangeSetName"):
            return ActionResult({"OperationEvents": []})
        stack, recorded = self.existing(), self.recorded
        operation = self.asked("OperationId")
        rows = [one for one in reversed(stack.events) if operation in {None, one.operation_id}]
        return self.paged(
            "OperationEvents",
            rows,
            lambda one: {**answer.event(stack, one, recorded=recorded), "EventType": "STACK_EVENT"},
            newest_first=True,
        )

    def describe_stack_resource(self) -> ActionResult:
        """Shows a resource."""
        stack, name = self.stack(), self.asked("LogicalResourceId")
        if name not in stack.records:
            raise ApiError(f"Resource {name} does not exist for stack {stack.name}")
        return ActionResult({"StackResourceDetail": answer.resource(stack, stack.records[name])})

    def describe_stack_resources(self) -> ActionResult:
        """Shows the resources of a stack, or of the stack that has a given resource: the first hundred of them."""
        stack, rows = self._resources(self.asked("LogicalResourceId"))
        return ActionResult({"StackResources": [answer.resource(stack, one) for one in rows[:PAGE]]})

    def list_stack_resources(self) -> ActionResult:
        """Lists the resources of a stack."""
        stack, rows = self._resources(None)
        return self.paged("StackResourceSummaries", rows, lambda one: answer.resource(stack, one))

    def get_template(self) -> ActionResult:
        """Gives a stack's template as it came, or that of a change set."""
        if self.asked("ChangeSetName"):
            template = self._change_set()[1].deployment.template
        else:
            template = self.stack().deployment.template
        return ActionResult({"TemplateBody": template.body, "StagesAvailable": ["Original", "Processed"]})

    def get_template_summary(self) -> ActionResult:
        """Tells what a template or a stack's template declares."""
        stack = self.stack() if self.asked("StackName") else None
        template = stack.deployment.template if stack else self.template(None)
        return ActionResult(answer.template_summary(template, self.engine.capabilities(template, self.region)))

    def validate_template(self) -> ActionResult:
        """Checks a template by itself and tells what it declares."""
        template = self.template(None)
        self.engine.validate(template, self.region)
        summary = answer.template_summary(template, self.engine.capabilities(template, self.region))
        return ActionResult(summary)

    def list_exports(self) -> ActionResult:
        """Lists the exports of the account in the region."""
        exports = self.engine.world.exports(self.current_account, self.region)
        return self.paged(
            "Exports",
            sorted(exports.values(), key=lambda one: one.name),
            lambda one: {"Name": one.name, "Value": one.value, "ExportingStackId": one.stack_id},
        )

    def list_imports(self) -> ActionResult:
        """Lists the stacks that use an export."""
        name = self.asked("ExportName")
        importers = self.engine.world.importers(name, self.current_account, self.region)
        if not importers:
            raise ApiError(f"Export '{name}' is not imported by any stack.")
        return self.paged("Imports", importers, str)

    def _resources(self, logical_id: str | None) -> tuple[Stack, list[Record]]:
        physical_id = self.asked("PhysicalResourceId")
        stacks = self.engine.world.stacks(self.current_account, self.region) if physical_id else [self.stack()]
        owners = [
            stack
            for stack in stacks
            if not physical_id or any(one.physical_id == physical_id for one in stack.resources.values())
        ]
        if not owners:
            raise ApiError(f"Stack for {physical_id} does not exist")
        rows = [record for name, record in owners[0].records.items() if logical_id in {None, name} and record.status]
        return owners[0], rows
