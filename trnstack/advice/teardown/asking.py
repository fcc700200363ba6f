"""Commands of the AWS CLI and kubectl, for people to paste."""

from trnstack.plan.model import ExistingLustrePlan, Plan

#: The shell variable that holds the file system's id.
FILE_SYSTEM = "FILE_SYSTEM"


def aws(region: str, operation: str, *options: str, query: str = "") -> str:
    """Returns a command: a service and its operation, options, and which part of the answer is shown as text."""
    shown = (f"--query {query}", "--output text") if query else ()
    return " ".join((f"aws {operation} --region {region}", *options, *shown))


def kubectl(plan: Plan, words: str) -> str:
    """Returns a command for the environment's cluster, whatever the current context is; see ``context``."""
    return f"kubectl --context {plan.cluster.name} {words}"


def context(plan: Plan) -> str:
    """Returns the command that makes the context of that name.

    Source: AWS CLI reference, eks update-kubeconfig, ``--alias``.
    """
    name = plan.cluster.name
    return aws(plan.region, "eks update-kubeconfig", f"--name {name} --alias {name}")


def each(name: str, listed: str, command: str) -> str:
    """Returns a loop: a command for each of the words that another one prints, by the name of a shell variable."""
    return f"for {name} in $({listed}); do {command}; done"


def stack_deletion(region: str, stack: str) -> tuple[str, str]:
    """Returns the commands that delete a stack, and wait until it is gone: the first one alone only asks for it."""
    gone = aws(region, "cloudformation wait stack-delete-complete", f"--stack-name {stack}")
    return aws(region, "cloudformation delete-stack", f"--stack-name {stack}"), gone


def variable(plan: Plan, name: str, output: str, part: str = "storage") -> str:
    """Returns the command that puts an output of one of the environment's stacks into a shell variable."""
    query = f"\"Stacks[0].Outputs[?OutputKey=='{output}'].OutputValue\""
    stack = f"--stack-name {plan.name}-{part}"
    return f"{name}=$({aws(plan.region, 'cloudformation describe-stacks', stack, query=query)})"


def links(region: str) -> str:
    """Returns the command that shows the links of the file system in the shell variable, and whether they work.

    Source: FSx API reference, DataRepositoryAssociation, ``Lifecycle``.
    """
    return aws(
        region,
        "fsx describe-data-repository-associations",
        f"--filters Name=file-system-id,Values=${FILE_SYSTEM}",
        query="'Associations[].[FileSystemPath,Lifecycle]'",
    )


def export_queue(region: str) -> str:
    """Returns the command that shows for how long the oldest export of that file system has been waiting, in seconds.

    It prints ``None`` where CloudWatch has no value of the last 15 minutes, which says nothing about exports.

    Source: FSx API reference, DeleteFileSystem, for the metric; CloudWatch user guide, metrics of AWS/FSx, for its
    dimensions.
    """
    return aws(
        region,
        "cloudwatch get-metric-statistics --namespace AWS/FSx --metric-name AgeOfOldestQueuedMessage",
        f"--dimensions Name=FileSystemId,Value=${FILE_SYSTEM} Name=Publisher,Value=AutoExport",
        "--start-time $(($(date +%s) - 900)) --end-time $(date +%s) --period 60 --statistics Maximum",
        query="'max(Datapoints[].Maximum)'",
    )


def file_system(plan: Plan) -> str:
    """Returns the command that puts the file system's id into a shell variable."""
    lustre = plan.storage.lustre
    if isinstance(lustre, ExistingLustrePlan):
        return f"{FILE_SYSTEM}={lustre.file_system_id}"
    return variable(plan, FILE_SYSTEM, "FileSystemId")
