"""The actions on change sets, through which the CDK CLI deploys."""

from dataclasses import replace

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.api import answer, change_set, importing, nested_sets, request
from rehearsal.api.change_set import ChangeSet
from rehearsal.api.constraints import NAME_OR_ARN, check_name
from rehearsal.api.drift import DriftActions
from rehearsal.api.errors import ApiError
from rehearsal.stack import Stack


class ChangeSetActions(DriftActions):
    """Makes, shows, executes and deletes change sets."""

    def create_change_set(self) -> ActionResult:
        """Works out what a deployment would do."""
        kind = self.asked("ChangeSetType") or "UPDATE"
        if kind == "IMPORT" or self.asked("ResourcesToImport"):
            raise ApiError("The rehearsal does not model the import of resources: what it has, it has made itself")
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
            options = self.options(stack)
            deployment = self.engine.prepare(stack, template, request.given(self.asked), tags)
            if not stack.status:
                self.engine.world.add(stack)
                stack.begin("REVIEW_IN_PROGRESS")
            made = change_set.make(
                self.engine,
                stack,
                name,
                deployment,
                options,
                description=self.asked("Description"),
                on_failure=self.asked("OnStackFailure"),
                token=self.asked("ClientToken"),
            )
            if self.asked("ImportExistingResources"):
                made = importing.checked(self.engine, stack, made)
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
        """Lists the change sets of a stack, without those that were executed."""
        stack = self.stack()
        rows = list(stack.change_sets.values())
        return self.paged("Summaries", rows, lambda found: answer.change_set(stack, found, with_values=False))

    def delete_change_set(self) -> EmptyResult:
        """Deletes a change set; one that is not there is no error, but its stack has to be.

        The words for one that was executed are unconfirmed.
        """
        name = self._stack_name()
        stack = self.found(name)
        if stack is None and name is not None:
            raise ApiError(f"Stack [{name}] does not exist")
        found = stack and _pick(stack, self.asked("ChangeSetName"))
        if stack and found:
            if found.root_id is not None:
                raise ApiError(f"ChangeSet [{found.id}] is nested and is deleted with its root [{found.root_id}]")
            if found.execution is not None:
                status = found.execution_status(stack)
                raise ApiError(
                    f"ChangeSet [{found.id}] cannot be deleted in its current execution status of [{status}]",
                    code="InvalidChangeSetStatus",
                )
            del stack.change_sets[found.name]
            nested_sets.forget(self.engine, stack, found)
        return EmptyResult()

    def execute_change_set(self) -> EmptyResult:
        """Makes what a change set tells come true; the stack's other change sets are deleted.

        Source: CloudFormation API reference, ExecuteChangeSet; the words are quoted in aws/amazon-chime-sdk-js 1089.
        """
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            there = self.found(self._stack_name())
            if token and there is not None and there.client_token == token:
                return EmptyResult()
            stack, found = self._change_set()
            if found.root_id is not None:
                raise ApiError(f"ChangeSet [{found.id}] is nested and is executed with its root [{found.root_id}]")
            self._check_available(stack, found)
            self.check_role(found.options.get("RoleARN", stack.options.get("RoleARN")))
            creation = stack.status == "REVIEW_IN_PROGRESS"
            self.check_may(stack, "CREATE_IN_PROGRESS" if creation else "UPDATE_IN_PROGRESS", "updated")
            if found.on_failure is not None and self.asked("DisableRollback") is not None:
                raise ApiError("DisableRollback can't be specified for a change set with OnStackFailure")
            self.check_policy_stays(stack, found.deployment)
            retention = request.retention(self.asked, config=self.config(found.options), on_failure=found.on_failure)
            begin = self.engine.create if creation else self.engine.update
            for one in stack.change_sets.values():
                if one is not found:
                    nested_sets.forget(self.engine, stack, one)
            nested_sets.forget(self.engine, stack, found, is_executed=True)
            stack.change_sets.clear()
            stack.options = {**stack.options, **found.options}
            operation = begin(stack, found.deployment, retention, token)
            stack.updated = stack.now()
            stack.executed[found.id] = replace(found, execution=stack.operation_id)
            stack.change_set_id = found.id
        self.operations.run(stack, operation)
        return EmptyResult()

    def _check_available(self, stack: Stack, found: ChangeSet) -> None:
        status = found.execution_status(stack)
        if status == "AVAILABLE":
            return
        kind, shown = ("status", found.status) if status == "UNAVAILABLE" else ("execution status", status)
        raise ApiError(
            f"ChangeSet [{found.id}] cannot be executed in its current {kind} of [{shown}]",
            code="InvalidChangeSetStatus",
        )

    def _stack_for(self, kind: str, name: str) -> Stack:
        there = self.found()
        if kind == "CREATE":
            if there is not None and there.status != "REVIEW_IN_PROGRESS":
                asked = self.asked("StackName")
                raise ApiError(
                    f"Stack [{asked}] already exists and cannot be created again with the changeSet [{name}].",
                )
            return there or self.new_stack(NAME_OR_ARN)
        if there is None or there.status == "DELETE_COMPLETE":
            raise ApiError(f"Stack [{self.asked('StackName')}] does not exist")
        self.check_may(self.reviewed(), "UPDATE_IN_PROGRESS", "updated")
        return there

    def _stack_name(self) -> str | None:
        """Gives the stack's name, or the ARN of the change set's stack where only the change set is named.

        Source: localstack/localstack, tests/aws/services/cloudformation/api, test_changesets.snapshot.json (recorded
        from AWS), for the words.

        Raises:
            ApiError: The change set is named without its stack.
        """
        name: str | None = self.asked("StackName")
        if name:
            return name
        if not self.asked("ChangeSetName").startswith("arn:"):
            raise ApiError("StackName must be specified if ChangeSetName is not specified as an ARN.")
        for stack in self.engine.world.stacks(self.current_account, self.region):
            if _pick(stack, self.asked("ChangeSetName")):
                return stack.id
        return None

    def _change_set(self) -> tuple[Stack, ChangeSet]:
        name = self.asked("ChangeSetName")
        stack_name = self._stack_name()
        if stack_name is not None:
            stack = self.found(stack_name)
            if stack is None:
                raise ApiError(f"Stack [{stack_name}] does not exist")
            found = _pick(stack, name)
            if found is not None:
                return stack, found
        raise ApiError(f"ChangeSet [{name}] does not exist", code="ChangeSetNotFound")


def _pick(stack: Stack, name: str) -> ChangeSet | None:
    """Gives a change set by its name or its id; one that was executed has its id alone, and outlives its stack.

    Source: guardian/riff-raff 672, which shows both answers of DescribeChangeSet after an execution;
    localstack/localstack, tests/aws/services/cloudformation/api, test_changesets.snapshot.json (recorded from AWS),
    test_name_conflicts. That those which were not executed go with the stack is unconfirmed.
    """
    waiting = () if stack.status == "DELETE_COMPLETE" else stack.change_sets.values()
    return next((found for found in waiting if name in {found.name, found.id}), stack.executed.get(name))
