"""FSx for Lustre's data repository tasks: those that export, which are done as soon as they are asked for."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from moto.core.utils import unix_time

from rehearsal.overlays.errors import OverlayError

_DONE = {"TotalCount": 0, "SucceededCount": 0, "FailedCount": 0}


def export_task(file_system: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Gives a task as FSx's API answers it.

    Args:
        file_system: The file system, with its associations.
        request: What CreateDataRepositoryTask is asked for.

    Raises:
        OverlayError: FSx takes no such task: nothing is linked, automatic export is on, or the report would lie
            outside of what is linked.

    Source: FSx API reference, CreateDataRepositoryTask; DeleteFileSystem: automatic export is turned off before;
    CompletionReport, ``Path``.
    """
    links = tuple(file_system.associations.values())
    if request["Type"] != "EXPORT_TO_REPOSITORY":
        raise OverlayError("UnsupportedOperation", f"Task type {request['Type']} is not supported here")
    if not links:
        raise OverlayError("BadRequest", "The file system is not linked to a data repository")
    if any(link.get("S3", {}).get("AutoExportPolicy", {}).get("Events") for link in links):
        message = "Disable automatic export before you create an export data repository task"
        raise OverlayError("BadRequest", message)
    report = request["Report"]
    if report["Enabled"]:
        _check_report(report, [link["DataRepositoryPath"] for link in links])
    digest = hashlib.sha256(f"{file_system.file_system_id} {len(file_system.tasks)}".encode()).hexdigest()
    return {
        "TaskId": f"task-{digest[:17]}",
        "Lifecycle": "SUCCEEDED",
        "Type": request["Type"],
        "CreationTime": unix_time(),
        "FileSystemId": file_system.file_system_id,
        "Paths": request.get("Paths", []),
        "Report": report,
        "Status": _DONE,
    }


def tasks(file_systems: Iterable[Any], ids: Sequence[str] | None) -> list[dict[str, Any]]:
    """Gives the tasks of some file systems: those that are asked for, or all.

    Raises:
        OverlayError: A task that is asked for is none of theirs.
    """
    known = {key: one for each in file_systems for key, one in getattr(each, "tasks", {}).items()}
    for task_id in ids or ():
        if task_id not in known:
            raise OverlayError("DataRepositoryTaskNotFound", f"Data repository task '{task_id}' does not exist.")
    return [known[task_id] for task_id in ids or known]


def _check_report(report: dict[str, Any], linked: list[str]) -> None:
    missing = [name for name in ("Path", "Format", "Scope") if name not in report]
    if missing:
        raise OverlayError("BadRequest", f"A completion report needs {', '.join(missing)}")
    path = report["Path"]
    if not any(f"{path}/".startswith(f"{each.rstrip('/')}/") for each in linked):
        raise OverlayError("BadRequest", f"The report's path {path} is within no linked data repository")
