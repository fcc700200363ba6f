"""Makes change sets: what an update or a creation would do, to be looked at and then executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rehearsal import chance, clock
from rehearsal.engine import Change, Engine
from rehearsal.stack import Deployment, Stack
from rehearsal.templates.template import TemplateError

NO_CHANGES = "The submitted information didn't contain changes. Submit different information to create a change set."


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A change set, which stays as it was made.

    Attributes:
        name: Its name within its stack.
        id: Its ARN.
        created: When it was made, by the rehearsal's clock.
        recorded: When, by the machine's.
        deployment: What the stack is to become.
        options: What CloudFormation keeps with the stack and gives back.
        changes: What becomes of the resources.
        status: ``CREATE_COMPLETE``, or ``FAILED`` for one that would change nothing or can't be worked out.
        reason: Why it failed.
        description: The caller's words.
        on_failure: What a failed execution is to do; None for the default.
        token: The token of the call that made it.
        includes_nested: Whether the change sets of nested stacks were made with it.
        nested: The ids of those, by the nested stack's logical id.
        parent_id: The id of the change set with which it was made, of the stack around its own; None for a root.
        root_id: The id of the change set at the root; None for a root.
        imports_existing: Whether resources that are there already were to be imported.
        revision: The stack's, when it was made.
        execution: The id of the operation that executed it; None as long as none did.
    """

    name: str
    id: str
    created: datetime
    recorded: datetime
    deployment: Deployment
    options: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    status: str = "CREATE_COMPLETE"
    reason: str | None = None
    description: str | None = None
    on_failure: str | None = None
    token: str | None = None
    includes_nested: bool = False
    nested: Mapping[str, str] = field(default_factory=dict)
    parent_id: str | None = None
    root_id: str | None = None
    imports_existing: bool = False
    revision: int = 0
    execution: str | None = None

    def execution_status(self, stack: Stack) -> str:
        """Tells whether it can be executed on its stack, or how that went.

        Source: CloudFormation API reference, DescribeChangeSet, ``ExecutionStatus``: it is obsolete when the stack was
        updated after it was made. That an operation which ends in a way back has failed it is unconfirmed.

        Returns:
            ``UNAVAILABLE``, ``AVAILABLE``, ``OBSOLETE``, ``EXECUTE_IN_PROGRESS``, ``EXECUTE_COMPLETE`` or
            ``EXECUTE_FAILED``.
        """
        if self.execution is not None:
            return _outcome(stack, self.execution)
        if self.status != "CREATE_COMPLETE":
            return "UNAVAILABLE"
        return "AVAILABLE" if self.revision == stack.revision else "OBSOLETE"


def make(
    engine: Engine,
    stack: Stack,
    name: str,
    deployment: Deployment,
    options: Mapping[str, Any],
    *,
    description: str | None = None,
    on_failure: str | None = None,
    token: str | None = None,
) -> ChangeSet:
    """Works a change set out.

    Args:
        engine: What knows how the stack would change.
        stack: The stack; a new one is in ``REVIEW_IN_PROGRESS``.
        name: The change set's name.
        deployment: What the stack is to become.
        options: What CloudFormation keeps with the stack and gives back.
        description: The caller's words.
        on_failure: What a failed execution is to do; None for the default.
        token: The token of the call.
    """
    partition, region, account = stack.partition, stack.region, stack.account
    change_set_id = f"arn:{partition}:cloudformation:{region}:{account}:changeSet/{name}/{chance.new_uuid()}"
    changes: tuple[Change, ...] = ()
    reason = None
    try:
        preview = engine.preview(stack, deployment)
    except TemplateError as error:
        reason = str(error)
    else:
        changes = preview.changes
        reason = NO_CHANGES if preview.is_empty and stack.status != "REVIEW_IN_PROGRESS" else None
    return ChangeSet(
        name=name,
        id=change_set_id,
        created=stack.now(),
        recorded=clock.recorded(),
        deployment=deployment,
        options=options,
        changes=changes,
        status="CREATE_COMPLETE" if reason is None else "FAILED",
        reason=reason,
        description=description,
        on_failure=on_failure,
        token=token,
        revision=stack.revision,
    )


def _outcome(stack: Stack, operation_id: str) -> str:
    statuses = [
        event.status
        for event in stack.events
        if event.operation_id == operation_id and event.subject.physical_id == stack.id
    ]
    if statuses[-1] in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
        return "EXECUTE_COMPLETE"
    goes_on = stack.operation_id == operation_id and stack.is_busy
    return "EXECUTE_IN_PROGRESS" if goes_on else "EXECUTE_FAILED"
