"""Which faults are refused before anything is started, since the plan tells that they meet nothing."""

from dataclasses import replace

import pytest

from rehearsal.faults import FaultError, parse
from rehearsal.story.meeting import check_by_plan

BLOCK, OTHER = "llama3-8b-trn2-block", "llama3-8b-trn1"


@pytest.mark.parametrize("name", ["no-capacity", "quota-zero", "nodes-unhealthy", "reservation-ended"])
@pytest.mark.parametrize("where", ["", "@trn2", "@trn2.48xlarge"])
def test_no_node_starts(planned, name, where):
    """A block's nodes start later, by the clock: a fault of theirs is refused, and the moment told."""
    with pytest.raises(FaultError) as refused:
        check_by_plan([parse(f"{name}{where}")], planned(BLOCK), in_first_deploy=True)

    first, group, hint = str(refused.value).splitlines()[:3]
    assert first == f"{name}{where} meets nothing in the first deploy: no node starts in it"
    assert group == (
        "  node group trn2 (trn2.48xlarge) starts with 0, and by its schedule with 16 at 2027-09-06T11:30:00 UTC"
    )
    assert "--keep" in hint
    assert "/_rehearsal/clock" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "no-capacity@system",
        "no-capacity@m7i.large",
        "no-capacity@NodesNodeGroup7B32C040",
        "no-capacity@us-east-2b",
        "no-capacity@AWS::EKS::Nodegroup",
        "no-capacity@llama3-8b-block-cluster/NodesNodeGroup7B32C040",
        "access-denied@anything",
        "api-down",
    ],
)
def test_may_meet(planned, text):
    """What starts at once is met, and what only templates know is left to them."""
    plan = planned(BLOCK)
    text = text.replace("llama3-8b-block-cluster", plan.cluster.system_nodes.stack)
    text = text.replace("m7i.large", plan.cluster.system_nodes.launch_template.instance_type)

    check_by_plan([parse(text)], plan, in_first_deploy=True)


@pytest.mark.parametrize("in_first_deploy", [True, False])
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no-capacity@tnr1", "no-capacity can't find 'tnr1', did you mean 'trn1'?\n  hint: it can meet "),
        ("quota-zero@usw2-az9", "quota-zero can't find 'usw2-az9'"),
        ("reservation-ended@cr-0", "reservation-ended can't find 'cr-0'"),
        ("no-capacity@nowhere/NodesNodeGroup7B32C040", "no-capacity can't find 'nowhere/"),
        ("cli-killed@llama3-8b-cluste", "cli-killed can't find 'llama3-8b-cluste', did you mean 'llama3-8b-cluster'?"),
    ],
)
def test_no_such_name(planned, text, told, in_first_deploy):
    """A name that neither the plan nor a template can have is refused, with those that the plan has."""
    with pytest.raises(FaultError) as refused:
        check_by_plan([parse("throttling"), parse(text)], planned(OTHER), in_first_deploy=in_first_deploy)

    assert str(refused.value).startswith(told)


def test_nothing_of_the_kind(planned):
    """A reservation's end, or a file system's, meets nothing where there is none; in turn such faults are left out."""
    plan = planned(OTHER)
    without = replace(plan, storage=replace(plan.storage, lustre=None))
    reserved, lustre = parse("reservation-ended"), parse("fsx-creation-fails")

    with pytest.raises(FaultError, match=r"meets nothing: it strikes every node group whose .*\n  hint: there are "):
        check_by_plan([reserved], plan, in_first_deploy=True)
    check_by_plan([lustre], plan, in_first_deploy=True)
    with pytest.raises(FaultError, match="fsx-creation-fails meets nothing: the environment makes no file system"):
        check_by_plan([lustre], without, in_first_deploy=True)
    check_by_plan([reserved, lustre], without, in_first_deploy=False)
