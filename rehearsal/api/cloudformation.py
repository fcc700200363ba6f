"""The actions that only tell, which complete CloudFormation's API."""

from typing import Any

from moto.core.responses import ActionResult

from rehearsal.api import answer
from rehearsal.api.change_sets import ChangeSetActions
from rehearsal.api.errors import ApiError


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
        return ActionResult({"Stacks": [answer.stack(it, is_protected=root(it).is_protected) for it in shown]})

    def list_stacks(self) -> ActionResult:
        """Lists the stacks, deleted ones too, or those in the asked states."""
        wanted = self.asked("StackStatusFilter")
        stacks = self.engine.world.stacks(self.current_account, self.region)
        return ActionResult(
            {"StackSummaries": [answer.stack_summary(it) for it in stacks if not wanted or it.status in wanted]}
        )

    def describe_stack_events(self) -> ActionResult:
        """Shows a stack's history, newest first."""
        stack = self.stack()
        shown = [answer.event(stack, one, recorded=self.recorded) for one in reversed(stack.events)]
        return ActionResult({"StackEvents": shown})

    def describe_events(self) -> ActionResult:
        """Shows the history of an operation, newest first; change sets have none."""
        if self.asked("ChangeSetName"):
            return ActionResult({"OperationEvents": []})
        stack = self.stack()
        operation = self.asked("OperationId")
        return ActionResult(
            {
                "OperationEvents": [
                    {**answer.event(stack, one, recorded=self.recorded), "EventType": "STACK_EVENT"}
                    for one in reversed(stack.events)
                    if operation in {None, one.operation_id}
                ]
            }
        )

    def describe_stack_resource(self) -> ActionResult:
        """Shows a resource."""
        stack, name = self.stack(), self.asked("LogicalResourceId")
        if name not in stack.records:
            raise ApiError(f"Resource {name} does not exist for stack {stack.name}")
        return ActionResult({"StackResourceDetail": answer.resource(stack, stack.records[name])})

    def describe_stack_resources(self) -> ActionResult:
        """Shows the resources of a stack, or of the stack that has a given resource."""
        return ActionResult({"StackResources": self._resources(self.asked("LogicalResourceId"))})

    def list_stack_resources(self) -> ActionResult:
        """Lists the resources of a stack."""
        return ActionResult({"StackResourceSummaries": self._resources(None)})

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
        """Checks a template's shape and tells what it declares."""
        template = self.template(None)
        summary = answer.template_summary(template, self.engine.capabilities(template, self.region))
        return ActionResult(summary)

    def list_exports(self) -> ActionResult:
        """Lists the exports of the account in the region."""
        exports = self.engine.world.exports(self.current_account, self.region)
        return ActionResult(
            {
                "Exports": [
                    {"Name": name, "Value": one.value, "ExportingStackId": one.stack_id}
                    for name, one in sorted(exports.items())
                ]
            }
        )

    def list_imports(self) -> ActionResult:
        """Lists the stacks that use an export."""
        name = self.asked("ExportName")
        importers = self.engine.world.importers(name, self.current_account, self.region)
        if not importers:
            raise ApiError(f"Export '{name}' is not imported by any stack.")
        return ActionResult({"Imports": importers})

    def _resources(self, logical_id: str | None) -> list[dict[str, Any]]:
        physical_id = self.asked("PhysicalResourceId")
        stacks = self.engine.world.stacks(self.current_account, self.region) if physical_id else [self.stack()]
        owners = [
            stack
            for stack in stacks
            if not physical_id or any(one.physical_id == physical_id for one in stack.resources.values())
        ]
        if not owners:
            raise ApiError(f"Stack for {physical_id} does not exist")
        stack = owners[0]
        return [
            answer.resource(stack, record)
            for name, record in stack.records.items()
            if logical_id in {None, name} and record.status
        ]
