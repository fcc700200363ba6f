"""Nested stacks through CloudFormation's API: made, changed, led back and removed with the stacks that hold them."""

import json

import pytest
from botocore.exceptions import ClientError

BUCKET = "https://assets.s3.us-west-2.amazonaws.com"
FIRST = {"Resources": {"A": {"Type": "Custom::Thing"}}, "Outputs": {"Name": {"Value": "inner"}}}
INNER = {"A": {"Size": {"Ref": "Size"}}, "Old": {}}


@pytest.fixture
def put(aws, body):
    """Puts a template of things, with a parameter ``Size``, into the bucket, and gives its address."""
    s3 = aws.transport.client("s3", "123456789012", "us-west-2")
    s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})

    def write(name="inner", text=None, **things: object) -> str:
        sections = {
            "Parameters": {
                "Size": {"Type": "Number", "Default": 1},
                "Names": {"Type": "CommaDelimitedList", "Default": ""},
            },
            "Outputs": {"Thing": {"Value": {"Ref": "A"}}, "Size": {"Value": {"Ref": "Size"}}},
        }
        s3.put_object(Bucket="assets", Key=name, Body=(text or body(sections, **(things or INNER))).encode())
        return f"{BUCKET}/{name}"

    return write


@pytest.fixture
def outer():
    """Writes a template with the nested stack ``Inner`` and, behind it, the thing ``Behind``."""

    def write(url, behind=None, **properties: object) -> str:
        inner = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url, **properties}}
        after = {
            "Type": "Custom::Thing",
            "Properties": {"Size": {"Fn::GetAtt": ["Inner", "Outputs.Size"]}, **(behind or {})},
        }
        return json.dumps({"Resources": {"Inner": inner, "Behind": after}})

    return write


@pytest.fixture
def one(cloudformation):
    """Gives a stack."""
    return lambda name: cloudformation.describe_stacks(StackName=name)["Stacks"][0]


@pytest.fixture
def inner(cloudformation, one):
    """Gives the nested stack of ``main``."""

    def of():
        resource = cloudformation.describe_stack_resource(StackName="main", LogicalResourceId="Inner")
        return one(resource["StackResourceDetail"]["PhysicalResourceId"])

    return of


@pytest.fixture
def statuses(cloudformation):
    """Gives the statuses that a stack went through, oldest first."""

    def of(stack_id) -> list[str]:
        events = cloudformation.describe_stack_events(StackName=stack_id)["StackEvents"]
        return [event["ResourceStatus"] for event in reversed(events) if event["PhysicalResourceId"] == stack_id]

    return of


@pytest.fixture
def reasons(cloudformation):
    """Gives the reasons of the failures in the history of ``main``, oldest first."""

    def of() -> list[str]:
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        return [one["ResourceStatusReason"] for one in reversed(events) if one["ResourceStatus"].endswith("_FAILED")]

    return of


class TestCreation:
    def test_made_within_its_parent(self, cloudformation, put, outer, one, inner):
        """Parameters and tags go down, outputs come up, and each stack knows the other."""
        cloudformation.create_stack(
            StackName="main",
            TemplateBody=outer(put(), Parameters={"Size": 3, "Names": ["a", "b"]}, Tags=[{"Key": "own", "Value": "x"}]),
            Tags=[{"Key": "team", "Value": "ml"}],
        )
        main, child = one("main"), inner()

        assert (main["StackStatus"], child["StackStatus"]) == ("CREATE_COMPLETE", "CREATE_COMPLETE")
        assert child["StackName"].startswith("main-Inner-")
        assert (child["ParentId"], child["RootId"]) == (main["StackId"], main["StackId"])
        assert {row["ParameterKey"]: row["ParameterValue"] for row in child["Parameters"]} == {
            "Size": "3",
            "Names": "a,b",
        }
        assert {tag["Key"]: tag["Value"] for tag in child["Tags"]} == {"team": "ml", "own": "x"}
        assert "RootId" not in main
        listed = cloudformation.list_stacks()["StackSummaries"]
        assert {row["StackName"]: row.get("ParentId") for row in listed}[child["StackName"]] == main["StackId"]

    def test_two_levels(self, cloudformation, put, outer, one, inner):
        """A nested stack may have nested stacks; all have one root."""
        middle = json.loads(outer(put()))
        middle["Outputs"] = {"Size": {"Value": "1"}}
        cloudformation.create_stack(StackName="main", TemplateBody=outer(put("middle", json.dumps(middle))))

        (deepest,) = (
            row for row in cloudformation.describe_stacks()["Stacks"] if row.get("ParentId") == inner()["StackId"]
        )
        assert deepest["RootId"] == one("main")["StackId"]

    def test_failure(self, cloudformation, put, outer, one, reasons, statuses):
        """What fails inside fails the parent in CloudFormation's words, and everything goes."""
        cloudformation.create_stack(StackName="main", TemplateBody=outer(put(A={"Refuse": True})))

        assert one("main")["StackStatus"] == "ROLLBACK_COMPLETE"
        words = reasons()[0]
        child = words.split()[2]
        assert words == (
            f"Embedded stack {child} was not successfully created: The following resource(s) failed to create: [A]. "
        )
        assert statuses(child) == ["CREATE_IN_PROGRESS", "CREATE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"]

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("{}", "Template format error: At least one Resources member must be defined."),
            (json.dumps({"Resources": {"R": {"Type": "AWS::IAM::Role"}}}), "Requires capabilities : [CAPABILITY_IAM]"),
        ],
    )
    def test_refused_template(self, cloudformation, put, outer, reasons, text, says):
        """A nested template that is refused fails the resource with the refusal."""
        cloudformation.create_stack(StackName="main", TemplateBody=outer(put(text=text)))

        assert reasons()[0] == says

    def test_without_a_template(self, cloudformation, reasons):
        """A nested stack needs the address of a template that can be read."""
        resources = {"Inner": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": f"{BUCKET}/none"}}}
        cloudformation.create_stack(StackName="main", TemplateBody=json.dumps({"Resources": resources}))

        assert reasons()[0].startswith("S3 error: ")

    def test_largest_tree(self, cloudformation, put, reasons):
        """All stacks of a tree have up to 2,500 resources together."""
        many = {"Resources": {f"T{number}": {"Type": "Custom::Thing"} for number in range(500)}}
        url = put(text=json.dumps(many))
        nested = {
            f"N{number}": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
            for number in range(5)
        }
        cloudformation.create_stack(StackName="main", TemplateBody=json.dumps({"Resources": nested}))

        assert "Number of resources in nested stacks, 2505, is greater than maximum allowed, 2500" in reasons()


class TestReview:
    """Nested stacks that are still to be made, in change sets that include them."""

    @pytest.fixture
    def propose(self, cloudformation, put, outer):
        """Makes a change set of ``main`` and gives it and that of the nested stack."""

        def make(kind="CREATE", name="cs", **properties: object) -> tuple[dict, dict]:
            made = cloudformation.create_change_set(
                StackName="main",
                ChangeSetName=name,
                ChangeSetType=kind,
                TemplateBody=outer(put(), **properties),
                IncludeNestedStacks=True,
            )
            root = cloudformation.describe_change_set(ChangeSetName=made["Id"])
            changes = {row["ResourceChange"]["LogicalResourceId"]: row["ResourceChange"] for row in root["Changes"]}
            return root, cloudformation.describe_change_set(ChangeSetName=changes["Inner"]["ChangeSetId"])

        return make

    @pytest.fixture
    def plain(self, cloudformation, body):
        """The stack ``main`` without a nested one."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(Behind={"Size": "1"}))

    def test_made_when_it_is_executed(self, cloudformation, propose, one, inner, statuses):
        """A new nested stack waits in review with a change set of its own, and is the one that is then made."""
        root, nested = propose()
        waiting = one(nested["StackId"])
        assert (waiting["StackStatus"], waiting["ParentId"]) == ("REVIEW_IN_PROGRESS", root["StackId"])
        assert [row["ResourceChange"]["Action"] for row in nested["Changes"]] == ["Add", "Add"]

        cloudformation.execute_change_set(ChangeSetName=root["ChangeSetId"])

        assert inner()["StackId"] == nested["StackId"]
        assert one("main")["StackStatus"] == "CREATE_COMPLETE"
        assert statuses(nested["StackId"]) == ["REVIEW_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
        assert cloudformation.list_change_sets(StackName=nested["StackId"])["Summaries"] == []

    def test_goes_with_its_parent(self, cloudformation, propose, one):
        """A stack in review that is deleted takes the nested ones with it, as ``cdk diff`` of a new stack does."""
        root, nested = propose()
        cloudformation.delete_change_set(ChangeSetName=root["ChangeSetId"])
        cloudformation.delete_stack(StackName="main")

        assert one(nested["StackId"])["StackStatus"] == "DELETE_COMPLETE"
        assert cloudformation.describe_stacks()["Stacks"] == []

    def test_deleted_without_its_change_set(self, cloudformation, propose, one):
        """The parent may be deleted with its change sets."""
        _, nested = propose()
        cloudformation.delete_stack(StackName="main")

        assert one(nested["StackId"])["StackStatus"] == "DELETE_COMPLETE"

    @pytest.mark.usefixtures("plain")
    def test_goes_with_its_last_change_set(self, cloudformation, propose, one):
        """It waits as long as one change set wants it."""
        (first, nested), (second, again) = propose("UPDATE", "first"), propose("UPDATE", "second")
        assert again["StackId"] == nested["StackId"]

        cloudformation.delete_change_set(ChangeSetName=first["ChangeSetId"])
        assert one(nested["StackId"])["StackStatus"] == "REVIEW_IN_PROGRESS"
        cloudformation.delete_change_set(ChangeSetName=second["ChangeSetId"])

        assert one(nested["StackId"])["StackStatus"] == "DELETE_COMPLETE"
        assert one("main")["StackStatus"] == "CREATE_COMPLETE"

    @pytest.mark.usefixtures("plain")
    def test_one_of_two_is_executed(self, cloudformation, propose, inner):
        """The change set that is executed makes it, whatever the other one wanted."""
        (_, nested), (second, _) = propose("UPDATE", "first"), propose("UPDATE", "second")
        cloudformation.execute_change_set(ChangeSetName=second["ChangeSetId"])

        assert (inner()["StackId"], inner()["StackStatus"]) == (nested["StackId"], "CREATE_COMPLETE")

    @pytest.mark.usefixtures("plain")
    def test_template_is_refused(self, cloudformation, put, outer):
        """A nested template that is refused fails both change sets, and the stack is as it was."""
        made = cloudformation.create_change_set(
            StackName="main", ChangeSetName="cs", TemplateBody=outer(put("bad", "{}")), IncludeNestedStacks=True
        )
        found = cloudformation.describe_change_set(ChangeSetName=made["Id"])

        assert found["Status"] == "FAILED"
        assert "was not successfully created: Currently in FAILED." in found["StatusReason"]

    def test_hangs_on_what_is_known_later(self, cloudformation, put):
        """Where nobody can know its template yet, it has no change set and is made when its time comes."""
        url = {"Fn::Join": ["", [put()[:-5], {"Fn::GetAtt": ["First", "Outputs.Name"]}]]}
        first = {
            "Type": "AWS::CloudFormation::Stack",
            "Properties": {"TemplateURL": put("first", json.dumps(FIRST))},
        }
        inner = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
        made = cloudformation.create_change_set(
            StackName="main",
            ChangeSetName="cs",
            ChangeSetType="CREATE",
            TemplateBody=json.dumps({"Resources": {"First": first, "Inner": inner}}),
            IncludeNestedStacks=True,
        )
        found = cloudformation.describe_change_set(ChangeSetName=made["Id"])
        told = {row["ResourceChange"]["LogicalResourceId"]: row["ResourceChange"] for row in found["Changes"]}
        cloudformation.execute_change_set(ChangeSetName=made["Id"])

        assert ("ChangeSetId" in told["First"], "ChangeSetId" in told["Inner"]) == (True, False)
        assert {stack["StackStatus"] for stack in cloudformation.describe_stacks()["Stacks"]} == {"CREATE_COMPLETE"}


class TestUpdate:
    @pytest.fixture(autouse=True)
    def _stack(self, cloudformation, put, outer):
        cloudformation.create_stack(StackName="main", TemplateBody=outer(put()))

    def test_changed_with_its_parent(self, cloudformation, put, outer, one, inner, statuses):
        """A change goes down and its outputs come up; what it leaves out goes when all is done."""
        cloudformation.update_stack(
            StackName="main", TemplateBody=outer(put("next", A={"Size": {"Ref": "Size"}}), Parameters={"Size": 2})
        )

        assert one("main")["StackStatus"] == "UPDATE_COMPLETE"
        assert statuses(inner()["StackId"])[-3:] == [
            "UPDATE_IN_PROGRESS",
            "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_COMPLETE",
        ]
        behind = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        assert '{"Size": "2"}' in {event.get("ResourceProperties") for event in behind}

    def test_failure_inside(self, cloudformation, put, outer, one, inner, reasons, statuses):
        """A nested stack whose update fails leads itself back, and its parent follows."""
        cloudformation.update_stack(StackName="main", TemplateBody=outer(put("next", A={"Refuse": True}, Old={})))

        child = inner()["StackId"]
        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        (words,) = reasons()
        assert words == (
            f"Embedded stack {child} was not successfully updated. Currently in UPDATE_ROLLBACK_IN_PROGRESS "
            "with reason: The following resource(s) failed to update: [A]. "
        )
        assert statuses(child)[-1] == "UPDATE_ROLLBACK_COMPLETE"

    def test_failure_beside(self, cloudformation, put, outer, one, inner, statuses):
        """When something else fails, the nested stack is led back too: what it left out is still there."""
        before = {
            row["LogicalResourceId"]: row["PhysicalResourceId"]
            for row in cloudformation.describe_stack_resources(StackName=inner()["StackId"])["StackResources"]
        }
        cloudformation.update_stack(
            StackName="main",
            TemplateBody=outer(put("next", A={"Size": 5}), behind={"Refuse": True}, Parameters={"Size": 5}),
        )

        child = inner()
        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert statuses(child["StackId"])[-5:] == [
            "UPDATE_IN_PROGRESS",
            "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_ROLLBACK_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE",
        ]
        after = cloudformation.describe_stack_resources(StackName=child["StackId"])["StackResources"]
        assert {row["LogicalResourceId"]: row["PhysicalResourceId"] for row in after} == before
        assert {row["OutputKey"]: row["OutputValue"] for row in child["Outputs"]}["Size"] == "1"

    def test_unchanged(self, cloudformation, put, outer, inner, statuses):
        """A nested stack of which nothing changes is not touched."""
        cloudformation.update_stack(StackName="main", TemplateBody=outer(put(), behind={"Note": "new"}), Tags=[])

        assert statuses(inner()["StackId"]) == ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"]

    def test_taken_out(self, cloudformation, body, one, inner):
        """A nested stack that leaves its parent's template goes with everything in it."""
        child = inner()["StackId"]

        cloudformation.update_stack(StackName="main", TemplateBody=body(Behind={"Size": "1"}))

        assert (one("main")["StackStatus"], one(child)["StackStatus"]) == ("UPDATE_COMPLETE", "DELETE_COMPLETE")

    def test_nested_change_set(self, cloudformation, put, outer, inner):
        """The changes inside are told by change sets of their own, which go with the root's."""
        made = cloudformation.create_change_set(
            StackName="main",
            ChangeSetName="cs",
            TemplateBody=outer(put("next", A={"Size": 9}), Parameters={"Size": 9}),
            IncludeNestedStacks=True,
        )
        root = cloudformation.describe_change_set(ChangeSetName=made["Id"])
        change = root["Changes"][0]["ResourceChange"]
        nested = cloudformation.describe_change_set(ChangeSetName=change["ChangeSetId"])

        assert root["IncludeNestedStacks"] is True
        assert (nested["ParentChangeSetId"], nested["RootChangeSetId"]) == (made["Id"], made["Id"])
        assert nested["StackId"] == inner()["StackId"]
        told = {
            (one["ResourceChange"]["Action"], one["ResourceChange"]["LogicalResourceId"]) for one in nested["Changes"]
        }
        assert told == {("Modify", "A"), ("Remove", "Old")}
        for call in (cloudformation.execute_change_set, cloudformation.delete_change_set):
            with pytest.raises(ClientError, match=r"is nested and is .* with its root"):
                call(ChangeSetName=nested["ChangeSetId"])
        cloudformation.delete_change_set(ChangeSetName=made["Id"])
        with pytest.raises(cloudformation.exceptions.ChangeSetNotFoundException):
            cloudformation.describe_change_set(ChangeSetName=nested["ChangeSetId"])

    def test_failing_change_set(self, cloudformation, put, outer):
        """A nested template that is refused fails the change sets of both."""
        made = cloudformation.create_change_set(
            StackName="main", ChangeSetName="cs", TemplateBody=outer(put("next", "{}")), IncludeNestedStacks=True
        )
        root = cloudformation.describe_change_set(ChangeSetName=made["Id"])
        nested = cloudformation.describe_change_set(ChangeSetName=root["Changes"][0]["ResourceChange"]["ChangeSetId"])

        assert root["Status"] == nested["Status"] == "FAILED"
        assert root["StatusReason"] == (
            f"Nested change set {nested['ChangeSetId']} was not successfully created: Currently in FAILED."
        )
        assert nested["StatusReason"] == "Template format error: At least one Resources member must be defined."

    def test_change_set(self, cloudformation, put, outer, one, inner):
        """The CDK CLI asks for the nested stacks' changes with every change set; executing it changes them."""
        made = cloudformation.create_change_set(
            StackName="main",
            ChangeSetName="cs",
            TemplateBody=outer(put("next", A={"Size": 9})),
            IncludeNestedStacks=True,
        )
        told = cloudformation.describe_change_set(ChangeSetName=made["Id"])["Changes"]
        cloudformation.execute_change_set(ChangeSetName=made["Id"])

        assert [change["ResourceChange"]["LogicalResourceId"] for change in told] == ["Inner", "Behind"]
        assert inner()["StackStatus"] == one("main")["StackStatus"] == "UPDATE_COMPLETE"


class TestDeletion:
    @pytest.fixture(autouse=True)
    def _stack(self, cloudformation, put, outer):
        cloudformation.create_stack(StackName="main", TemplateBody=outer(put()), EnableTerminationProtection=True)

    def test_goes_with_its_parent(self, cloudformation, one, inner):
        """A nested stack is deleted with its parent."""
        main, child = one("main")["StackId"], inner()["StackId"]
        cloudformation.update_termination_protection(StackName="main", EnableTerminationProtection=False)

        cloudformation.delete_stack(StackName="main")

        assert (one(main)["StackStatus"], one(child)["StackStatus"]) == ("DELETE_COMPLETE", "DELETE_COMPLETE")

    def test_protection_of_the_root(self, cloudformation, inner):
        """The root's protection holds for the nested stack, which has none of its own."""
        child = inner()

        assert child["EnableTerminationProtection"] is True
        with pytest.raises(ClientError, match="cannot be deleted while TerminationProtection is enabled"):
            cloudformation.delete_stack(StackName=child["StackId"])
        with pytest.raises(ClientError, match=r"is nested and has the termination protection of its root"):
            cloudformation.update_termination_protection(StackName=child["StackId"], EnableTerminationProtection=False)

    @pytest.mark.parametrize("call", ["cancel_update_stack", "continue_update_rollback", "rollback_stack"])
    def test_ways_back_begin_at_the_root(self, cloudformation, inner, call):
        """A nested stack is led back with its root, not by itself."""
        child = inner()

        with pytest.raises(ClientError, match=r"RollbackUpdatedStack cannot be invoked on child stacks$"):
            getattr(cloudformation, call)(StackName=child["StackId"])
