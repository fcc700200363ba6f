"""Brings a stack to what it was asked to be: its resources, its outputs, and the alarms that watch over it."""

from typing import TYPE_CHECKING

from rehearsal.engine import triggers
from rehearsal.engine.beginning import check_beginning
from rehearsal.engine.deploy import Deploy
from rehearsal.engine.outputs import check_exports, outputs
from rehearsal.engine.policy import check_removals
from rehearsal.engine.step import StepError
from rehearsal.engine.watch import TIMED_OUT, Watch
from rehearsal.stack import Stack
from rehearsal.templates.template import TemplateError

if TYPE_CHECKING:
    from rehearsal.engine.engine import Engine


def bring(
    engine: "Engine", stack: Stack, *, tags_changed: bool = False, may_replace: bool = True, preserves: bool = False
) -> str | None:
    """Brings a stack to its deployment.

    Args:
        engine: What performs the operation.
        stack: The stack, whose ``deployment`` is the new one already.
        tags_changed: Whether the stack's own tags are others than before.
        may_replace: Whether resources may be replaced, which CloudFormation does only where it can roll back.
        preserves: Whether a failure leaves what does not depend on it to go on, instead of leading back.

    Returns:
        The reason of a failure, of several or of an interruption; None when all is well.
    """
    watch = Watch(stack.deadline, lambda: engine.world.is_interrupted(stack))
    imports: set[str] = set()
    resolver = engine.resolver(stack, stack.deployment, stack.resources, imports)
    types = engine.schemas_of(stack.region)
    deploy = Deploy(engine.steps, stack, resolver, types, watch, tags_changed, may_replace, preserves)
    config = {} if stack.root_id is not None else stack.options.get("RollbackConfiguration", {})
    cloudwatch = engine.client("cloudwatch", stack.account, stack.region) if config else None
    try:
        tripped = triggers.tripped(cloudwatch, config)
        if tripped is not None:
            return tripped
        check_beginning(resolver, types, lambda service: engine.client(service, stack.account, stack.region))
        check_removals(stack, resolver)
        deploy.run()
        new = outputs(resolver)
        check_exports(engine.world, stack, new)
    except (StepError, TemplateError) as failure:
        return TIMED_OUT if watch.is_late else str(failure)
    finally:
        stack.imports |= imports
    stack.outputs, stack.imports = new, frozenset(imports)
    return triggers.monitor(cloudwatch, config)
