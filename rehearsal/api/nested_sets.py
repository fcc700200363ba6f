"""Makes the change sets of nested stacks with that of their parent, as ``IncludeNestedStacks`` asks.

Source: CloudFormation user guide, "Create change sets for nested stacks"; API reference, CreateChangeSet,
DescribeChangeSet and ResourceChange, ``ChangeSetId``. A root that fails names the nested change set in its reason: that
is where the CDK CLI looks for it (aws-cdk, ``_findFailedNestedStack``), and a deployer's public tests quote the words.
DeleteChangeSet speaks of nested stacks in review; that they go with the last of their change sets is unconfirmed.
"""

from dataclasses import replace

from rehearsal.api import change_set
from rehearsal.api.change_set import NO_CHANGES, ChangeSet
from rehearsal.engine import Change, Engine
from rehearsal.engine.ending import discard
from rehearsal.engine.nested import NestedStack, options
from rehearsal.engine.preview import LATER
from rehearsal.handlers.base import Resource
from rehearsal.stack import STACK_TYPE, Stack
from rehearsal.templates.template import TemplateError


def with_nested(engine: Engine, stack: Stack, root: ChangeSet) -> ChangeSet:
    """Makes the change sets of the nested stacks that a change set would change, at every depth.

    A nested stack that is still to be made waits in review for its parent's, unless it hangs on what is known later.

    Args:
        engine: What knows how stacks would change.
        stack: The stack of the change set.
        root: The change set.

    Returns:
        The change set with the ids of the nested ones; it fails where one of them does.
    """
    ids: dict[str, str] = {}
    for change in root.changes:
        child = _child(engine, stack, change, root)
        made = None if child is None else _made(engine, stack, child, change, root)
        if child is None or made is None:
            continue
        if change.action == "Add":
            engine.world.add(child)
            stack.reviewed[change.spec.logical_id] = child.id
        child.change_sets[made.name] = made
        ids[change.spec.logical_id] = made.id
        if made.status == "FAILED" and made.reason != NO_CHANGES:
            reason = f"Nested change set {made.id} was not successfully created: Currently in FAILED."
            return replace(root, nested=ids, includes_nested=True, status="FAILED", reason=reason)
    return replace(root, nested=ids, includes_nested=True)


def forget(engine: Engine, stack: Stack, root: ChangeSet, *, is_executed: bool = False) -> None:
    """Deletes the change sets that were made with another one, and stacks that wait in review for none any more.

    Args:
        engine: What knows the stacks.
        stack: The stack of the change set.
        root: The change set.
        is_executed: Whether it makes the stacks that wait, instead.
    """
    for made_id in root.nested.values():
        for child in engine.world.stacks(stack.account, stack.region):
            made = next((one for one in child.change_sets.values() if one.id == made_id), None)
            if made is not None:
                del child.change_sets[made.name]
                forget(engine, child, made, is_executed=is_executed)
                if child.status == "REVIEW_IN_PROGRESS" and not child.change_sets and not is_executed:
                    discard(engine.world, child)


def _child(engine: Engine, stack: Stack, change: Change, root: ChangeSet) -> Stack | None:
    """Gives the nested stack of a change; a new one that nobody sees yet where it is still to be made."""
    if change.spec.type != STACK_TYPE:
        return None
    if change.action == "Modify" and stack.records.get(change.spec.logical_id) is not None:
        return engine.world.by_id(change.physical_id or "")
    if change.action != "Add":
        return None
    nested, properties = NestedStack(engine), change.after or {}
    resource = Resource(change.spec.logical_id, change.spec.type, properties)
    waiting = nested.reviewed(stack, resource)
    if waiting is not None:
        return waiting
    child = nested.new(engine.steps.scope(stack), stack, resource)
    child.options = options(root.options, properties)
    child.begin("REVIEW_IN_PROGRESS")
    return child


def _made(engine: Engine, parent: Stack, child: Stack, change: Change, root: ChangeSet) -> ChangeSet | None:
    """Makes the change set of one nested stack; None where it hangs on values that are known later alone."""
    name = f"{root.name}-{change.spec.logical_id}"[:128]
    properties = change.after or {}
    try:
        deployment = engine.nested_deployment(parent, child, properties)
    except TemplateError as error:
        if LATER in str(properties):
            return None
        made = change_set.make(engine, child, name, child.deployment, child.options)
        return replace(made, changes=(), status="FAILED", reason=str(error), parent_id=root.id, root_id=_root(root))
    made = change_set.make(engine, child, name, deployment, child.options)
    return with_nested(engine, child, replace(made, parent_id=root.id, root_id=_root(root)))


def _root(one: ChangeSet) -> str:
    return one.root_id or one.id
