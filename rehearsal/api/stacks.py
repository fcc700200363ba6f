"""The actions that change stacks."""

from moto.core.responses import ActionResult, EmptyResult

from rehearsal.api import request
from rehearsal.api.errors import ApiError
from rehearsal.api.policies import PolicyActions
from rehearsal.api.retaining import check_forced, check_retained
from rehearsal.api.skipping import SkippingError, skipped
from rehearsal.engine import Operation, Retention
from rehearsal.stack import Stack
from rehearsal.states import LEFT

GOING = ("DELETE_IN_PROGRESS", "DELETE_COMPLETE")


class StackActions(PolicyActions):
    """Creates, updates, deletes and rolls back stacks."""

    def create_stack(self) -> ActionResult:
        """Makes a stack and its resources; one that waits in review is made so too, and its change sets are obsolete.

        Source: localstack/localstack, tests/aws/services/cloudformation/api, test_changesets.snapshot.json (recorded
        from AWS), test_create_while_in_review.
        """
        token = self.asked("ClientRequestToken")
        if self.asked("OnFailure") is not None and self.asked("DisableRollback") is not None:
            raise ApiError("Either DisableRollback or OnFailure can be specified, not both.")
        template = self.acknowledged(self.template(None), expands=True)
        with self.engine.world.lock:
            there = self.found()
            if there is not None and there.status != "REVIEW_IN_PROGRESS":
                if token and there.client_token == token:
                    return ActionResult({"StackId": there.id})
                raise ApiError(f"Stack [{there.name}] already exists", code="AlreadyExistsException")
            stack = there or self.new_stack()
            stack.options = self.options(None)
            deployment = self.engine.prepare(stack, template, request.given(self.asked), request.tags(self.asked, {}))
            stack.is_protected = bool(self.asked("EnableTerminationProtection"))
            stack.policy = self.first_policy(stack, deployment)
            stack.on_failure = self.asked("OnFailure")
            self.engine.world.add(stack)
            retention = request.retention(self.asked, config=self.config(stack.options), on_failure=stack.on_failure)
            operation = self.engine.create(stack, deployment, retention, token)
        return self._run(stack, operation)

    def update_stack(self) -> ActionResult:
        """Changes a stack's resources.

        Source: ansible-collections/amazon.aws 1655 quotes the refusal of a stack that was left as it failed. Whether
        ExecuteChangeSet refuses one too is unconfirmed; the CDK CLI leads such a stack back before.
        """
        token = self.asked("ClientRequestToken")
        template = self.acknowledged(self.template(self.reviewed()), expands=True)
        with self.engine.world.lock:
            stack = self.reviewed()
            if token and stack.client_token == token:
                return ActionResult({"StackId": stack.id})
            self.check_may(stack, "UPDATE_IN_PROGRESS", "updated")
            if stack.status in LEFT and not self.asked("DisableRollback"):
                raise ApiError(
                    f"This stack is currently in a non-terminal [{stack.status}] state. To update the stack from this "
                    "state, please use the disable-rollback parameter with update-stack API. To rollback to the last "
                    "known good state, use the rollback-stack API"
                )
            tags, options = request.tags(self.asked, stack.deployment.tags), self.options(stack)
            deployment = self.engine.prepare(stack, template, request.given(self.asked), tags)
            policies = self.policies(stack, deployment)
            if self.engine.preview(stack, deployment).is_empty:
                raise ApiError("No updates are to be performed.")
            stack.options, stack.change_set_id = {**stack.options, **options}, None
            retention = request.retention(self.asked, config=self.config(stack.options))
            operation = self.engine.update(stack, deployment, retention, token, policies=policies)
        return self._run(stack, operation)

    def delete_stack(self) -> EmptyResult:
        """Removes a stack and its resources; one that is not there, or that is being removed, is no error.

        Source: a refusal in elifesciences' builder quotes the words for a stack that is busy; that only updates and
        their ways back keep a stack from being deleted, not its creation, follows Eucalyptus, which does as AWS does.
        """
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            stack = self.found()
            if stack is None or stack.status in GOING or (token and stack.client_token == token):
                return EmptyResult()
            if self.engine.world.root(stack).is_protected:
                raise ApiError(f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
            if not stack.may("DELETE_IN_PROGRESS"):
                raise ApiError(f"Stack [{stack.id}] cannot be deleted while in status {stack.status}")
            retained = self.asked("RetainResources") or ()
            check_retained(stack, retained)
            force = self.asked("DeletionMode") == "FORCE_DELETE_STACK"
            if force:
                check_forced(stack)
            self._take_role(stack)
            operation = self.engine.delete(stack, retained=retained, force=force, token=token)
        self.operations.run(stack, operation)
        return EmptyResult()

    def cancel_update_stack(self) -> EmptyResult:
        """Ends an update that is under way and leads the stack back.

        Source: CloudFormation API reference, CancelUpdateStack; the words are those for which aws/copilot-cli looks.
        """
        token = self.asked("ClientRequestToken")
        with self.engine.world.lock:
            stack = self._nobodys()
            if token and stack.client_token == token:
                return EmptyResult()
            if stack.status != "UPDATE_IN_PROGRESS":
                raise ApiError("CancelUpdateStack cannot be called from current stack status")
            operation = self.engine.roll_back(stack, Retention(), token)
        self.operations.run(stack, operation)
        return EmptyResult()

    def rollback_stack(self) -> ActionResult:
        """Leads a stack back that was left as it failed.

        Source: CloudFormation API reference, RollbackStack, for the states; the words of the refusal are unconfirmed.
        """
        with self.engine.world.lock:
            stack = self._nobodys()
            if stack.status not in LEFT:
                raise ApiError(f"Stack:{stack.id} is in {stack.status} state and can not be rolled back.")
            self._take_role(stack)
            retention = request.retention(self.asked, config={})
            operation = self.engine.roll_back(stack, retention, self.asked("ClientRequestToken"))
        return self._run(stack, operation)

    def continue_update_rollback(self) -> EmptyResult:
        """Leads a stack back whose way back failed; where resources can't be left out, it fails again and says so.

        Source: CloudFormation API reference, ContinueUpdateRollback, for the state; the words of the refusal are
        unconfirmed.
        """
        left_out: frozenset[str] = frozenset()
        with self.engine.world.lock:
            stack, refusal = self._nobodys(), None
            if stack.status != "UPDATE_ROLLBACK_FAILED":
                raise ApiError(
                    f"Stack:{stack.id} is in {stack.status} state and can not be continued to be rolled back."
                )
            self._take_role(stack)
            asked = None if self.asked("ForceRollback") else self.asked("ResourcesToSkip") or ()
            try:
                left_out = skipped(self.engine.world, stack, asked)
            except SkippingError as error:
                refusal = str(error)
            token = self.asked("ClientRequestToken")
            operation = self.engine.continue_rollback(stack, left_out, token, refusal=refusal)
        self.operations.run(stack, operation)
        return EmptyResult()

    def update_termination_protection(self) -> ActionResult:
        """Says whether a stack may be deleted, and the stacks nested in it with it.

        Source: CloudFormation API reference, UpdateTerminationProtection; the words for a nested stack are unconfirmed.
        """
        stack = self.existing()
        if stack.root_id is not None:
            raise ApiError(
                f"Stack [{stack.name}] is nested and has the termination protection of its root [{stack.root_id}]"
            )
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

    def _nobodys(self) -> Stack:
        """Gives the stack that is to be led back, which must not be the resource of another one.

        Source: CloudFormation API reference, ContinueUpdateRollback; teams quote the words in their notes. That
        RollbackStack and CancelUpdateStack have the same ones is unconfirmed.

        Raises:
            ApiError: There is none, or it is nested.
        """
        stack = self.existing()
        if stack.root_id is not None:
            raise ApiError("RollbackUpdatedStack cannot be invoked on child stacks")
        return stack

    def _take_role(self, stack: Stack) -> None:
        """Gives the stack the request's role, if it has one, and looks whether CloudFormation can take the stack's.

        Raises:
            ApiError: It can't.
        """
        role = self.asked("RoleARN") or stack.options.get("RoleARN")
        self.check_role(role)
        if role is not None:
            stack.options = {**stack.options, "RoleARN": role}

    def _run(self, stack: Stack, operation: Operation) -> ActionResult:
        self.operations.run(stack, operation)
        return ActionResult({"StackId": stack.id})
