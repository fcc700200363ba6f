"""``trnstack rehearse``: the life of an environment against an embedded AWS."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trnstack.cli import output

if TYPE_CHECKING:
    from rehearsal.faults import Fault

_SCENARIOS = """\b
Scenarios:
  lifecycle  deploy, change in place, replace nodes, be refused what would lose data, take down
  update     deploy, every kind of edit, and an update that fails, is rolled back, and then converges
  upgrade    deploy, then the next Kubernetes minor version: control plane, add-ons, nodes
  faults     deploy, then every fault in turn: the deploy fails, the next one converges
  teardown   deploy, then take down: what is protected, what stays

\b
Faults (name one that there is none of to see what each does):
  no-capacity, quota-zero, reservation-not-active, reservation-ended, nodes-unhealthy,
  fsx-creation-fails, access-denied, throttling, api-down, cli-killed

"""
EXIT_CODES = f"""{_SCENARIOS}{output.EXIT_CODES}  130  stopped by Ctrl-C or by a signal; nothing of it is left

\b
All is well when every step ended as it should: one that had to fail has failed. Ctrl-C that ends
--keep is well too. A step that did not is 1, a fault or a state that there is none of is 2.
"""


#: What a sentence ends with before it says what else there is.
HINT = "\n  hint: "


class Scenario(StrEnum):
    """What is told of an environment."""

    LIFECYCLE = "lifecycle"
    UPDATE = "update"
    UPGRADE = "upgrade"
    FAULTS = "faults"
    TEARDOWN = "teardown"


def rehearse(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An environment file")],
    *,
    scenario: Annotated[
        str | None,
        typer.Option(
            metavar=f"[{'|'.join(Scenario)}]",
            autocompletion=lambda: list(Scenario),
            help="What to tell; lifecycle if left out, or the deploy alone beside --fault, --keep, --save or --load",
        ),
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[@WHERE]", help="What goes wrong in the first deploy; may be given several times"),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the embedded AWS up until Ctrl-C, and say how to work with it")
    ] = False,
    save: Annotated[Path | None, typer.Option(metavar="STATE", help="Save the embedded AWS at the end")] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="STATE", help="Begin with an embedded AWS that was saved")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the steps as one JSON document, and the story to stderr")
    ] = False,
) -> None:
    """Rehearse a deployment against an embedded AWS.

    The real CDK CLI bootstraps, deploys, updates and destroys. Needs no account and no credentials, reaches no network
    and costs nothing.
    """
    from rehearsal import story  # noqa: PLC0415 - moto takes seconds to import
    from rehearsal.faults import FaultError, parse  # noqa: PLC0415 - as above

    refused = with_table = ""
    faults: list[Fault] = []
    for text in fault or ():
        try:
            faults.append(parse(text))
        except FaultError as error:
            if not refused:
                refused, with_table = str(error), _with_table(text, str(error))
    if scenario is not None and scenario not in frozenset(Scenario):
        refused, with_table = f"there is no scenario {scenario!r}{HINT}there are {', '.join(Scenario)}", ""
    elif scenario != Scenario.FAULTS and any(each.name == "cli-killed" for each in faults):
        refused = refused or f"cli-killed concerns no first deploy{HINT}--scenario faults --fault cli-killed"
    wanted = story.Wanted(
        # Of a fault that can't be read nothing is in ``faults``, and it is still the deploy that was meant.
        named=scenario or ("deploy" if refused and fault else None),
        faults=tuple(dict.fromkeys(faults)),
        keep=keep,
        save=save,
        load=load,
        as_json=as_json,
    )
    if refused:
        raise typer.Exit(story.refuse(file, wanted, refused, with_table=with_table))
    raise typer.Exit(story.run(file, wanted))


def _with_table(text: str, sentence: str) -> str:
    """Returns what is said of a fault that can't be read, with the rows of the table that help; names stand once."""
    from rehearsal.faults import FAULTS, table  # noqa: PLC0415 - as above

    name = text.strip().partition("@")[0]
    if name in FAULTS:
        return f"{sentence}\n\n{table((name,))}"
    return f"{sentence.partition(HINT)[0]}\n\nfaults:\n{table()}"
