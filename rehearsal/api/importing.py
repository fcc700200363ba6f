"""Tells which resources ``ImportExistingResources`` would import: the rehearsal imports none, and says so.

The CDK CLI asks for it whenever it bootstraps. Where nothing of these names stands, everything is made as it would be
without it.

Source: CloudFormation user guide, "Import AWS resources into a CloudFormation stack automatically": a resource with a
custom name that the template writes out, which is kept when its stack goes; @aws-cdk/toolkit-lib, ``bootstrapStack``.
"""

from dataclasses import replace

from rehearsal.api.change_set import ChangeSet
from rehearsal.engine import Change, Engine
from rehearsal.handlers.base import Resource
from rehearsal.stack import Stack

KEPT = ("Retain", "RetainExceptOnCreate")


def checked(engine: Engine, stack: Stack, made: ChangeSet) -> ChangeSet:
    """Gives a change set that asks for imports; it fails where CloudFormation would import something.

    Args:
        engine: What can read how resources stand.
        stack: The stack.
        made: The change set.
    """
    made = replace(made, imports_existing=True)
    standing = [change.spec.logical_id for change in made.changes if _stands(engine, stack, change)]
    if not standing:
        return made
    words = (
        f"[{', '.join(standing)}] would be: leave out ImportExistingResources, or delete what stands under the names"
    )
    reason = f"The rehearsal does not model resources that are imported, as {words}"
    return replace(made, changes=(), status="FAILED", reason=reason)


def _stands(engine: Engine, stack: Stack, change: Change) -> bool:
    spec, schema, reader = change.spec, engine.schemas_of(stack.region).get(change.spec.type), None
    if change.action == "Add" and spec.deletion_policy in KEPT and schema is not None:
        reader = engine.reader_for(spec.type)
    if reader is None or schema is None or [len(path) for path in schema.primary_identifier] != [1]:
        return False
    name = spec.properties.get(schema.primary_identifier[0][0])
    if not isinstance(name, str):
        return False
    resource = Resource(spec.logical_id, spec.type, change.after or {}, physical_id=name)
    return reader(engine.steps.scope(stack), resource) is not None
