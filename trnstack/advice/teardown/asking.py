"""AWS CLI commands, for people to paste."""

from trnstack.plan.model import ExistingLustrePlan, Plan

#: The shell variable that holds the file system's id.
FILE_SYSTEM = "FILE_SYSTEM"


def aws(region: str, operation: str, *options: str, query: str = "") -> str:
    """Returns a command: a service and its operation, options, and which part of the answer is shown as text."""
    shown = (f"--query {query}", "--output text") if query else ()
    return " ".join((f"aws {operation} --region {region}", *options, *shown))


def variable(plan: Plan, name: str, output: str, part: str = "storage") -> str:
    """Returns the command that puts an output of one of the environment's stacks into a shell variable."""
    query = f"\"Stacks[0].Outputs[?OutputKey=='{output}'].OutputValue\""
    stack = f"--stack-name {plan.name}-{part}"
    return f"{name}=$({aws(plan.region, 'cloudformation describe-stacks', stack, query=query)})"


def file_system(plan: Plan) -> str:
    """Returns the command that puts the file system's id into a shell variable."""
    lustre = plan.storage.lustre
    if isinstance(lustre, ExistingLustrePlan):
        return f"{FILE_SYSTEM}={lustre.file_system_id}"
    return variable(plan, FILE_SYSTEM, "FileSystemId")
