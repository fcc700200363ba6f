"""What a rehearsal tells for what a person has asked."""

import json
from pathlib import Path

import pytest

from rehearsal.faults import parse
from rehearsal.story.record import DONE, REFUSED, Step, to_json
from rehearsal.story.scenarios import SCENARIOS
from rehearsal.story.wanted import Wanted
from trnstack.cli.rehearse import EXIT_CODES, Scenario


@pytest.mark.parametrize(
    ("wanted", "scenario", "takes_down"),
    [
        (Wanted(), "lifecycle", True),
        (Wanted(keep=True), "deploy", False),
        (Wanted(faults=(parse("api-down"),)), "deploy", False),
        (Wanted(save=Path("x")), "deploy", False),
        (Wanted(load=Path("x")), "deploy", False),
        (Wanted(as_json=True), "lifecycle", True),
        (Wanted(named="lifecycle", keep=True), "lifecycle", False),
        (Wanted(named="teardown", keep=True), "teardown", True),
        (Wanted(named="update", save=Path("x")), "update", False),
    ],
)
def test_scenario(wanted, scenario, takes_down):
    """Left out, it is the whole life, or the deploy alone; what is kept is not taken down, unless that is the point."""
    assert (wanted.scenario, wanted.takes_down) == (scenario, takes_down)


def test_every_scenario_is_told():
    """The command names every scenario that there is, and the help says what each tells."""
    assert {each.value for each in Scenario} == SCENARIOS.keys() - {"deploy"}
    assert all(f"  {each.value} " in EXIT_CODES for each in Scenario)


def test_every_fault_is_named_in_the_help():
    """The help names the faults that there are, so that nobody has to guess a name."""
    from rehearsal.faults import FAULTS

    listed = EXIT_CODES.partition("Faults (")[2].partition(":\n")[2].partition("\n\n")[0]

    assert {name.strip() for name in listed.replace("\n", "").split(",")} == FAULTS.keys()


def test_document():
    """The document has every step with its seconds and how it ended, and the error where there is one."""
    stacks = {"stacks": [{"name": "x", "resources": 3, "seconds": 1.2}]}
    steps = [Step("cdk deploy", 1.26, DONE, data=stacks), Step("cdk destroy x", 0.5, REFUSED, "refused")]
    told = json.loads(
        to_json(environment="x.yaml", scenario="teardown", outcome="failed", seconds=2.04, steps=steps, error="lost")
    )

    assert told == {
        "version": 1,
        "environment": "x.yaml",
        "scenario": "teardown",
        "outcome": "failed",
        "seconds": 2.0,
        "steps": [
            {"what": "cdk deploy", "seconds": 1.3, "outcome": "done", "detail": "", "data": stacks},
            {
                "what": "cdk destroy x",
                "seconds": 0.5,
                "outcome": "refused as it should be",
                "detail": "refused",
                "data": {},
            },
        ],
        "error": "lost",
    }
