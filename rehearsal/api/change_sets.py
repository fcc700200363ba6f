"""The actions on change sets, through which the CDK CLI deploys."""

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.api import answer, change_set, nested_sets, request
from rehearsal.api.change_set import ChangeSet
from rehearsal.api.constraints import check_name
from rehearsal.api.drift import DriftActions
from rehearsal.api.errors import ApiError
from rehearsal.stack import Stack


class ChangeSetActions(DriftActions):
    """Makes, shows, executes and deletes change sets."""

    def create_change_set(self) -> ActionResult:
        """Works out what a deployment would do."""
        kind = self.asked("ChangeSetType") or "UPDATE"
        if kind == "IMPORT" or self.asked("ResourcesToImport"):
            raise ApiError("The rehearsal can't import resources: what it has, it has made itself")
        if self.asked("DeploymentMode"):
            raise ApiError(f"The rehearsal does not model the deployment mode {self.asked('DeploymentMode')}")
        if kind != "CREATE" and self.asked("OnStackFailure") == "DELETE":
            raise ApiError("OnStackFailure DELETE is only valid when ChangeSetType is CREATE")
        name = self.asked("ChangeSetName")
        check_name("changeSetName", name)
        template = self.acknowledged(self.template(self.found()))
        with self.engine.world.lock:
            stack = self._stack_for(kind, name)
            again = stack.change_sets.get(name)
            if again is not None:
                if again.token and again.token == self.asked("ClientToken"):
                    return ActionResult({"Id": again.id, "StackId": stack.id})
                raise ApiError(f"ChangeSet {name} already exists", code="AlreadyExistsException")
            tags = request.tags(self.asked, stack.deployment.tags)
            deployment = self.engine.prepare(stack, template, request.given(self.asked), tags)
            if not stack.status:
                self.engine.world.add(stack)
                stack.begin("REVIEW_IN_PROGRESS")
            made = change_set.make(
                self.engine,
                stack,
                name,
                deployment,
                request.options(self.asked),
                description=self.asked("Description"),
                on_failure=self.asked("OnStackFailure"),
                token=self.asked("ClientToken"),
            )
            if self.asked("IncludeNestedStacks"):
                made = nested_sets.with_nested(self.engine, stack, made)
            stack.change_sets[name] = made
        return ActionResult({"Id": made.id, "StackId": stack.id})

    def describe_change_set(self) -> ActionResult:
        """Shows a change set."""
        stack, found = self._change_set()
        with_values = bool(self.asked("IncludePropertyValues"))
        return ActionResult(answer.change_set(stack, found, with_values=with_values, recorded=self.recorded))

    def list_change_sets(self) -> ActionResult:
        """Lists the change sets of a stack."""
        stack = self.stack()
        sets = [answer.change_set(stack, found, with_values=False) for found in stack.change_sets.values()]
        return ActionResult({"Summaries": sets})

    def delete_change_set(self) -> EmptyResult:
        """Deletes a change set; one that is not there is no error."""
        stack = self.found(self._stack_name())
        found = stack and _pick(stack, self.asked("ChangeSetName"))
        if stack and found:
            if found.root_id is not None:
                raise ApiError(f"ChangeSet [{found.id}] is nested and is deleted with its root [{found.root_id}]")
            del stack.change_sets[found.name]
            nested_sets.forget(self.engine, stack, found)
        return EmptyResult()

    def execute_change_set(self) -> EmptyResult:
        """Makes what a change set tells come true; all change sets of the stack are gone with it."""
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            there = self.found(self._stack_name())
            if token and there is not None and there.client_token == token:
                return EmptyResult()
            stack, found = self._change_set()
            if found.root_id is not None:
                raise ApiError(f"ChangeSet [{found.id}] is nested and is executed with its root [{found.root_id}]")
            if found.execution_status != "AVAILABLE":
                raise ApiError(
                    f"ChangeSet [{found.id}] cannot be executed in its current status of [{found.status}]",
                    code="InvalidChangeSetStatus",
                )
            creation = stack.status == "REVIEW_IN_PROGRESS"
            self.check_may(stack, "CREATE_IN_PROGRESS" if creation else "UPDATE_IN_PROGRESS", "updated")
            if found.on_failure is not None and self.asked("DisableRollback") is not None:
                raise ApiError("DisableRollback can't be specified for a change set with OnStackFailure")
            self.check_policy_stays(stack, found.deployment)
            retention = request.retention(self.asked, config=self.config(found.options), on_failure=found.on_failure)
            begin = self.engine.create if creation else self.engine.update
            for one in stack.change_sets.values():
                nested_sets.forget(self.engine, stack, one)
            stack.change_sets.clear()
            stack.options = {**stack.options, **found.options}
            operation = begin(stack, found.deployment, retention, token)
        self.operations.run(stack, operation)
        return EmptyResult()

    def _stack_for(self, kind: str, name: str) -> Stack:
        there = self.found()
        if kind == "CREATE":
            if there is not None and there.status != "REVIEW_IN_PROGRESS":
                raise ApiError(
                    f"Stack [{there.name}] already exists and cannot be created again with the changeSet [{name}].",
                )
            return there or self.new_stack()
        if there is None or there.status == "DELETE_COMPLETE":
            raise ApiError(f"Stack [{self.asked('StackName')}] does not exist")
        self.check_may(there, "UPDATE_IN_PROGRESS", "updated")
        return there

    def _stack_name(self) -> str | None:
        """Gives the stack's name, or the ARN of the change set's stack where only the change set is named."""
        name: str | None = self.asked("StackName")
        if name:
            return name
        for stack in self.engine.world.stacks(self.current_account, self.region):
            if _pick(stack, self.asked("ChangeSetName")):
                return stack.id
        return None

    def _change_set(self) -> tuple[Stack, ChangeSet]:
        name = self.asked("ChangeSetName")
        stack_name = self._stack_name()
        if stack_name is not None:
            stack = self.stack(stack_name)
            found = _pick(stack, name)
            if found is not None:
                return stack, found
        raise ApiError(f"ChangeSet [{name}] does not exist", code="ChangeSetNotFound")


def _pick(stack: Stack, name: str) -> ChangeSet | None:
    return next((found for found in stack.change_sets.values() if name in {found.name, found.id}), None)
