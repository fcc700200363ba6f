"""What a deletion leaves in the account, of a stack whose deletion has failed alone."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.application import Rehearsal
from rehearsal.handlers.base import ResourceError
from tests.rehearsal.api.conftest import CustomThings


class KeptThings(CustomThings):
    """Things of which some can't be deleted.

    Attributes:
        kept: The logical ids of those that are there.
        held: Those that can't be deleted now.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kept, self.held = [], set()

    def create(self, scope, resource):
        super().create(scope, resource)
        self.kept.append(resource.logical_id)

    def delete(self, _, resource):
        if resource.logical_id in self.held:
            raise ResourceError("DependencyViolation", f"{resource.logical_id} is in use")
        self.kept.remove(resource.logical_id)


@pytest.fixture(scope="module")
def services():
    things = KeptThings()
    return Rehearsal(
        handler_for=lambda name: things if name.startswith("Custom::") else None, overlay_for=lambda _: None
    )


@pytest.fixture
def things(services):
    services.reset()
    things = services.engine.handler_for("Custom::Thing")
    things.kept.clear()
    things.held = {"A", "B"}
    return things


@pytest.fixture
def cloudformation(services, things):  # noqa: ARG001 - an empty AWS
    return services.transport.client("cloudformation", "123456789012", "us-west-2")


@pytest.fixture
def arn(cloudformation, body):
    """The ARN of a stack of three things, of which two can't be deleted."""
    made = cloudformation.create_stack(StackName="main", TemplateBody=body(A={}, B={}, C={}))
    return made["StackId"]


@pytest.fixture
def failed(cloudformation, arn):
    """The ARN of the stack, whose deletion has failed."""
    cloudformation.delete_stack(StackName="main")
    return arn


@pytest.fixture
def one(cloudformation):
    return lambda name: cloudformation.describe_stacks(StackName=name)["Stacks"][0]


class TestRetainResources:
    def test_all_that_is_left(self, cloudformation, one, failed, things):
        """What can't be deleted may be left in the account, and the stack is gone."""
        assert (one("main")["StackStatus"], one("main")["StackStatusReason"]) == (
            "DELETE_FAILED",
            "The following resource(s) failed to delete: [B, A]. ",
        )
        cloudformation.delete_stack(StackName="main", RetainResources=["A", "B"])

        assert (one(failed)["StackStatus"], sorted(things.kept)) == ("DELETE_COMPLETE", ["A", "B"])
        events = cloudformation.describe_stack_events(StackName=failed)["StackEvents"]
        assert ("A", "DELETE_SKIPPED") in {(row["LogicalResourceId"], row["ResourceStatus"]) for row in events}

    def test_some_of_it(self, cloudformation, one, failed, things):
        """What is not named is deleted, or fails again."""
        things.held = {"A", "B"}
        cloudformation.delete_stack(StackName="main", RetainResources=["A"])
        assert one(failed)["StackStatus"] == "DELETE_FAILED"
        things.held = {"A"}
        cloudformation.delete_stack(StackName="main", RetainResources=["A"])

        assert (one(failed)["StackStatus"], things.kept) == ("DELETE_COMPLETE", ["A"])

    @pytest.mark.parametrize("name", ["C", "Nobody"])
    def test_what_is_not_there(self, cloudformation, one, failed, name):
        """What is deleted already, or was never there, can't be left."""
        with pytest.raises(
            ClientError,
            match=r"ValidationError.*The specified resources to retain must be in a valid state. "
            r"Do not specify resources that are in the DELETE_COMPLETE state.$",
        ):
            cloudformation.delete_stack(StackName="main", RetainResources=["A", name])

        assert one(failed)["StackStatus"] == "DELETE_FAILED"

    def test_before_a_failure(self, cloudformation, one, arn):
        """Nothing is left by a stack whose deletion has not failed."""
        with pytest.raises(
            ClientError, match=rf"ValidationError.*Invalid operation on stack \[{arn}\]. When you delete"
        ):
            cloudformation.delete_stack(StackName="main", RetainResources=["A"])

        assert one(arn)["StackStatus"] == "CREATE_COMPLETE"


class TestForceDeleteStack:
    def test_forced(self, cloudformation, one, failed, things):
        """A forced deletion leaves whatever can't be deleted."""
        things.held = {"A"}
        cloudformation.delete_stack(StackName="main", DeletionMode="FORCE_DELETE_STACK")

        assert (one(failed)["StackStatus"], things.kept) == ("DELETE_COMPLETE", ["A"])

    def test_before_a_failure(self, cloudformation, one, arn):
        """A deletion that has not failed is not forced."""
        with pytest.raises(
            ClientError, match=rf"ValidationError.*stack \[{arn}\]. You can activate DeletionMode FORCE_DELETE_STACK"
        ):
            cloudformation.delete_stack(StackName="main", DeletionMode="FORCE_DELETE_STACK")

        assert one(arn)["StackStatus"] == "CREATE_COMPLETE"


class TestAfterAFailure:
    def test_no_update(self, cloudformation, body, failed):
        """A stack whose deletion has failed is deleted, and nothing else."""
        with pytest.raises(ClientError, match=rf"Stack:{failed} is in DELETE_FAILED state and can not be updated"):
            cloudformation.update_stack(StackName="main", TemplateBody=body(A={}))
