"""Custom resources whose providers have stand-ins, through CloudFormation's API."""

import re

import pytest

from rehearsal.application import Rehearsal
from rehearsal.handlers import handlers_with

PROVIDER = "arn:aws:lambda:us-west-2:123456789012:function:demo-Provider-ABC"


class Provider:
    """A stand-in that keeps the events that it gets; each value of ``Place`` is a thing of its own."""

    def __init__(self) -> None:
        self.events, self.says = [], {}

    def __call__(self, event, scope):
        self.events.append(event)
        given = event["ResourceProperties"]
        if given.get("Silent"):
            return None
        return {
            "PhysicalResourceId": f"thing-{given.get('Place', 'here')}",
            "Data": {"Region": scope.region, "Words": given.get("Words", "")},
            **self.says,
        }

    def requests(self) -> list[tuple[str, str | None]]:
        """Gives what was asked for: the kind of each request and the id that came with it."""
        return [(event["RequestType"], event.get("PhysicalResourceId")) for event in self.events]


@pytest.fixture
def stand_ins():
    return {"Custom::Thing": Provider()}


@pytest.fixture
def provider(stand_ins):
    return stand_ins["Custom::Thing"]


@pytest.fixture
def aws(stand_ins):
    """An empty AWS with the stand-ins."""
    made = Rehearsal(handler_for=handlers_with(stand_ins), overlay_for=lambda _: None)
    made.reset()
    return made


@pytest.fixture
def deploy(cloudformation, body):
    """Creates or updates the stack ``main`` of one thing, and gives its status."""

    def run(**properties: object) -> str:
        there = cloudformation.describe_stacks()["Stacks"]
        act = cloudformation.update_stack if there else cloudformation.create_stack
        outputs = {"Outputs": {"Words": {"Value": {"Fn::GetAtt": ["A", "Words"]}}}}
        act(StackName="main", TemplateBody=body(outputs, A={"ServiceToken": PROVIDER, **properties}))
        return cloudformation.describe_stacks(StackName="main")["Stacks"][0]["StackStatus"]

    return run


@pytest.fixture
def failure(cloudformation):
    """Gives the reason for which the thing failed first."""

    def of() -> str:
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        failed = [one for one in events if one["ResourceStatus"].endswith("_FAILED") and "Arn" not in one]
        return failed[-1]["ResourceStatusReason"]

    return of


class TestAnswers:
    def test_id_and_attributes(self, cloudformation, deploy, provider):
        """The answer gives ``Ref`` and ``Fn::GetAtt``; scalars reach the provider as texts."""
        assert deploy(Words="hello", Number=8, Flag=True) == "CREATE_COMPLETE"

        (stack,) = cloudformation.describe_stacks(StackName="main")["Stacks"]
        assert stack["Outputs"] == [{"OutputKey": "Words", "OutputValue": "hello"}]
        asked = provider.events[0]["ResourceProperties"]
        assert asked == {"ServiceToken": PROVIDER, "Words": "hello", "Number": "8", "Flag": "true"}

    def test_by_the_function(self, stand_ins, provider, deploy):
        """A stand-in may be found by the name of the function, of which a part may be anything."""
        stand_ins["demo-Provider-*"] = stand_ins.pop("Custom::Thing")

        assert deploy() == "CREATE_COMPLETE"
        assert provider.requests() == [("Create", None)]

    def test_update_in_place(self, deploy, provider):
        """An answer with the same id leaves the resource what it is; it gets the old properties too."""
        deploy(Words="a")

        assert deploy(Words="b") == "UPDATE_COMPLETE"
        assert provider.requests() == [("Create", None), ("Update", "thing-here")]
        assert provider.events[1]["OldResourceProperties"]["Words"] == "a"

    @pytest.mark.parametrize(
        ("says", "reason"),
        [
            ({"Status": "FAILED", "Reason": "no room"}, r"^Received response status \[FAILED\] from custom resource\."),
            ({"PhysicalResourceId": ""}, "^Invalid PhysicalResourceId$"),
            ({"Data": {"Words": "x" * 4_096}}, r"^Response object is too long\.$"),
        ],
    )
    def test_failures(self, deploy, provider, failure, says, reason):
        """What CloudFormation does not take for an answer fails the resource, in CloudFormation's words alone."""
        provider.says = says

        assert deploy().startswith("ROLLBACK_")
        assert re.search(reason, failure())

    def test_no_answer(self, deploy, failure):
        """A provider that never answers fails the resource."""
        assert deploy(Silent=True).startswith("ROLLBACK_")
        assert failure().startswith("CloudFormation did not receive a response from your Custom Resource.")


class TestReplacement:
    def test_old_one_goes_in_the_cleanup(self, cloudformation, deploy, provider):
        """An answer with another id replaces the resource; the old one is deleted when the update is done."""
        deploy(Place="east")

        assert deploy(Place="west", Words="new") == "UPDATE_COMPLETE"
        assert provider.requests()[1:] == [("Update", "thing-east"), ("Delete", "thing-east")]
        assert provider.events[-1]["ResourceProperties"]["Place"] == "east"
        resource = cloudformation.describe_stack_resources(StackName="main")["StackResources"][0]
        assert resource["PhysicalResourceId"] == "thing-west"

    def test_failing_update_keeps_the_old_one(self, cloudformation, body, deploy, provider):
        """When another resource fails, the new one goes and the old one is what it was."""
        deploy(Place="east")
        broken = {"ServiceToken": PROVIDER, "Silent": True, "After": {"Ref": "A"}}

        cloudformation.update_stack(
            StackName="main", TemplateBody=body(A={"ServiceToken": PROVIDER, "Place": "west"}, B=broken)
        )

        (stack,) = cloudformation.describe_stacks(StackName="main")["Stacks"]
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert ("Delete", "thing-west") in provider.requests()
        assert ("Delete", "thing-east") not in provider.requests()
        resources = cloudformation.describe_stack_resources(StackName="main")["StackResources"]
        assert [one["PhysicalResourceId"] for one in resources] == ["thing-east"]


class TestRefused:
    @pytest.mark.parametrize("seconds", [0, 3_601, "soon", 1.5])
    def test_service_timeout(self, deploy, failure, seconds):
        """A provider may be given a second to an hour."""
        assert deploy(ServiceTimeout=seconds) == "ROLLBACK_COMPLETE"
        assert f"ServiceTimeout must be an integer from 1 to 3600, not {seconds}" in failure()

    def test_service_token_stays(self, deploy, failure):
        """The provider of a resource can't be changed."""
        deploy()

        assert deploy(ServiceToken=f"{PROVIDER}-other") == "UPDATE_ROLLBACK_COMPLETE"
        assert "Modifying service token is not allowed." in failure()

    def test_topic_without_a_stand_in(self, stand_ins, deploy, failure):
        """A provider behind a topic is not modelled, and the refusal says what to do."""
        stand_ins.clear()

        assert deploy(ServiceToken="arn:aws:sns:us-west-2:123456789012:topic") == "ROLLBACK_COMPLETE"
        assert failure().startswith("The rehearsal does not model Custom::Thing behind arn:aws:sns:")
        assert 'embedded(stand_ins={"Custom::Thing": ...})' in failure()
