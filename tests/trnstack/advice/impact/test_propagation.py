"""A change moves what refers to it, within a stack and across stacks."""

import dataclasses

import pytest

from trnstack.advice.impact import Action, Impact, Side, compare

from .conftest import only, side_of

NETWORK, STORAGE, NODES = "llama3-8b-network", "llama3-8b-storage", "llama3-8b-nodes-trn1"


def changes(old, new):
    """Returns what changes, by type: there is one of each in these tests."""
    return {change.type.rpartition("::")[2]: change for change in compare(old, new).changes}


@pytest.fixture
def pair(golden_side):
    """An environment twice: the second is for the test to edit."""
    return golden_side("llama3-8b-trn1"), golden_side("llama3-8b-trn1")


def nodes_subnet(side):
    """Returns the properties of the subnet in which nodes and file system stand."""
    _, file_system = only(side, STORAGE, "AWS::FSx::FileSystem")
    key = file_system["SubnetIds"][0]["Fn::ImportValue"]
    outputs = side.stacks[NETWORK].template["Outputs"].values()
    (value,) = [output["Value"] for output in outputs if output.get("Export", {}).get("Name") == key]
    return side.stacks[NETWORK].template["Resources"][value["Ref"]]["Properties"]


class TestAcrossStacks:
    def test_nothing(self, pair):
        """Two sides that are the same have no difference."""
        assert compare(*pair).changes == ()

    def test_subnet(self, pair):
        """A subnet's range replaces the subnet, and by its export the file system, its link, and the node group."""
        nodes_subnet(pair[1])["CidrBlock"] = "10.0.64.0/20"

        found = changes(*pair)

        # What stands in the cluster is told the new file system, and can't all take it (test_objects.py).
        for kind in ("Parameter", "AWSCDK-EKS-KubernetesResource"):
            assert found.pop(kind).impact is Impact.IN_PLACE
        assert set(found) == {
            "Subnet",
            "SubnetRouteTableAssociation",
            "FileSystem",
            "DataRepositoryAssociation",
            "Nodegroup",
        }
        assert {change.action for change in found.values()} == {Action.REPLACE}
        assert found["FileSystem"].impact is Impact.LOSES_DATA
        assert found["FileSystem"].retained
        (moved,) = found["FileSystem"].properties
        assert moved.path == "SubnetIds[0]"
        assert f"{NETWORK}/{found['Subnet'].logical_id} is replaced" in moved.reason
        assert "NodegroupName" in found["Nodegroup"].refused[0]

    def test_export_in_use(self, pair):
        """CloudFormation refuses to change what another stack imports, and the stack rolls back."""
        nodes_subnet(pair[1])["CidrBlock"] = "10.0.64.0/20"

        (refusal,) = compare(*pair).refusals

        assert refusal.stack == NETWORK
        assert f"{STORAGE}, {NODES} import it" in refusal.reason

    def test_export_that_goes(self, pair):
        """Nor may an export go that is imported, whatever the importing stack will look like."""
        del pair[1].stacks[NETWORK].template["Outputs"]["ExportLustreSecurityGroup"]

        reasons = [refusal.reason for refusal in compare(*pair).refusals]

        assert any("its export llama3-8b-network:LustreSecurityGroup would go" in reason for reason in reasons)

    def test_vpc(self, pair):
        """A VPC's range replaces everything that stands in it; what has no place in it stays."""
        _, vpc = only(pair[1], NETWORK, "AWS::EC2::VPC")
        vpc["CidrBlock"] = "10.9.0.0/16"

        found = {change.type for change in compare(*pair).changes if change.action is Action.REPLACE}

        assert {"AWS::EC2::Subnet", "AWS::EC2::SecurityGroup", "AWS::FSx::FileSystem", "AWS::EKS::Nodegroup"} <= found
        assert not found & {"AWS::S3::Bucket", "AWS::KMS::Key", "AWS::IAM::Role", "AWS::EC2::EIP"}

    def test_key(self, pair):
        """Another key for the file system is another file system."""
        _, file_system = only(pair[1], STORAGE, "AWS::FSx::FileSystem")
        file_system["KmsKeyId"] = "arn:aws:kms:us-east-2:111122223333:key/other"

        assert changes(*pair)["FileSystem"].impact is Impact.LOSES_DATA


class TestLaunchTemplate:
    def test_instance_type(self, pair):
        """An instance type makes a version of the launch template in place, and that replaces nodes."""
        _, template = only(pair[1], NODES, "AWS::EC2::LaunchTemplate")
        template["LaunchTemplateData"]["InstanceType"] = "trn1.2xlarge"

        found = changes(*pair)

        assert found["LaunchTemplate"].impact is Impact.IN_PLACE
        assert found["Nodegroup"].impact is Impact.RESTARTS_NODES
        assert found["Nodegroup"].properties[0].path == "LaunchTemplate.Version"
        assert any("stops each time" in text for text in found["Nodegroup"].feels)

    def test_literal_version(self, pair):
        """A node group that names a version by its number does not follow the template."""
        for side in pair:
            _, group = only(side, NODES, "AWS::EKS::Nodegroup")
            group["LaunchTemplate"]["Version"] = "3"
        _, template = only(pair[1], NODES, "AWS::EC2::LaunchTemplate")
        template["LaunchTemplateData"]["InstanceType"] = "trn1.2xlarge"

        assert set(changes(*pair)) == {"LaunchTemplate"}

    def test_name_of_the_template(self, pair):
        """A template of another name is another template; the node group takes it as a new version does."""
        _, template = only(pair[1], NODES, "AWS::EC2::LaunchTemplate")
        template["LaunchTemplateName"] = "mine"

        found = changes(*pair)

        assert found["LaunchTemplate"].action is Action.REPLACE
        assert found["Nodegroup"].impact is Impact.RESTARTS_NODES


class TestAttributes:
    def test_stay(self, pair):
        """A new version of the cluster moves neither its endpoint nor what nodes start with."""
        _, cluster = only(pair[1], "llama3-8b-cluster", "AWS::EKS::Cluster")
        cluster["Version"] = "1.36"

        assert set(changes(*pair)) == {"Cluster"}

    def test_unknown(self):
        """An attribute of which nobody knows whether it moves makes a create-only property unknown, not safe."""

        def resources(display):
            return {
                "Topic": {"Type": "AWS::EC2::EIP", "Properties": {"PublicIpv4Pool": display}},
                "Gateway": {
                    "Type": "AWS::EC2::NatGateway",
                    "Properties": {"PrivateIpAddress": {"Fn::GetAtt": ["Alarm", "Foo"]}},
                },
                "Alarm": {"Type": "Acme::Any::Thing", "Properties": {"X": display}},
            }

        found = changes(side_of(("s", resources("a"))), side_of(("s", resources("b"))))

        assert found["NatGateway"].impact is Impact.UNKNOWN
        assert found["NatGateway"].action is Action.UPDATE

    def test_unknown_in_place(self):
        """In a property that changes in place, it is in place."""

        def resources(size):
            return {
                "Odd": {"Type": "Acme::Any::Thing", "Properties": {"X": size}},
                "Logs": {"Type": "AWS::Logs::LogGroup", "Properties": {"RetentionInDays": {"Ref": "Odd"}}},
            }

        assert changes(side_of(("s", resources(1))), side_of(("s", resources(2))))["LogGroup"].impact is Impact.IN_PLACE

    def test_circle(self):
        """Templates whose references go in a circle, which CloudFormation refuses, end the comparison all the same."""

        def resources(name):
            return {
                "A": {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": {"Ref": "B"}, "TopicName": name}},
                "B": {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": {"Ref": "A"}}},
            }

        assert len(compare(side_of(("s", resources("a"))), side_of(("s", resources("b")))).changes) >= 1


class TestComingAndGoing:
    def test_file_system_that_leaves(self, pair):
        """A file system that is no longer in the file is retained, counts as lost, and its link goes."""
        resources = pair[1].stacks[STORAGE].template["Resources"]
        for kind in ("AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation"):
            logical_id, _ = only(pair[1], STORAGE, kind)
            del resources[logical_id]

        found = changes(*pair)

        assert found["FileSystem"].impact is Impact.LOSES_DATA
        assert "retained with its files" in found["FileSystem"].reason
        assert found["DataRepositoryAssociation"].impact is Impact.DELETES

    def test_other_logical_id(self, pair):
        """A bucket under another logical id is another bucket, whose name the old one still has."""
        resources = pair[1].stacks[STORAGE].template["Resources"]
        logical_id, _ = only(pair[1], STORAGE, "AWS::S3::Bucket", VersioningConfiguration={"Status": "Enabled"})
        resources["Moved"] = resources.pop(logical_id)
        by_id = {change.logical_id: change for change in compare(*pair).changes}

        assert by_id[logical_id].impact is Impact.LOSES_DATA
        assert f"{logical_id}, which goes, is the same under another logical id" in by_id["Moved"].reason
        assert f"{logical_id} has its name" in by_id["Moved"].refused[0]

    def test_stack_that_leaves(self, pair):
        """A stack that the new side does not know stays until it is destroyed; what would go then is said."""
        new = Side(
            region=pair[1].region,
            account=None,
            stacks={name: stack for name, stack in pair[1].stacks.items() if name != NODES},
        )
        found = [change for change in compare(pair[0], new).changes if change.stack == NODES]

        assert {change.impact for change in found} == {Impact.DELETES}
        assert all("which no deploy does" in change.reason and change.stack_goes for change in found)

    def test_stack_that_is_left_alone(self, pair):
        """A stack that waits for its image is not compared: what stands of it stays."""
        rest = {name: stack for name, stack in pair[1].stacks.items() if name != NODES}
        new = Side(region=pair[1].region, account=None, stacks=rest, left_alone=frozenset({NODES}))

        assert compare(pair[0], new).changes == ()

    @pytest.mark.parametrize("place", [{"region": "us-west-2"}, {"account": "999999999999"}])
    def test_another_place(self, pair, place):
        """In another region or account everything is new, and what stands in the first is left behind."""
        old = dataclasses.replace(pair[0], account="111122223333")
        report = compare(old, dataclasses.replace(pair[1], **{"account": "111122223333", **place}))

        assert {change.action for change in report.changes} == {Action.ADD, Action.DELETE}
        assert report.impact is Impact.LOSES_DATA
        assert "left behind" in report.notes[0]

    def test_condition(self):
        """A resource whose condition does not hold is not there."""

        def template(wanted):
            return {
                "Parameters": {"Wanted": {"Type": "String", "Default": wanted}},
                "Conditions": {"IsWanted": {"Fn::Equals": [{"Ref": "Wanted"}, "yes"]}},
                "Resources": {"Bucket": {"Type": "AWS::S3::Bucket", "Condition": "IsWanted"}},
            }

        found = changes(side_of(("s", template("yes"))), side_of(("s", template("no"))))

        assert found["Bucket"].impact is Impact.LOSES_DATA

    def test_another_type(self):
        """A resource of another type under the same logical id is refused."""
        old = {"A": {"Type": "AWS::SNS::Topic", "Properties": {}}}
        new = {"A": {"Type": "AWS::SQS::Queue", "Properties": {}}}

        (change,) = compare(side_of(("s", old)), side_of(("s", new))).changes

        assert "changes no resource's type, here from AWS::SNS::Topic to AWS::SQS::Queue" in change.refused[0]

    def test_policy(self, pair):
        """A policy that no longer retains lets its data go with whatever comes next, so the guard stops it."""
        logical_id, _ = only(pair[1], STORAGE, "AWS::FSx::FileSystem")
        pair[1].stacks[STORAGE].template["Resources"][logical_id]["DeletionPolicy"] = "Delete"

        (change,) = compare(*pair).changes

        assert change.impact is Impact.LOSES_DATA
        assert change.properties[0].reason == "from now on, its files go with the resource"
        assert compare(*pair).ways == ()


class TestTags:
    def test_of_the_stack(self, pair):
        """A stack's tags are handed on to what can carry them, in place."""
        stacks = dict(pair[1].stacks)
        stacks[STORAGE] = dataclasses.replace(stacks[STORAGE], tags={**stacks[STORAGE].tags, "team": "other"})
        found = compare(pair[0], dataclasses.replace(pair[1], stacks=stacks)).changes

        assert {change.impact for change in found} == {Impact.IN_PLACE}
        assert "AWS::FSx::FileSystem" in {change.type for change in found}
        assert "AWS::S3::BucketPolicy" not in {change.type for change in found}

    def test_that_can_not_change(self, pair):
        """Of a placement group, whose tags can't change, they make another one."""
        stacks = dict(pair[1].stacks)
        stacks[NODES] = dataclasses.replace(stacks[NODES], tags={"team": "other"})

        found = changes(pair[0], dataclasses.replace(pair[1], stacks=stacks))

        assert found["PlacementGroup"].action is Action.REPLACE


class TestByHand:
    @pytest.mark.parametrize("resources", [[], "nothing", None])
    def test_no_resources(self, resources):
        """A template without resources is said to be none."""
        new = side_of(("s", {"Resources": resources}))

        assert compare(side_of(), new).notes == (
            "the new template of s has no resources: it was edited by hand, or is none",
        )

    def test_odd_members(self):
        """Members that are no resources are passed over; the others are compared."""
        old = {"Bad": "text", "Topic": {"Type": "AWS::SNS::Topic"}, "None": {"Properties": {}}}
        new = {"Bad": 7, "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "a"}}}

        found = {
            change.logical_id: change.impact for change in compare(side_of(("s", old)), side_of(("s", new))).changes
        }

        assert found == {"Topic": Impact.IN_PLACE, "None": Impact.UNKNOWN}

    def test_odd_properties(self):
        """Properties that are no object are a difference of which nothing is known."""
        old, new = ({"T": {"Type": "AWS::SNS::Topic", "Properties": value}} for value in ([], {"DisplayName": "a"}))

        (change,) = compare(side_of(("s", old)), side_of(("s", new))).changes

        assert change.impact is Impact.UNKNOWN

    def test_transform(self):
        """What a transform makes is not known, and said."""
        new = side_of(("s", {"Transform": "AWS::Serverless-2016-10-31", "Resources": {}}))

        assert "is transformed by AWS::Serverless-2016-10-31" in compare(side_of(), new).notes[0]


class TestLists:
    def test_what_differs(self):
        """Of a list that has more members, only those that come and go are shown."""

        def resources(*ids):
            return {"Endpoint": {"Type": "AWS::EC2::VPCEndpoint", "Properties": {"RouteTableIds": list(ids)}}}

        old, new = side_of(("s", resources("a", "b", "c"))), side_of(("s", resources("a", "d")))
        (row,) = changes(old, new)["VPCEndpoint"].properties

        assert (row.before, row.after) == ('["b", "c"]', '["d"]')

    def test_order(self):
        """One that only has a member twice is shown whole."""

        def resources(*ids):
            return {"Endpoint": {"Type": "AWS::EC2::VPCEndpoint", "Properties": {"RouteTableIds": list(ids)}}}

        (row,) = changes(side_of(("s", resources("a"))), side_of(("s", resources("a", "a"))))["VPCEndpoint"].properties

        assert (row.before, row.after) == ('["a"]', '["a", "a"]')
