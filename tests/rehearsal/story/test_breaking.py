"""Which faults meet an environment, and what of it is made anew to meet them."""

from dataclasses import replace

import pytest

from rehearsal.faults import FAULTS, Fault, parse
from rehearsal.story.breaking import every, meets_nodes, victim, why_not

RESERVED = "cr-0123456789abcdef0"


@pytest.fixture
def plan(planned):
    return planned("llama3-8b-trn1")


@pytest.fixture
def templates(plan):
    """What of the templates faults are looked up in."""
    (group,) = plan.node_groups
    return {
        group.stack: {
            "Resources": {
                "Template": {
                    "Type": "AWS::EC2::LaunchTemplate",
                    "Properties": {"LaunchTemplateData": {"InstanceType": group.launch_template.instance_type}},
                },
                "Group": {"Type": "AWS::EKS::Nodegroup", "Properties": {"NodegroupName": group.name}},
            }
        }
    }


def test_every():
    """Every fault of the table is told once."""
    assert [fault.name for fault in every()] == list(FAULTS)


@pytest.mark.parametrize("fault", [fault for fault in every() if "reservation" not in str(fault)], ids=str)
def test_applies(fault, plan, templates):
    """A node group without a reservation, with nodes, meets all but those of reservations and of file systems."""
    if fault.name == "fsx-creation-fails":
        assert not meets_nodes(fault, plan)
    else:
        assert meets_nodes(fault, plan)
        assert why_not(fault, plan, templates) == ""
        assert victim(fault, plan).name == "trn1"


@pytest.mark.parametrize("name", ["reservation-ended", "reservation-not-active"])
def test_no_reservation(name, plan, templates):
    """What ends a reservation meets nothing where there is none, and says so."""
    assert "meets nothing" in why_not(Fault(name), plan, templates)
    assert victim(Fault(name), plan) is None


def test_reservation(plan):
    """It meets the group that starts in one."""
    (group,) = plan.node_groups
    reserved = replace(
        group, name="reserved", launch_template=replace(group.launch_template, capacity_reservation_id=RESERVED)
    )
    both = replace(plan, node_groups=(group, reserved))

    assert victim(Fault("reservation-ended"), both).name == "reserved"
    assert victim(Fault("no-capacity"), both).name == "trn1"
    assert victim(Fault("no-capacity", "reserved"), both).name == "reserved"


def test_no_nodes(plan, templates):
    """A group that has no node yet meets what concerns the API, and not what concerns nodes."""
    (group,) = plan.node_groups
    empty = replace(plan, node_groups=(replace(group, scaling=replace(group.scaling, desired=0)),))

    assert why_not(Fault("no-capacity"), empty, templates) == (
        "no node starts in a group that it concerns after the deploy"
    )
    assert why_not(parse("api-down"), empty, templates) == ""


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("access-denied@eks:CreateCluster", False),
        ("access-denied@eks:CreateNodegroup", True),
        ("access-denied@llama3-8b-nodes-trn1", True),
        ("access-denied@AWS::S3::Bucket", False),
        ("api-down@s3", False),
        ("api-down@eks", True),
        ("throttling", True),
        ("cli-killed", True),
    ],
)
def test_meets_nodes(text, nodes, plan):
    """What is met when a node group is made anew is told so; anything else comes with the first deploy."""
    assert meets_nodes(parse(text), plan) is nodes
