"""The actions that change stacks."""

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.api import request
from rehearsal.api.base import Actions
from rehearsal.api.errors import ApiError
from rehearsal.engine import Operation
from rehearsal.stack import Stack


class StackActions(Actions):
    """Creates, updates, deletes and rolls back stacks."""

    def create_stack(self) -> ActionResult:
        """Makes a stack and its resources."""
        token = self.asked("ClientRequestToken")
        template = self.acknowledged(self.template(None))
        with self.engine.world.lock:
            there = self.found()
            if there is not None:
                if token and there.client_token == token:
                    return ActionResult({"StackId": there.id})
                raise ApiError(f"Stack [{there.name}] already exists", code="AlreadyExistsException")
            stack = self.new_stack()
            stack.options = request.options(self.asked)
            deployment = self.engine.prepare(stack, template, request.given(self.asked), request.tags(self.asked, {}))
            stack.is_protected = bool(self.asked("EnableTerminationProtection"))
            stack.policy = self.asked("StackPolicyBody")
            self.engine.world.add(stack)
            retention = request.retention(
                self.asked, config=self.config(stack.options), on_failure=self.asked("OnFailure")
            )
            operation = self.engine.create(stack, deployment, retention, token)
        return self._run(stack, operation)

    def update_stack(self) -> ActionResult:
        """Changes a stack's resources."""
        token = self.asked("ClientRequestToken")
        template = self.acknowledged(self.template(self.stack()))
        with self.engine.world.lock:
            stack = self.stack()
            if token and stack.client_token == token:
                return ActionResult({"StackId": stack.id})
            self.check_may(stack, "UPDATE_IN_PROGRESS", "updated")
            tags = request.tags(self.asked, stack.deployment.tags)
            deployment = self.engine.prepare(stack, template, request.given(self.asked), tags)
            if self.engine.preview(stack, deployment).is_empty:
                raise ApiError("No updates are to be performed.")
            stack.options = {**stack.options, **request.options(self.asked)}
            retention = request.retention(self.asked, config=self.config(stack.options))
            operation = self.engine.update(stack, deployment, retention, token)
        return self._run(stack, operation)

    def delete_stack(self) -> EmptyResult:
        """Removes a stack and its resources; a stack that is not there is no error."""
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            stack = self.found()
            if stack is None or stack.status == "DELETE_COMPLETE" or (token and stack.client_token == token):
                return EmptyResult()
            if stack.is_protected:
                raise ApiError(f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
            if stack.is_busy:
                raise ApiError(f"Stack [{stack.id}] cannot be deleted while in status {stack.status}")
            retained = self.asked("RetainResources") or ()
            force = self.asked("DeletionMode") == "FORCE_DELETE_STACK"
            if (retained or force) and stack.status != "DELETE_FAILED":
                raise ApiError(
                    f"Invalid operation on stack [{stack.id}]. Stack must be in DELETE_FAILED state to retain resources"
                )
            operation = self.engine.delete(stack, retained=retained, force=force, token=token)
        self.operations.run(stack, operation)
        return EmptyResult()

    def rollback_stack(self) -> ActionResult:
        """Leads a stack back that was left as it failed."""
        with self.engine.world.lock:
            stack = self.stack()
            if stack.status not in {"CREATE_FAILED", "UPDATE_FAILED"}:
                raise ApiError(f"Stack:{stack.id} is in {stack.status} state and can not be rolled back.")
            retention = request.retention(self.asked, config={})
            operation = self.engine.roll_back(stack, retention, self.asked("ClientRequestToken"))
        return self._run(stack, operation)

    def continue_update_rollback(self) -> EmptyResult:
        """Leads a stack back whose way back failed."""
        with self.engine.world.lock:
            stack = self.stack()
            if stack.status != "UPDATE_ROLLBACK_FAILED":
                raise ApiError(
                    f"Stack:{stack.id} is in {stack.status} state and can not be continued to be rolled back."
                )
            failed = [name for name, record in stack.records.items() if record.status == "UPDATE_FAILED"]
            skipped = failed if self.asked("ForceRollback") else self.asked("ResourcesToSkip") or ()
            strangers = sorted(set(skipped) - set(failed))
            if strangers:
                raise ApiError(
                    f"The resources [{', '.join(strangers)}] can't be skipped: they are not in UPDATE_FAILED state"
                )
            operation = self.engine.continue_rollback(stack, skipped, self.asked("ClientRequestToken"))
        self.operations.run(stack, operation)
        return EmptyResult()

    def update_termination_protection(self) -> ActionResult:
        """Says whether a stack may be deleted."""
        stack = self.stack()
        stack.is_protected = bool(self.asked("EnableTerminationProtection"))
        return ActionResult({"StackId": stack.id})

    def set_stack_policy(self) -> EmptyResult:
        """Keeps a stack's policy, which the rehearsal gives back but does not enforce."""
        self.stack().policy = self.asked("StackPolicyBody")
        return EmptyResult()

    def get_stack_policy(self) -> ActionResult:
        """Gives a stack's policy back."""
        policy = self.stack().policy
        return ActionResult({} if policy is None else {"StackPolicyBody": policy})

    def check_may(self, stack: Stack, status: str, done: str) -> None:
        """Refuses an operation that may not start now.

        Raises:
            ApiError: In CloudFormation's words.
        """
        if not stack.may(status):
            raise ApiError(f"Stack:{stack.id} is in {stack.status} state and can not be {done}.")

    def _run(self, stack: Stack, operation: Operation) -> ActionResult:
        self.operations.run(stack, operation)
        return ActionResult({"StackId": stack.id})
