"""Sides of a comparison: of one resource, and of an environment's golden templates."""

import json
from pathlib import Path

import pytest

from trnstack.advice.impact import Side, StackTemplate

GOLDEN = Path(__file__).parents[3] / "golden"


def side_of(*stacks, region="us-east-2", account=None, left_alone=frozenset()):
    """Returns a side of stacks: (name, resources) or (name, template) with its sections."""
    made = {}
    for name, content in stacks:
        template = content if "Resources" in content else {"Resources": content}
        made[name] = StackTemplate(name=name, template=template)
    return Side(region=region, account=account, stacks=made, left_alone=left_alone)


@pytest.fixture
def golden_side():
    """Returns a reader of an environment's golden templates, anew each time so that a test may edit them."""

    def read(name):
        plan = json.loads((GOLDEN / name / "plan.json").read_text())
        stacks = {}
        for stack in plan["stacks"]:
            template = json.loads((GOLDEN / name / f"{stack['name']}.template.json").read_text())
            stacks[stack["name"]] = StackTemplate(name=stack["name"], template=template, tags=stack["tags"])
        return Side(region=plan["region"], account=plan["account"], stacks=stacks)

    return read


def only(side, stack, kind, **properties):
    """Returns the logical id and the properties of the only resource of a type with these properties."""
    resources = side.stacks[stack].template["Resources"]
    found = [
        (name, made["Properties"])
        for name, made in resources.items()
        if made["Type"] == kind and properties.items() <= made.get("Properties", {}).items()
    ]
    assert len(found) == 1, f"{len(found)} resources of {kind} in {stack}"
    return found[0]
