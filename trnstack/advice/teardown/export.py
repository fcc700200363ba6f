"""What of the file system is in a bucket: how to see it, and how to bring the rest there before links or files go."""

import shlex

from trnstack.advice.teardown.asking import FILE_SYSTEM, aws, each, export_queue, file_system, kubectl, links
from trnstack.advice.teardown.model import Step
from trnstack.plan.model import AssociationPlan, ExistingLustrePlan, LustrePlan, Plan

#: The shell variables that hold the checkpoint bucket's name, and the id of the last export.
BUCKET = "BUCKET"
_TASK = "TASK"
_WRITTEN = ("NEW", "CHANGED")
_REPORT = "last-export"
#: What an association leaves out that lacks the event.
_LEFT_OUT = {"NEW": "new files", "CHANGED": "changes of files"}


def exporting(plan: Plan) -> tuple[AssociationPlan, ...]:
    """Returns the associations by which something goes to the checkpoint bucket."""
    lustre = plan.storage.lustre
    return tuple(link for link in (lustre.associations if lustre else ()) if link.auto_export)


def flush(plan: Plan) -> Step:
    """Returns how to see that nothing waits for its export.

    Source: FSx API reference, AutoExportPolicy: DELETED carries deletions alone, NEW and CHANGED what is written; FSx
    for Lustre user guide, "Data repository event logs": what fails is logged.
    """
    carrying = [link for link in exporting(plan) if set(_WRITTEN) & set(link.auto_export)]
    if not carrying:
        claims = f"get persistentvolumeclaims --namespace {plan.cluster.trainer.namespace}"
        return Step(
            title="copy what is needed from the file system",
            commands=(kubectl(plan, claims),),
            consequence="no association exports what is written to it: nothing of it reaches a bucket by itself. It "
            "stays, but without nodes no pod mounts it",
        )
    partly = [f"{link.file_system_path} without {_left_out(link)}" for link in carrying if _left_out(link)]
    whole = [link.file_system_path for link in carrying if not _left_out(link)]
    before = ", and perhaps not what stood in a folder before it was linked"
    earlier = before if isinstance(plan.storage.lustre, ExistingLustrePlan) else ""
    return Step(
        title="wait until everything is exported to the bucket",
        commands=(file_system(plan), links(plan.region), export_queue(plan.region)),
        consequence="every association says AVAILABLE (one that is MISCONFIGURED exports nothing), and the age of the "
        "oldest waiting export is 0: nothing waits. None is no figure, and no proof: look again later. What is "
        f"exported: {', '.join((*whole, *partly))}. All else on the file system is in no bucket{earlier}",
    )


def last_export(plan: Plan, lustre: LustrePlan) -> Step:
    """Returns how all that is in no bucket yet gets there, file by file: an empty queue does not say so.

    Paths are named, since a task of the whole file system would write to datasets too.

    Source: FSx API reference, DeleteFileSystem: automatic export is turned off first, and a file system with a task
    that runs is not deleted; CompletionReport: the report's place is within a linked prefix; CreateDataRepositoryTask:
    paths are relative.
    """
    region, folders = plan.region, exporting(plan)
    exports = aws(
        region,
        "fsx describe-data-repository-associations",
        f"--filters Name=file-system-id,Values=${FILE_SYSTEM}",
        query="'Associations[?S3.AutoExportPolicy.Events].AssociationId'",
    )
    off = '--association-id $ASSOCIATION --s3 \'{"AutoExportPolicy": {"Events": []}}\''
    update = aws(region, "fsx update-data-repository-association", off, query="Association.Lifecycle")
    turned_off = each("ASSOCIATION", exports, update)
    task = aws(
        region,
        "fsx create-data-repository-task",
        f"--file-system-id ${FILE_SYSTEM} --type EXPORT_TO_REPOSITORY{_paths(folders)} --report {_report(folders[0])}",
        query="DataRepositoryTask.TaskId",
    )
    asked = aws(
        region,
        "fsx describe-data-repository-tasks",
        f"--task-ids ${_TASK}",
        query="'DataRepositoryTasks[].[Lifecycle,Status.TotalCount,Status.FailedCount]'",
    )
    log = (_log(plan),) if lustre.log_retention_days is not None else ()
    logged = "; so does the log, of earlier exports too, and it goes with the stack" if log else ""
    return Step(
        title="export what is in no bucket yet, and see that nothing failed",
        commands=(turned_off, links(region), f"{_TASK}=$({task})", asked, *log),
        consequence="automatic export ends, beside which no task runs; once each association says AVAILABLE again, "
        f"the task exports what is not yet in the bucket of {', '.join(link.file_system_path for link in folders)}. "
        f"It is done when it says SUCCEEDED, and 0 failed. Else {_place(folders[0])}/task-ID/failures.csv in the "
        f"bucket names each file and why{logged}. Who stops here gives the associations their events back in the same "
        "way: no deploy sees that they are gone",
    )


def _left_out(link: AssociationPlan) -> str:
    return " and ".join(_LEFT_OUT[event] for event in _WRITTEN if event not in link.auto_export)


def _paths(folders: tuple[AssociationPlan, ...]) -> str:
    relative = [link.file_system_path.strip("/") for link in folders]
    # The file system's root is linked alone, and is what a task without paths exports.
    return f" --paths {' '.join(relative)}" if all(relative) else ""


def _report(link: AssociationPlan) -> str:
    """Returns where failures are told: JSON, since the short form takes no apostrophe, which a prefix may have."""
    first = '{"Enabled": true, "Format": "REPORT_CSV_20191124", "Scope": "FAILED_FILES_ONLY", "Path": "s3://'
    last = f'/{_place(link)}"}}'
    return f"{shlex.quote(first)}${BUCKET}{shlex.quote(last)}"


def _place(link: AssociationPlan) -> str:
    return "/".join(part for part in (link.prefix, _REPORT) if part)


def _log(plan: Plan) -> str:
    """Returns the command that reads what FSx logged of exports that failed.

    Source: FSx for Lustre user guide, "Logging with Amazon CloudWatch Logs".
    """
    return aws(
        plan.region, "logs filter-log-events", f"--log-group-name /aws/fsx/{plan.name}", query="'events[].message'"
    )
