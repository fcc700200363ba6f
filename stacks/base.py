"""What every stack of a plan is made with."""

from typing import Any

from aws_cdk import Environment

from trnstack.plan import Plan


def stack_options(plan: Plan, name: str) -> dict[str, Any]:
    """Returns a stack's options: where it is deployed, what it says of itself, and whether it may be deleted."""
    stack = plan.stack(name)
    return {
        "stack_name": name,
        "env": Environment(account=plan.account, region=plan.region),
        "description": stack.description,
        "tags": dict(stack.tags),
        "termination_protection": stack.termination_protection,
    }


def file_system_parameter(environment: str, what: str) -> str:
    """Returns the parameter in which the storage stack leaves the file system's ``id``, ``dns-name`` or ``mount-name``.

    The file system that an environment makes is in no export: one that another stack imports could not be dropped.
    """
    return f"/trnstack/{environment}/file-system-{what}"
