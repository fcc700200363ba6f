"""``trnstack job``: training, smoke-test and benchmark jobs for a cluster, and what they measured."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from trnstack.jobs.results import Verdict
    from trnstack.plan import Plan
    from trnstack.spec import Environment

#: A job missed what was possible: the threshold is the catalog's.
MISSED = 3
#: How it is told whether a figure passes.
_JUDGEMENTS = {True: "pass", False: "FAIL", None: "not judged"}
RESULTS_EXIT_CODES = f"{output.EXIT_CODES}  3  a job failed, or reached too little of what is possible\n"

app = typer.Typer(
    help="Render jobs, and read what they measured.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Kind(StrEnum):
    """What a job is for."""

    TRAIN = "train"
    SMOKE = "smoke"
    COLLECTIVES = "collectives"
    CHECKPOINT_IO = "checkpoint-io"
    PRECOMPILE = "precompile"
    PROFILE = "profile"


class Framework(StrEnum):
    """What a job is written in."""

    PYTORCH = "pytorch"
    JAX = "jax"
    OPTIMUM = "optimum"
    LIGHTNING = "lightning"
    NKI = "nki"


@app.command("render", epilog=output.EXIT_CODES)
def render(  # noqa: PLR0913 - each is an option
    file: Annotated[str, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    kind: Annotated[Kind, typer.Option(help="What the job is for")],
    framework: Annotated[
        Framework | None, typer.Option(help="What it is written in  [default: the environment's framework]")
    ] = None,
    node_group: Annotated[
        str | None, typer.Option(metavar="NAME", help="Where it runs  [default: the first node group]")
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="On how many nodes  [default: as many as the kind needs]")
    ] = None,
    devices: Annotated[
        int | None, typer.Option(metavar="D", help="With how many Neuron devices of each  [default: all]")
    ] = None,
    priority: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Its place in the queue  [default: training-normal for train and precompile, else training-low]",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The job's name  [default: kind and framework]")
    ] = None,
    image: Annotated[
        str | None, typer.Option(metavar="NAME@sha256:...", help="Another container than the lock's")
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="PATH", help="train: tokens, as a path in the pod  [default: made-up ones]")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="train: steps  [default: by training.tokens_billion, or 1,000]"),
    ] = None,
    checkpoint_steps: Annotated[
        int, typer.Option(metavar="N", min=1, help="train: steps from one checkpoint to the next")
    ] = 500,
) -> None:
    """Print a job's manifests for an environment, for `kubectl replace --force --cascade=foreground -f -`.

    That command starts the job, and starts it anew where one of its name is there; `kubectl apply` leaves that one be.

    Only names that the plan fixes are in them, so a job can be rendered before anything is deployed. What can't run is
    told before anything is rendered.
    """
    from trnstack.jobs.refusals import refusals  # noqa: PLC0415 - as every command, see the package's docstring
    from trnstack.jobs.render import render as rendered  # noqa: PLC0415
    from trnstack.jobs.request import JobRequest  # noqa: PLC0415
    from trnstack.jobs.shape import shape  # noqa: PLC0415

    environment, decided = _planned(file)
    request = JobRequest(
        kind=kind.value,
        framework=framework.value if framework else None,
        node_group=node_group,
        nodes=nodes,
        devices=devices,
        priority=priority,
        name=name,
        image=image,
        data=data,
        steps=steps,
        checkpoint_steps=checkpoint_steps,
    )
    refused = refusals(environment, decided, request)
    if refused:
        import dataclasses  # noqa: PLC0415

        output.stop([dataclasses.replace(finding, file=file) for finding in refused])
    output.say(rendered(shape(environment, decided, request)).rstrip("\n"))


@app.command("results", epilog=RESULTS_EXIT_CODES)
def results(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The environment file of the cluster")],
    given: Annotated[
        list[str], typer.Argument(metavar="RESULT...", help="Results or pod logs that hold them; - reads stdin")
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Show what jobs measured against what is possible on the environment's hardware.

    Reads what smoke, collectives and checkpoint-io jobs print, or write below results/ on the file system.
    """
    from trnstack.jobs.results import ResultError, results_in, verdicts  # noqa: PLC0415

    environment, decided = _planned(file, tells=not as_json)
    try:
        found = [
            verdict
            for name in given
            for result in results_in(_text(name), _name(name))
            for verdict in verdicts(environment, decided, result, _name(name))
        ]
    except ResultError as error:
        output.tell(str(error))
        raise typer.Exit(output.FINDINGS) from None
    if as_json:
        import dataclasses  # noqa: PLC0415
        import json  # noqa: PLC0415

        output.say_json(json.dumps([dataclasses.asdict(each) for each in found], indent=2, ensure_ascii=False))
    else:
        output.say_sections([_table(found)])
    for name in dict.fromkeys(each.job for each in found):
        if all(each.passed is None for each in found if each.job == name):
            output.tell(f"nothing of {name or 'a job without a name'} is judged: what is possible of it is not known")
    if any(each.passed is False for each in found):
        raise typer.Exit(MISSED)


def _planned(file: str, *, tells: bool = True) -> "tuple[Environment, Plan]":
    from trnstack import plan as planning  # noqa: PLC0415
    from trnstack.environment import check_file  # noqa: PLC0415

    checked = check_file(file)
    if checked.environment is None or checked.lock is None:
        output.stop(checked.findings)
    if tells:
        output.tell_findings(checked.findings)
    return checked.environment, planning.plan(checked.environment, checked.lock)


def _name(given: str) -> str:
    return "stdin" if given == "-" else given


def _text(given: str) -> str:
    """Returns what a file holds, whatever its encoding makes of odd bytes.

    Raises:
        ResultError: It can't be read.
    """
    from trnstack.jobs.results import ResultError  # noqa: PLC0415

    if given == "-":
        import io  # noqa: PLC0415
        import sys  # noqa: PLC0415

        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")
        return sys.stdin.read()
    try:
        return Path(given).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ResultError(f"{given} can't be read: {error.strerror}") from None


def _table(found: "list[Verdict]") -> list[str]:
    rows = [("job", "when", "what", "measured", "possible", "at least", "")]
    rows += [
        (
            each.job,
            each.time,
            each.what,
            f"{each.value:,.4g} {each.unit}".rstrip() if each.value < 1 else f"{each.value:,.1f} {each.unit}".rstrip(),
            "not known" if each.possible is None else f"{each.possible:,.1f}",
            _at_least(each),
            _JUDGEMENTS[each.passed],
        )
        for each in found
    ]
    return ["Results", *output.columns(rows, right=frozenset({3, 4, 5}))]


def _at_least(figure: "Verdict") -> str:
    if figure.needed is not None:
        return f"{figure.needed:,.4g}"
    return "more than 0" if figure.passed is False else ""
