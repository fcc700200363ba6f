"""The life of a Capacity Block: what a deploy does before it and in the middle of it, and what the clock does."""

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from rehearsal.overlays.ec2.reservations import give_block
from rehearsal.seed import seed_file
from rehearsal.story.standing import server_options

ACCOUNT, NAME = "123456789012", "llama3-8b-trn2-block"
NODES = f"{NAME}-nodes-trn2"
GOLDEN = Path(__file__).parents[2] / "golden" / NAME
RESERVATION = "cr-0123456789abcdef0"
BEGINS, ENDS = dt.datetime(2027, 9, 6, 11, 30, tzinfo=dt.UTC), dt.datetime(2027, 9, 13, 11, 30, tzinfo=dt.UTC)
IN_THE_MIDDLE = dt.datetime(2027, 9, 9, 12, tzinfo=dt.UTC)


class Block:
    """The stacks of the environment with a block, and the node group that stands in it."""

    def __init__(self, client: Any, services: Any) -> None:
        self.cloudformation, self.eks, self.scheduler, self.ec2 = (
            client(service) for service in ("cloudformation", "eks", "scheduler", "ec2")
        )
        self.pass_to = services.pass_to
        self.template = json.loads((GOLDEN / f"{NODES}.template.json").read_text())

    def make_others(self) -> None:
        """Buys the block, and makes the stacks on which the nodes stand."""
        give_block(
            ACCOUNT,
            "us-east-2",
            RESERVATION,
            starts_at=BEGINS,
            ends_at=ENDS,
            instance_type="trn2.48xlarge",
            instance_count=16,
            availability_zone_id="use2-az3",
        )
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

    def resize(self, count: int) -> None:
        self.eks.update_nodegroup_config(clusterName=NAME, nodegroupName="trn2", scalingConfig={"desiredSize": count})

    def nodes(self) -> int:
        group = self.eks.describe_nodegroup(clusterName=NAME, nodegroupName="trn2")["nodegroup"]
        return int(group["scalingConfig"]["desiredSize"])

    def running(self) -> int:
        """Counts the instances of the block that run."""
        filters = [
            {"Name": "instance-type", "Values": ["trn2.48xlarge"]},
            {"Name": "instance-state-name", "Values": ["running"]},
        ]
        found = self.ec2.describe_instances(Filters=filters)["Reservations"]
        return sum(len(one["Instances"]) for one in found)

    def reservation(self) -> tuple[str, int]:
        """Gives the state of the block's reservation, and how many instances are left in it."""
        (one,) = self.ec2.describe_capacity_reservations(CapacityReservationIds=[RESERVATION])["CapacityReservations"]
        return one["State"], one["AvailableInstanceCount"]

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
def block(client, services) -> Block:
    """The environment without its nodes."""
    made = Block(client, services)
    made.make_others()
    return made


@pytest.fixture
def begun(block) -> Block:
    """The environment, deployed before the block, in the middle of it: 16 nodes run."""
    assert block.make(NODES, json.dumps(block.template)) == "CREATE_COMPLETE"
    block.pass_to(IN_THE_MIDDLE)
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
        block.pass_to(IN_THE_MIDDLE)

        assert block.make(NODES, json.dumps(block.template)) == "ROLLBACK_COMPLETE"
        assert "in the past" in block.reasons()

    def test_first_deploy_by_hand(self, block):
        """CAP-03: With scale_up: by_hand it ends well, and the printed command starts the nodes."""
        block.pass_to(IN_THE_MIDDLE)

        assert block.make(NODES, json.dumps(without_scale_up(block.template))) == "CREATE_COMPLETE"
        assert set(block.expressions()) == {"event", "notice", "scale-down"}
        block.resize(16)
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


class TestStanding:
    """A rehearsal of the environment has its block from the start."""

    def test_given(self, planned, client, tmp_path):
        """The block of the environment file stands as it was bought, under its reservation's id."""
        options = server_options(planned(NAME), account=ACCOUNT, folder=tmp_path)
        ec2 = client("ec2")
        seed_file(Path(options[1]))

        (found,) = ec2.describe_capacity_reservations()["CapacityReservations"]

        assert (found["CapacityReservationId"], found["State"]) == (RESERVATION, "scheduled")
        assert (found["StartDate"], found["EndDate"]) == (BEGINS, ENDS)
        assert (found["InstanceType"], found["TotalInstanceCount"]) == ("trn2.48xlarge", 16)
        assert found["AvailabilityZoneId"] == "use2-az3"

    def test_by_hand(self, planned, client, tmp_path):
        """A block whose nodes are started by hand has begun."""
        plan = planned(NAME)
        (group,) = plan.node_groups
        down = tuple(one for one in group.block.schedules if one.desired_size != 16)
        by_hand = replace(plan, node_groups=(replace(group, block=replace(group.block, schedules=down)),))
        ec2 = client("ec2")
        file = Path(server_options(by_hand, account=ACCOUNT, folder=tmp_path)[1])
        seed_file(file)

        (found,) = ec2.describe_capacity_reservations()["CapacityReservations"]

        assert (found["State"], found["EndDate"]) == ("active", ENDS)


class TestByTheClock:
    """The whole life of the block: time passes, and nobody calls anything."""

    def test_life(self, block):
        """Nodes come when the block begins, people and programs are told, nodes go, and the block ends."""
        assert block.make(NODES, json.dumps(block.template)) == "CREATE_COMPLETE"
        assert (block.nodes(), block.reservation()) == (0, ("scheduled", 16))

        (begun,) = block.pass_to(BEGINS)
        assert (begun.moment, begun.refusal) == (BEGINS, None)
        assert begun.what.endswith("/scale-up: eks:UpdateNodegroupConfig")
        assert (block.running(), block.reservation()) == (16, ("active", 0))

        happened = block.pass_to(ENDS)
        assert [(f"{one.moment:%H:%M}", one.what.rpartition("/")[2], one.refusal) for one in happened] == [
            ("10:00", "notice: sns:Publish", None),
            ("10:00", "event: events:PutEvents", None),
            ("10:50", "scale-down: eks:UpdateNodegroupConfig", None),
            ("11:00", f"EC2 ends what runs in {RESERVATION}: 0 instances", None),
        ]
        assert (block.nodes(), block.running(), block.reservation()) == (0, 0, ("expired", 16))

    def test_nodes_that_nobody_ends(self, begun):
        """What still runs half an hour before the end is ended by EC2, and the node group still wants its nodes."""
        schedules = begun.scheduler.list_schedules()["Schedules"]
        (down,) = (one for one in schedules if one["Name"] == "scale-down")
        begun.scheduler.delete_schedule(GroupName=down["GroupName"], Name="scale-down")

        begun.pass_to(ENDS - dt.timedelta(minutes=31))
        assert begun.running() == 16

        begun.pass_to(ENDS - dt.timedelta(minutes=30))
        assert (begun.running(), begun.nodes()) == (0, 16)
        assert begun.reservation() == ("active", 16)

    def test_too_few_in_the_block(self, block):
        """A schedule whose call is refused says what it was refused with, and the nodes stay away."""
        assert block.make(NODES, json.dumps(edited(block.template, "16}", "32}"))) == "CREATE_COMPLETE"

        (begun,) = block.pass_to(BEGINS)

        assert begun.refusal is not None
        assert block.running() == 0
