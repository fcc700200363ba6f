"""The actions on change sets, through which the CDK CLI deploys."""

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.api import answer, change_set, request
from rehearsal.api.change_set import ChangeSet
from rehearsal.api.errors import ApiError
from rehearsal.api.stacks import StackActions
from rehearsal.stack import Stack


class ChangeSetActions(StackActions):
    """Makes, shows, executes and deletes change sets."""

    def create_change_set(self) -> ActionResult:
        """Works out what a deployment would do."""
        kind = self.asked("ChangeSetType") or "UPDATE"
        if kind == "IMPORT" or self.asked("ResourcesToImport"):
            raise ApiError("The rehearsal can't import resources: what it has, it has made itself")
        if self.asked("DeploymentMode"):
            raise ApiError(f"The rehearsal knows no drift, so it has no {self.asked('DeploymentMode')}")
        name = self.asked("ChangeSetName")
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
            stack.change_sets[name] = made
        return ActionResult({"Id": made.id, "StackId": stack.id})

    def describe_change_set(self) -> ActionResult:
        """Shows a change set."""
        stack, found = self._change_set()
        return ActionResult(answer.change_set(stack, found, with_values=bool(self.asked("IncludePropertyValues"))))

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
            del stack.change_sets[found.name]
        return EmptyResult()

    def execute_change_set(self) -> EmptyResult:
        """Makes what a change set tells come true; all change sets of the stack are gone with it."""
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            there = self.found(self._stack_name())
            if token and there is not None and there.client_token == token:
                return EmptyResult()
            stack, found = self._change_set()
            if found.execution_status != "AVAILABLE":
                raise ApiError(
                    f"ChangeSet [{found.id}] cannot be executed in its current status of [{found.status}]",
                    code="InvalidChangeSetStatus",
                )
            creation = stack.status == "REVIEW_IN_PROGRESS"
            self.check_may(stack, "CREATE_IN_PROGRESS" if creation else "UPDATE_IN_PROGRESS", "updated")
            stack.change_sets.clear()
            stack.options = {**stack.options, **found.options}
            on_failure = found.on_failure if creation or found.on_failure != "DELETE" else None
            retention = request.retention(self.asked, config=self.config(found.options), on_failure=on_failure)
            begin = self.engine.create if creation else self.engine.update
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
