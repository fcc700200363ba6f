"""The life of a Capacity Block: what a deploy does before it, in the middle of it, and when it is extended."""

import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from rehearsal import clock
from rehearsal.overlays.state import state_of

ACCOUNT, NAME = "123456789012", "llama3-8b-trn2-block"
NODES = f"{NAME}-nodes-trn2"
GOLDEN = Path(__file__).parents[2] / "golden" / NAME
IN_THE_MIDDLE = "2027-09-09T12:00:00Z"


class Block:
    """The stacks of the environment with a block, and the node group that stands in it."""

    def __init__(self, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cloudformation, self.eks, self.scheduler = (
            client(service) for service in ("cloudformation", "eks", "scheduler")
        )
        self.monkeypatch = monkeypatch
        self.template = json.loads((GOLDEN / f"{NODES}.template.json").read_text())

    def make_others(self) -> None:
        """Makes the stacks on which the nodes stand."""
        for part in ("network", "storage", "cluster"):
            self.make(f"{NAME}-{part}", (GOLDEN / f"{NAME}-{part}.template.json").read_text())

    def make(self, stack: str, body: str) -> str:
        """Makes a stack and gives the state that it ends in."""
        self.cloudformation.create_stack(
            StackName=stack, TemplateBody=body, Capabilities=["CAPABILITY_NAMED_IAM"], Parameters=[]
        )
        return self.status(stack)

    def update(self, template: Any) -> str:
        """Deploys another template of the nodes and gives the state that the stack ends in."""
        self.cloudformation.update_stack(
            StackName=NODES,
            TemplateBody=json.dumps(template),
            Capabilities=["CAPABILITY_NAMED_IAM"],
            Parameters=[],
        )
        return self.status(NODES)

    def status(self, stack: str) -> str:
        return str(self.cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"])

    def reasons(self) -> str:
        """Gives everything that the nodes' stack says of itself."""
        events = self.cloudformation.describe_stack_events(StackName=NODES)["StackEvents"]
        return "\n".join(event.get("ResourceStatusReason", "") for event in events)

    def start(self) -> None:
        """Lets the block begin: time passes, the reservation is active, and the schedule does what it says."""
        self.monkeypatch.setenv(clock.VARIABLE, IN_THE_MIDDLE)
        reservation = {"State": "active", "TotalInstanceCount": 16}
        state_of(ACCOUNT, "us-east-2").capacity_reservations["cr-0123456789abcdef0"] = reservation
        self.resize(16)

    def resize(self, count: int) -> None:
        self.eks.update_nodegroup_config(clusterName=NAME, nodegroupName="trn2", scalingConfig={"desiredSize": count})

    def nodes(self) -> int:
        group = self.eks.describe_nodegroup(clusterName=NAME, nodegroupName="trn2")["nodegroup"]
        return int(group["scalingConfig"]["desiredSize"])

    def expressions(self) -> dict[str, str]:
        listed = self.scheduler.list_schedules()["Schedules"]
        found = (self.scheduler.get_schedule(GroupName=one["GroupName"], Name=one["Name"]) for one in listed)
        return {one["Name"]: one["ScheduleExpression"] for one in found}


def edited(template: Any, old: str, new: str) -> Any:
    """Returns the template with a text that stands in it replaced."""
    text = json.dumps(template)
    assert old in text
    return json.loads(text.replace(old, new))


def without_scale_up(template: Any) -> Any:
    """Returns the template as it is with ``scale_up: by_hand``."""
    kept = {
        name: made
        for name, made in template["Resources"].items()
        if made.get("Properties", {}).get("Name") != "scale-up"
    }
    return {**template, "Resources": kept}


@pytest.fixture
def block(client, monkeypatch) -> Block:
    """The environment without its nodes."""
    made = Block(client, monkeypatch)
    made.make_others()
    return made


@pytest.fixture
def begun(block) -> Block:
    """The environment, deployed before the block, in the middle of it: 16 nodes run."""
    assert block.make(NODES, json.dumps(block.template)) == "CREATE_COMPLETE"
    block.start()
    assert block.nodes() == 16
    return block


class TestBeforeTheBlock:
    def test_no_node(self, block):
        """CAP-03: A deploy weeks before the block ends well, without a node."""
        assert block.make(NODES, json.dumps(block.template)) == "CREATE_COMPLETE"
        assert block.nodes() == 0
        with pytest.raises(ClientError, match="is not active"):
            block.resize(16)


class TestInTheMiddle:
    def test_first_deploy_with_a_schedule(self, block):
        """CAP-03: A schedule for the block's start is refused once that is past, and the stack is taken back."""
        block.monkeypatch.setenv(clock.VARIABLE, IN_THE_MIDDLE)

        assert block.make(NODES, json.dumps(block.template)) == "ROLLBACK_COMPLETE"
        assert "in the past" in block.reasons()

    def test_first_deploy_by_hand(self, block):
        """CAP-03: With scale_up: by_hand it ends well, and the printed command starts the nodes."""
        block.monkeypatch.setenv(clock.VARIABLE, IN_THE_MIDDLE)

        assert block.make(NODES, json.dumps(without_scale_up(block.template))) == "CREATE_COMPLETE"
        assert set(block.expressions()) == {"event", "notice", "scale-down"}
        block.start()
        assert block.nodes() == 16

    def test_deploy_of_something_else(self, begun):
        """A deploy that leaves the schedules alone leaves the past one and the running nodes alone."""
        labelled = edited(begun.template, '"trnstack/efa": "true"', '"trnstack/efa": "true", "team": "ml"')

        assert begun.update(labelled) == "UPDATE_COMPLETE"
        assert begun.nodes() == 16
        assert begun.expressions()["scale-up"] == "at(2027-09-06T11:30:00)"

    def test_from_schedule_to_by_hand(self, begun):
        """The schedule that has run may be taken out at any time."""
        assert begun.update(without_scale_up(begun.template)) == "UPDATE_COMPLETE"
        assert begun.nodes() == 16

    def test_extension(self, begun):
        """CAP-04: A block that is extended moves what is to come; no node ends."""
        longer = edited(begun.template, "2027-09-13T", "2027-09-20T")

        assert begun.update(longer) == "UPDATE_COMPLETE"
        assert begun.nodes() == 16
        assert begun.expressions() == {
            "scale-up": "at(2027-09-06T11:30:00)",
            "event": "at(2027-09-20T10:00:00)",
            "notice": "at(2027-09-20T10:00:00)",
            "scale-down": "at(2027-09-20T10:50:00)",
        }

    def test_another_count(self, begun):
        """NG-04: Another count would change the schedule that has run: refused, and no node ends for it."""
        fewer = edited(begun.template, r"{\"DesiredSize\": 16}", r"{\"DesiredSize\": 12}")

        assert begun.update(fewer) == "UPDATE_ROLLBACK_COMPLETE"
        assert "in the past" in begun.reasons()
        assert begun.nodes() == 16

    def test_an_edit_of_the_sizes_ends_nodes(self, begun):
        """NG-04: What the plan takes care not to do: CloudFormation sends desired 0 with any other size."""
        larger = edited(begun.template, '"MaxSize": 16', '"MaxSize": 15')

        assert begun.update(larger) == "UPDATE_COMPLETE"
        assert begun.nodes() == 0
