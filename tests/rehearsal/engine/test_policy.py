import json

import pytest

from rehearsal.engine import Policies, Retention
from rehearsal.engine.policy import NOT_ALLOWED, PolicyError, parse

EVERYTHING = {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"}


def deny(action, resource="*", **more: object):
    return {"Effect": "Deny", "Action": action, "Principal": "*", "Resource": resource, **more}


def policy(*statements: object) -> str:
    return json.dumps({"Statement": list(statements)})


@pytest.fixture
def stack(cloud, thing):
    """A stack of two things and a store, of which each has a size."""
    return cloud.create({"A": thing(Size=1), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1)})


@pytest.fixture
def reason():
    """Gives the reason of the first failure in a stack's history, and the resource that failed."""

    def of(stack) -> tuple[str, str]:
        failed = next(event for event in stack.events if event.status == "UPDATE_FAILED")
        return failed.subject.logical_id, failed.reason

    return of


class TestEnforced:
    def test_modify(self, cloud, stack, thing, reason, statuses):
        """A denied change fails its resource in CloudFormation's words, and the update goes back."""
        stack.policy = policy(EVERYTHING, deny("Update:Modify", "LogicalResourceId/A"))

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1)})

        words = "Statement [#1] does not allow [Update:Modify] for resource [LogicalResourceId/A];"
        assert reason(stack) == ("A", f"Action denied by stack policy: {words}")
        assert statuses(stack)[-1] == "UPDATE_ROLLBACK_COMPLETE"
        assert stack.records["A"].resource.properties == {"Size": 1}

    def test_replace(self, cloud, stack, thing, reason, ids):
        """What may be changed may still not be replaced; the old resource stays."""
        stack.policy = policy(EVERYTHING, deny(["Update:Replace", "Update:Delete"], "LogicalResourceId/*"))
        before = ids(stack)

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1, Name="b"), "Store": thing("Test::Stored", Size=1)})

        failed, words = reason(stack)
        assert failed == "B"
        assert "does not allow [Update:Replace, Update:Delete] for resource [LogicalResourceId/*];" in words
        assert ids(stack) == before

    def test_delete(self, cloud, stack, thing, reason, ids):
        """A resource that is protected from its removal stays, and nothing is touched before that is known."""
        stack.policy = policy(EVERYTHING, deny("Update:Delete"))
        before = ids(stack)

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1)})

        assert reason(stack)[0] == "Store"
        assert ("UPDATE", "A") not in cloud.things.calls
        assert ids(stack) == before

    def test_by_type(self, cloud, stack, thing, reason):
        """A condition protects the resources of a type alone."""
        condition = {"StringLike": {"ResourceType": ["Test::Sto*"]}}
        stack.policy = policy(EVERYTHING, deny("Update:*", Condition=condition))
        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1)})
        assert stack.status == "UPDATE_COMPLETE"

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=2)})

        assert reason(stack)[0] == "Store"

    @pytest.mark.parametrize(
        ("condition", "struck"),
        [
            ({"StringEquals": {"ResourceType": "Test::Stored"}}, True),
            ({"StringEquals": {"ResourceType": ["Test::Thing", "Test::Stored"]}}, True),
            ({"StringEquals": {"ResourceType": ["Test::Thing"]}}, False),
            ({"StringEquals": {"ResourceType": "Test::Sto*"}}, False),
            ({"StringEquals": {"ResourceType": "Test::Store?"}}, False),
            ({"StringEquals": {"ResourceType": "test::stored"}}, False),
            ({"StringLike": {"ResourceType": "Test::Stored"}}, True),
            ({"StringLike": {"ResourceType": "Test::Store?"}}, True),
            ({"StringLike": {"ResourceType": ["AWS::*", "*::Stored"]}}, True),
            ({"StringLike": {"ResourceType": "Test::Sto"}}, False),
            ({"StringLike": {"ResourceType": "test::*"}}, False),
            ({"StringEquals": {"ResourceType": "Test::Stored"}, "StringLike": {"ResourceType": "Test::*"}}, True),
            ({"StringEquals": {"ResourceType": "Test::Thing"}, "StringLike": {"ResourceType": "Test::*"}}, False),
            ({"StringEquals": {"ResourceType": []}}, False),
            ({}, True),
        ],
    )
    def test_operators(self, cloud, stack, thing, condition, struck):
        """``StringEquals`` takes types as they are written, ``StringLike`` wildcards too; both ask for both."""
        stack.policy = policy(EVERYTHING, deny("Update:*", "LogicalResourceId/Store", Condition=condition))

        cloud.update(stack, {"A": thing(Size=1), "B": thing(Size=1), "Store": thing("Test::Stored", Size=2)})

        assert stack.status == ("UPDATE_ROLLBACK_COMPLETE" if struck else "UPDATE_COMPLETE")

    def test_allowed_by_type(self, cloud, stack, thing, reason):
        """What only another type is allowed is not allowed."""
        stack.policy = policy({**EVERYTHING, "Condition": {"StringEquals": {"ResourceType": "Test::Stored"}}})
        cloud.update(stack, {"A": thing(Size=1), "B": thing(Size=1), "Store": thing("Test::Stored", Size=2)})
        assert stack.status == "UPDATE_COMPLETE"

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=2)})

        assert reason(stack) == ("A", NOT_ALLOWED)

    def test_what_follows(self, cloud, thing, reason):
        """A resource that changes since another one does needs leave as well."""
        stack = cloud.create({"A": thing(Name="x"), "B": thing(Size={"Ref": "A"})})
        stack.policy = policy(EVERYTHING, deny("Update:Modify", "LogicalResourceId/B"))

        cloud.update(stack, {"A": thing(Name="y"), "B": thing(Size={"Ref": "A"})})

        assert reason(stack)[0] == "B"
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"

    def test_what_nothing_allows(self, cloud, stack, thing, reason):
        """Once there is a statement, what none allows is refused."""
        stack.policy = policy({**EVERYTHING, "Resource": "LogicalResourceId/B"})

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=2), "Store": thing("Test::Stored", Size=1)})

        assert reason(stack) == ("A", NOT_ALLOWED)

    def test_new_resources_are_free(self, cloud, stack, thing):
        """A policy is about what is there: what is new needs no leave."""
        stack.policy = policy(deny("Update:*"))

        cloud.update(
            stack, {"A": thing(Size=1), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1), "C": thing()}
        )

        assert stack.status == "UPDATE_COMPLETE"

    def test_deletion_is_free(self, cloud, stack):
        """The stack itself can be deleted whatever its policy says."""
        stack.policy = policy(deny("Update:*"))

        cloud.delete(stack)

        assert stack.status == "DELETE_COMPLETE"


class TestDuringUpdate:
    def test_takes_the_place(self, cloud, stack, thing):
        """A policy for one update holds for that one, and the stack's own holds again afterwards."""
        stack.policy = policy(deny("Update:*"))
        asked = {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1)}

        cloud.engine.update(
            stack, cloud.prepare(stack, asked), Retention(), policies=Policies(during=policy(EVERYTHING))
        )()

        assert stack.status == "UPDATE_COMPLETE"
        assert stack.policy_in_force == policy(deny("Update:*"))

    def test_new_policy_comes_after(self, cloud, stack, thing):
        """The policy that an update brings along does not hold during that update, and is not set by a failed one."""
        new = policy(deny("Update:*"))
        asked = {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1)}
        cloud.things.failures_once.add(("UPDATE", "A"))
        cloud.engine.update(stack, cloud.prepare(stack, asked), Retention(), policies=Policies(after=new))()
        assert (stack.status, stack.policy) == ("UPDATE_ROLLBACK_COMPLETE", None)

        cloud.engine.update(stack, cloud.prepare(stack, asked), Retention(), policies=Policies(after=new))()

        assert (stack.status, stack.policy) == ("UPDATE_COMPLETE", new)


class TestParse:
    @pytest.mark.parametrize(
        "text",
        [
            "no json",
            "[]",
            policy({**EVERYTHING, "Principal": "me"}),
            policy({**EVERYTHING, "Action": "Delete:*"}),
            policy({**EVERYTHING, "Effect": "Perhaps"}),
            policy({**EVERYTHING, "Effect": ["Allow"]}),
            "[" * 100_000,
            policy({**EVERYTHING, "NotAction": "Update:Delete"}),
            policy({**EVERYTHING, "Resource": [1]}),
            policy({**EVERYTHING, "Condition": {"NumericEquals": {"ResourceType": "1"}}}),
            policy({**EVERYTHING, "Condition": {"StringEquals": {"Region": "x"}}}),
            policy({**EVERYTHING, "Condition": {"StringEquals": {"ResourceType": "x", "Region": "x"}}}),
            policy({**EVERYTHING, "Condition": {"StringEquals": "Test::Thing"}}),
            policy({**EVERYTHING, "Condition": {"StringEquals": {"ResourceType": 1}}}),
            policy({**EVERYTHING, "Condition": []}),
            *(
                policy({**EVERYTHING, "Condition": {operator: {"ResourceType": "Test::Thing"}}})
                for operator in (
                    "StringNotEquals",
                    "StringNotLike",
                    "StringEqualsIgnoreCase",
                    "StringEqualsIfExists",
                    "ArnLike",
                    "Null",
                    "ForAnyValue:StringLike",
                )
            ),
            policy("statement"),
        ],
    )
    def test_refused(self, text):
        """What is no stack policy is refused as CloudFormation does."""
        with pytest.raises(PolicyError, match=r"^Error validating stack policy: Invalid stack policy$"):
            parse(text)

    def test_exclusions(self, cloud, stack, thing, reason):
        """``NotAction`` and ``NotResource`` mean everything else."""
        stack.policy = policy(
            {"Effect": "Allow", "NotAction": "Update:Delete", "Principal": "*", "NotResource": "LogicalResourceId/B"}
        )
        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=1), "Store": thing("Test::Stored", Size=1)})
        assert stack.status == "UPDATE_COMPLETE"

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=2), "Store": thing("Test::Stored", Size=1)})

        assert reason(stack) == ("B", NOT_ALLOWED)

    def test_empty(self, cloud, stack, thing):
        """A policy without statements restricts nothing."""
        stack.policy = "{}"

        cloud.update(stack, {"A": thing(Size=2)})

        assert stack.status == "UPDATE_COMPLETE"

    def test_statement_without_resource(self, cloud, stack, thing):
        """A denial that names no resource denies nothing."""
        denial = {name: value for name, value in deny("Update:*").items() if name != "Resource"}
        stack.policy = policy(denial, EVERYTHING)

        cloud.update(stack, {"A": thing(Size=2)})

        assert stack.status == "UPDATE_COMPLETE"
