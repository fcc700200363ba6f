"""Taking an environment down: what goes, what stays and costs, what comes first, and the commands in their order.

Two ways, and the second is never part of the first. The ordinary one ends what costs most, nodes and control plane, and
leaves network and storage; ``removal`` takes those too, step by step, each with what is lost by it.
"""

from trnstack.advice.teardown.before import before
from trnstack.advice.teardown.kept import kept
from trnstack.advice.teardown.model import Deleted, Edit, Kept, Step, Teardown
from trnstack.advice.teardown.removal import removal
from trnstack.advice.teardown.stacks import deleted, protected, steps
from trnstack.plan.model import Plan

__all__ = ["Deleted", "Edit", "Kept", "Step", "Teardown", "teardown"]


def teardown(plan: Plan) -> Teardown:
    """Returns how an environment is taken down."""
    return Teardown(
        deleted=tuple(deleted(plan)),
        kept=tuple(kept(plan)),
        before=tuple(before(plan)),
        steps=tuple(steps(plan)),
        protected=protected(plan),
        removal=tuple(removal(plan)),
    )
