"""The actions that change stacks."""

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.api import request
from rehearsal.api.errors import ApiError
from rehearsal.api.policies import PolicyActions
from rehearsal.api.skipping import skipped
from rehearsal.engine import Operation
from rehearsal.stack import Stack


class StackActions(PolicyActions):
    """Creates, updates, deletes and rolls back stacks."""

    def create_stack(self) -> ActionResult:
        """Makes a stack and its resources."""
        token = self.asked("ClientRequestToken")
        if self.asked("OnFailure") is not None and self.asked("DisableRollback") is not None:
            raise ApiError("Either DisableRollback or OnFailure can be specified, not both.")
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
            stack.policy = self.first_policy(stack, deployment)
            stack.on_failure = self.asked("OnFailure")
            self.engine.world.add(stack)
            retention = request.retention(self.asked, config=self.config(stack.options), on_failure=stack.on_failure)
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
            policies = self.policies(stack, deployment)
            if self.engine.preview(stack, deployment).is_empty:
                raise ApiError("No updates are to be performed.")
            stack.options = {**stack.options, **request.options(self.asked)}
            retention = request.retention(self.asked, config=self.config(stack.options))
            operation = self.engine.update(stack, deployment, retention, token, policies=policies)
        return self._run(stack, operation)

    def delete_stack(self) -> EmptyResult:
        """Removes a stack and its resources; a stack that is not there is no error."""
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            stack = self.found()
            if stack is None or stack.status == "DELETE_COMPLETE" or (token and stack.client_token == token):
                return EmptyResult()
            if self.engine.world.root(stack).is_protected:
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
            stack = self._nobodys("rolled back")
            if stack.status not in {"CREATE_FAILED", "UPDATE_FAILED"}:
                raise ApiError(f"Stack:{stack.id} is in {stack.status} state and can not be rolled back.")
            retention = request.retention(self.asked, config={})
            operation = self.engine.roll_back(stack, retention, self.asked("ClientRequestToken"))
        return self._run(stack, operation)

    def continue_update_rollback(self) -> EmptyResult:
        """Leads a stack back whose way back failed."""
        with self.engine.world.lock:
            stack = self._nobodys("continued to be rolled back")
            if stack.status != "UPDATE_ROLLBACK_FAILED":
                raise ApiError(
                    f"Stack:{stack.id} is in {stack.status} state and can not be continued to be rolled back."
                )
            asked = None if self.asked("ForceRollback") else self.asked("ResourcesToSkip") or ()
            left_out = skipped(self.engine.world, stack, asked)
            operation = self.engine.continue_rollback(stack, left_out, self.asked("ClientRequestToken"))
        self.operations.run(stack, operation)
        return EmptyResult()

    def update_termination_protection(self) -> ActionResult:
        """Says whether a stack may be deleted, and the stacks nested in it with it."""
        stack = self._nobodys("given a termination protection of its own")
        stack.is_protected = bool(self.asked("EnableTerminationProtection"))
        return ActionResult({"StackId": stack.id})

    def check_may(self, stack: Stack, status: str, done: str) -> None:
        """Refuses an operation that may not start now.

        Raises:
            ApiError: In CloudFormation's words.
        """
        if not stack.may(status):
            raise ApiError(f"Stack:{stack.id} is in {stack.status} state and can not be {done}.")
        if stack.status == "CREATE_FAILED" and stack.on_failure == "DO_NOTHING":
            raise ApiError(
                "This stack cannot be updated from [CREATE_FAILED] state because it contains [on-failure: DO_NOTHING]. "
                "Please use disable-rollback option instead during stack creation."
            )

    def _nobodys(self, done: str) -> Stack:
        """Gives the stack that the request names, which must not be the resource of another one.

        Source: CloudFormation API reference, ContinueUpdateRollback and UpdateTerminationProtection. That it holds for
        RollbackStack too, and the words, are unconfirmed.

        Raises:
            ApiError: There is none, or it is nested.
        """
        stack = self.stack()
        if stack.root_id is not None:
            raise ApiError(
                f"Stack [{stack.name}] is nested and can not be {done}: use the root stack [{stack.root_id}]"
            )
        return stack

    def _run(self, stack: Stack, operation: Operation) -> ActionResult:
        self.operations.run(stack, operation)
        return ActionResult({"StackId": stack.id})
