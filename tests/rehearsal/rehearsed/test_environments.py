"""Every environment of the project goes through its life: it is created, updated in place, and taken down."""

from pathlib import Path

import pytest

from rehearsal.rehearsed import rehearsed
from rehearsal.story.edits import in_place
from rehearsal.story.expectations import deployed_differently, kept_differently

ENVIRONMENTS = sorted(file.stem for file in (Path(__file__).parents[3] / "environments").glob("*.yaml"))
#: The id of an image that is yet to be built is made up for its lock, and the build gives another one.
OF_AN_IMAGE = "id in the lock is not as planned"


def told(differences):
    return [each for each in differences if OF_AN_IMAGE not in each]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_life(name, environment):
    """It stands as planned, also after an edit, whose update starts no new node, and leaves what holds data."""
    with rehearsed(environment(name)) as aws:
        first = aws.survey()
        assert told(deployed_differently(aws.plan, first)) == []

        aws.deploy(edited=in_place(aws.plan))
        second = aws.survey()
        assert told(deployed_differently(aws.plan, second)) == []
        assert {stack.status for stack in second.stacks} <= {"CREATE_COMPLETE", "UPDATE_COMPLETE"}
        assert "UPDATE_COMPLETE" in {stack.status for stack in second.stacks}
        assert nodes(first) == nodes(second)

        aws.destroy()
        assert list(kept_differently(aws.plan, aws.survey())) == []


def nodes(found):
    return {group.name: group.instance_ids for cluster in found.clusters for group in cluster.node_groups}
