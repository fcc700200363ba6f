"""Makes change sets: what an update or a creation would do, to be looked at and then executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rehearsal import chance, clock
from rehearsal.engine import Change, Engine
from rehearsal.stack import Deployment, Stack
from rehearsal.template import TemplateError

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

    @property
    def execution_status(self) -> str:
        """Whether it can be executed: ``AVAILABLE`` or ``UNAVAILABLE``."""
        return "AVAILABLE" if self.status == "CREATE_COMPLETE" else "UNAVAILABLE"


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
    )
