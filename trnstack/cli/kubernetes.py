"""``trnstack kubernetes``: what runs in the cluster, for those who apply it from a repository."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.plan import Plan

#: A stack has up to 200 outputs of up to 1 KB; Source: CloudFormation user guide, "Understand CloudFormation quotas".
_LONGEST_OUTPUTS_BYTES = 16 * 1024 * 1024

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def kubernetes() -> None:
    """Render what runs in the cluster, for Argo CD or Flux."""


@app.command("render", epilog=output.EXIT_CODES)
def render(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    outputs: Annotated[
        Path | None,
        typer.Option("--outputs", metavar="JSON", help="What cdk deploy --outputs-file wrote: ids that only it knows."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            metavar="FOLDER",
            help="Where the files are written. Default: kubernetes/NAME beside FILE.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write charts, values and manifests to a folder of a repository.

    The same as the stack NAME-kubernetes applies, in the same order, for environments with delivery: gitops. The
    folder's README says how Argo CD or Flux takes it. Files that trnstack did not write there, or that were changed
    since, are left alone, and then nothing is written; nor is a folder of another environment touched.
    """
    from trnstack.cli.repository import write  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.kubernetes import repository  # noqa: PLC0415

    plan, charts = _planned(file)
    values = _values(file, plan, outputs)
    made = repository.files(plan, charts, values)
    folder = Path(file).parent / "kubernetes" / plan.name if to is None else to
    changed, removed = write(folder, made, environment=plan.name)
    if plan.kubernetes.stack:
        output.tell(f"{plan.kubernetes.stack} applies the same: with both, each undoes the other's changes")
    same = len(made) - len(changed)
    gone = f", {len(removed)} removed" if removed else ""
    output.say(f"{folder}: {len(changed)} file{'' if len(changed) == 1 else 's'} written, {same} as they were{gone}")


def _planned(file: str) -> "tuple[Plan, dict[str, Any]]":
    """Returns the plan and its charts; ends the command where the file, its lock or an archive is not fit for it."""
    from ami.lock import path_for  # noqa: PLC0415
    from trnstack import source  # noqa: PLC0415
    from trnstack.charts import chart, chart_findings  # noqa: PLC0415
    from trnstack.environment import check_file, unresolved  # noqa: PLC0415
    from trnstack.findings import Severity  # noqa: PLC0415
    from trnstack.plan import plan  # noqa: PLC0415

    checked = check_file(file)
    if checked.environment is None or checked.lock is None:
        output.stop(checked.findings)
    path, text = path_for(file), source.read(file)
    if checked.lock.unresolved:
        make = f"run: trnstack lock {output.quoted(file)}"
        output.stop([text.locate(unresolved(checked.lock, path, make, Severity.ERROR))])
    decided = plan(checked.environment, checked.lock)
    unusable = [text.locate(each) for each in chart_findings(file, decided, path.parent)]
    if unusable:
        output.stop(unusable)
    return decided, {release.name: chart(release, path.parent) for release in decided.kubernetes.releases}


def _values(file: str, plan: "Plan", outputs: Path | None) -> dict[str, str]:
    """Returns what only a deploy knows; ends the command where it is needed and not told."""
    import json  # noqa: PLC0415

    from ami import plain_file  # noqa: PLC0415
    from trnstack.kubernetes.repository import OutputsError, marks_in_use, values_of_marks  # noqa: PLC0415

    if not marks_in_use(plan):
        return {}
    deploy = f"cdk deploy {plan.name}-storage --outputs-file cdk-outputs.json -c environment={output.quoted(file)}"
    if outputs is None:
        message = f"the manifests name what only a deploy of {plan.name}-storage knows"
        _stop(message, f"{deploy}, then give --outputs cdk-outputs.json")
    try:
        content = plain_file.up_to(outputs, _LONGEST_OUTPUTS_BYTES)
        if len(content) > _LONGEST_OUTPUTS_BYTES:
            _stop(f"{outputs}: has more than {_LONGEST_OUTPUTS_BYTES // 1024 // 1024} MiB", f"make it anew: {deploy}")
        return values_of_marks(plan, json.loads(content))
    except OSError as error:
        _stop(f"{outputs}: can't be read: {(error.strerror or str(error)).lower()}", deploy)
    except OutputsError as error:
        _stop(f"{outputs}: {error}", f"make it anew: {deploy}")
    except (ValueError, RecursionError):
        _stop(f"{outputs}: is not JSON", f"make it anew: {deploy}")


def _stop(message: str, hint: str) -> NoReturn:
    output.tell(f"{message}\n  hint: {hint}")
    raise typer.Exit(output.FINDINGS)
