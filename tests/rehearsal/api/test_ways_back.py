"""The ways back that a person begins: RollbackStack, and ContinueUpdateRollback with what it leaves out."""

import json

import pytest
from botocore.exceptions import ClientError


@pytest.fixture
def one(cloudformation):
    return lambda name: cloudformation.describe_stacks(StackName=name)["Stacks"][0]


@pytest.fixture
def resources(cloudformation):
    """Gives the physical ids of a stack's resources by logical id."""

    def of(name) -> dict[str, str | None]:
        rows = cloudformation.describe_stack_resources(StackName=name)["StackResources"]
        return {row["LogicalResourceId"]: row.get("PhysicalResourceId") for row in rows}

    return of


class TestRollbackStack:
    def test_creation(self, cloudformation, body, one, resources):
        """A creation that was left as it failed is led back: what it had made is gone."""
        cloudformation.create_stack(
            StackName="main", TemplateBody=body(A={}, B={"Refuse": True, "X": {"Ref": "A"}}), DisableRollback=True
        )
        assert one("main")["StackStatus"] == "CREATE_FAILED"
        assert "A" in resources("main")

        cloudformation.rollback_stack(StackName="main")

        assert one("main")["StackStatus"] == "ROLLBACK_COMPLETE"
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        assert ("A", "DELETE_COMPLETE") in {(row["LogicalResourceId"], row["ResourceStatus"]) for row in events}

    def test_update(self, cloudformation, body, one):
        """An update that was left as it failed is led back to the old properties; the same call again does nothing."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}))
        changed = body(A={"X": 2}, B={"Refuse": True, "X": {"Ref": "A"}})
        cloudformation.update_stack(StackName="main", TemplateBody=changed, DisableRollback=True)

        cloudformation.rollback_stack(StackName="main", ClientRequestToken="t")
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]

        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        back = next(row for row in events if row["LogicalResourceId"] == "A")
        assert (back["ResourceStatus"], back["ResourceProperties"]) == ("UPDATE_COMPLETE", '{"X": 1}')

    def test_nothing_to_lead_back(self, cloudformation, body):
        """A stack that is well can't be rolled back."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))

        with pytest.raises(ClientError, match="is in CREATE_COMPLETE state and can not be rolled back"):
            cloudformation.rollback_stack(StackName="main")


class TestContinueUpdateRollback:
    @pytest.fixture(autouse=True)
    def _failed_way_back(self, cloudformation, body, stuck):
        """A stack whose way back has failed at ``A``, which can't be changed any more."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}, B={"Y": {"Ref": "A"}}))
        stuck.add("A")
        cloudformation.update_stack(StackName="main", TemplateBody=body(A={"X": 2}, B={"Y": {"Ref": "A"}}))

    def test_mended(self, cloudformation, one, stuck):
        """When what was in the way is mended, the way back goes on to its end."""
        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
        stuck.clear()

        cloudformation.continue_update_rollback(StackName="main")

        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"

    def test_still_stuck(self, cloudformation, one):
        """Without a mend it fails again."""
        cloudformation.continue_update_rollback(StackName="main")

        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_FAILED"

    @pytest.mark.parametrize("choice", [{"ResourcesToSkip": ["A"]}, {"ForceRollback": True}])
    def test_left_out(self, cloudformation, one, choice):
        """What fails may be left out, by name or whatever it is."""
        cloudformation.continue_update_rollback(StackName="main", **choice)

        assert one("main")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"

    @pytest.mark.parametrize(
        ("names", "says"),
        [
            (["A", "B"], "Only the resources failed during UpdateRollback are allowed to be skipped"),
            (["C"], "Resource [C] does not belong to stack main"),
            (["other.A"], "Stack [other] does not exist"),
        ],
    )
    def test_left_out_without_need(self, cloudformation, one, stuck, names, says):
        """Only what has failed may be left out: any other name fails the way back again, before anything is done."""
        stuck.clear()
        cloudformation.continue_update_rollback(StackName="main", ResourcesToSkip=names)

        assert (one("main")["StackStatus"], one("main")["StackStatusReason"]) == ("UPDATE_ROLLBACK_FAILED", says)
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        assert [row["ResourceStatus"] for row in events[:2]] == [
            "UPDATE_ROLLBACK_FAILED",
            "UPDATE_ROLLBACK_IN_PROGRESS",
        ]

    def test_well(self, cloudformation, body):
        """A stack that is well has no way back to continue."""
        cloudformation.create_stack(StackName="other", TemplateBody=body(A={}))

        with pytest.raises(ClientError, match="is in CREATE_COMPLETE state and can not be continued"):
            cloudformation.continue_update_rollback(StackName="other")


class TestNested:
    @pytest.fixture
    def child(self, aws, cloudformation, body, stuck):
        """The name of a nested stack whose way back has failed at ``A``, and with it that of ``main``."""
        s3 = aws.transport.client("s3", "123456789012", "us-west-2")
        s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})

        def outer(number) -> str:
            s3.put_object(Bucket="assets", Key=f"{number}", Body=body(A={"X": number}).encode())
            url = f"https://assets.s3.us-west-2.amazonaws.com/{number}"
            inner = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
            return json.dumps({"Resources": {"Inner": inner}})

        cloudformation.create_stack(StackName="main", TemplateBody=outer(1))
        stuck.add("A")
        cloudformation.update_stack(StackName="main", TemplateBody=outer(2))
        return next(row["StackName"] for row in cloudformation.describe_stacks()["Stacks"] if "ParentId" in row)

    def test_both_fail(self, one, child):
        """A nested stack that can't be led back fails the way back of its parent."""
        assert (one("main")["StackStatus"], one(child)["StackStatus"]) == ("UPDATE_ROLLBACK_FAILED",) * 2

    def test_mended(self, cloudformation, one, child, stuck):
        """The parent's continuation leads the nested stack back too."""
        stuck.clear()

        cloudformation.continue_update_rollback(StackName="main")

        assert (one("main")["StackStatus"], one(child)["StackStatus"]) == ("UPDATE_ROLLBACK_COMPLETE",) * 2

    def test_left_out(self, cloudformation, one, child):
        """A resource of a nested stack is named with its stack; the nested stack itself can't be left out."""
        cloudformation.continue_update_rollback(StackName="main", ResourcesToSkip=["Inner"])
        assert one("main")["StackStatusReason"] == "Nested stacks could not be skipped"

        cloudformation.continue_update_rollback(StackName="main", ResourcesToSkip=[f"{child}.A"])

        assert (one("main")["StackStatus"], one(child)["StackStatus"]) == ("UPDATE_ROLLBACK_COMPLETE",) * 2

    def test_forced(self, cloudformation, one, child):
        """A forced continuation leaves out whatever fails, at every depth."""
        cloudformation.continue_update_rollback(StackName="main", ForceRollback=True)

        assert (one("main")["StackStatus"], one(child)["StackStatus"]) == ("UPDATE_ROLLBACK_COMPLETE",) * 2
