"""Commands that ask an account, for people to paste."""

from trnstack.plan.model import ExistingLustrePlan, Plan

#: The shell variable that holds the file system's id.
FILE_SYSTEM = "FILE_SYSTEM"


def variable(plan: Plan, name: str, output: str, stack: str = "storage") -> str:
    """Returns the command that puts an output of a stack into a shell variable."""
    query = f"\"Stacks[0].Outputs[?OutputKey=='{output}'].OutputValue\""
    asked = f"aws cloudformation describe-stacks --region {plan.region} --stack-name {plan.name}-{stack}"
    return f"{name}=$({asked} --query {query} --output text)"


def file_system(plan: Plan) -> str:
    """Returns the command that puts the file system's id into a shell variable."""
    lustre = plan.storage.lustre
    if isinstance(lustre, ExistingLustrePlan):
        return f"{FILE_SYSTEM}={lustre.file_system_id}"
    return variable(plan, FILE_SYSTEM, "FileSystemId")
