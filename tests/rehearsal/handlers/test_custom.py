"""Custom resources that fail and that are replaced: what their providers are asked for, and what stays."""

import pytest

from rehearsal.embedded import embedded
from tests.rehearsal.faults.small import Small

PROVIDER = "arn:aws:lambda:us-east-2:123456789012:function:demo-Provider-ABC"


class Provider:
    """A stand-in that keeps the events that it gets; each value of ``Place`` is a thing of its own."""

    def __init__(self) -> None:
        self.events, self.fails = [], set()

    def __call__(self, event, _):
        self.events.append(event)
        place = event["ResourceProperties"].get("Place", "here")
        status = "FAILED" if (event["RequestType"], place) in self.fails else "SUCCESS"
        return {"PhysicalResourceId": f"thing-{place}", "Status": status, "Reason": "no room"}

    def requests(self) -> list[tuple[str, str | None]]:
        """Gives what was asked for: the kind of each request and the id that came with it."""
        return [(event["RequestType"], event.get("PhysicalResourceId")) for event in self.events]


@pytest.fixture(scope="module")
def provider():
    return Provider()


@pytest.fixture(scope="module")
def services_with_provider(provider):
    return embedded(stand_ins={"Custom::Thing": provider})


@pytest.fixture
def small(services_with_provider, provider):
    provider.events.clear()
    provider.fails.clear()
    return Small(services_with_provider)


def thing(place=None, policies=None, **properties):
    given = {"Place": place} if place else {}
    return {
        "Type": "Custom::Thing",
        "Properties": {"ServiceToken": PROVIDER, **given, **properties},
        **(policies or {}),
    }


RETAINED = {"UpdateReplacePolicy": "Retain"}


class TestReplaced:
    @pytest.mark.parametrize(
        ("policies", "requests"),
        [
            ({}, [("Update", "thing-east"), ("Delete", "thing-east")]),
            (
                {"UpdateReplacePolicy": "Delete", "DeletionPolicy": "Retain"},
                [("Update", "thing-east"), ("Delete", "thing-east")],
            ),
            (RETAINED, [("Update", "thing-east")]),
        ],
    )
    def test_policy_of_the_new_template(self, small, provider, policies, requests):
        """The old one stays if its UpdateReplacePolicy says so, which the template of the update gives."""
        small.create({"A": thing("east")})

        assert small.update({"A": thing("west", policies)}) == "UPDATE_COMPLETE"
        assert provider.requests()[1:] == requests
        assert small.ids() == {"A": "thing-west"}

    def test_policy_of_the_old_template(self, small, provider):
        """What the template of before said of it does not count."""
        small.create({"A": thing("east", RETAINED)})

        small.update({"A": thing("west")})

        assert provider.requests()[-1] == ("Delete", "thing-east")

    def test_skipped(self, small):
        """What stays leaves the stack by an event that says so."""
        small.create({"A": thing("east")})
        small.update({"A": thing("west", RETAINED)})

        skipped = [event.subject.physical_id for event in small.stack().events if event.status == "DELETE_SKIPPED"]
        assert skipped == ["thing-east"]

    def test_way_back(self, small, provider):
        """When another resource fails the old one is in its place again, and the new one goes whatever is retained."""
        small.create({"A": thing("east", RETAINED)})
        provider.fails.add(("Create", "nowhere"))

        small.update({"A": thing("west", RETAINED), "B": {**thing("nowhere"), "DependsOn": "A"}})

        assert small.status == "UPDATE_ROLLBACK_COMPLETE"
        assert small.ids() == {"A": "thing-east"}
        assert ("Delete", "thing-west") in provider.requests()
        assert ("Delete", "thing-east") not in provider.requests()


class TestFailed:
    def test_creation(self, small, provider):
        """A creation that fails is followed by the deletion of the id that came with the failure."""
        provider.fails.add(("Create", "east"))

        assert small.create({"A": thing("east")}) == "ROLLBACK_COMPLETE"
        assert provider.requests() == [("Create", None), ("Delete", "thing-east")]

    def test_creation_and_deletion(self, small, provider):
        """If that fails too, so does the way back."""
        provider.fails |= {("Create", "east"), ("Delete", "east")}

        assert small.create({"A": thing("east")}) == "ROLLBACK_FAILED"

    def test_change(self, small, provider):
        """A change that fails is changed back: the properties of before are asked for, beside those that failed."""
        small.create({"A": thing(Size=1)})
        provider.fails.add(("Update", "here"))

        assert small.update({"A": thing(Size=2)}) == "UPDATE_ROLLBACK_FAILED"
        provider.fails.clear()
        small.client("cloudformation").continue_update_rollback(StackName="small")

        assert small.status == "UPDATE_ROLLBACK_COMPLETE"
        asked = [
            (event["OldResourceProperties"]["Size"], event["ResourceProperties"]["Size"])
            for event in provider.events
            if event["RequestType"] == "Update"
        ]
        assert (asked[0], asked[1], asked[-1][1]) == (("1", "2"), ("2", "1"), "1")
        assert small.stack().resources["A"].properties["Size"] == 1


class TestLeaving:
    @pytest.mark.parametrize(
        ("policy", "asked"), [(None, True), ("Delete", True), ("Retain", False), ("RetainExceptOnCreate", False)]
    )
    def test_policy(self, small, provider, policy, asked):
        """A retained one is not deleted with its stack."""
        small.create({"A": thing("east", policy and {"DeletionPolicy": policy})})

        assert small.delete() == "DELETE_COMPLETE"
        assert (("Delete", "thing-east") in provider.requests()) is asked
