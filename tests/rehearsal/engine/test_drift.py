import datetime as dt

import pytest

from rehearsal.drifts import ADD, DELETED, IN_SYNC, MODIFIED, NOT_EQUAL, REMOVE
from rehearsal.engine.drift import look
from rehearsal.handlers.base import Resource, Scope

NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)


@pytest.fixture
def compare():
    """Looks at a resource that has some properties where others stand."""

    def run(expected, actual, *, resource_type="Custom::Thing", tags=None):
        scope = Scope("123456789012", "us-east-2", "aws", "demo", "arn:stack", tags or {}, lambda _: None)
        resource = Resource("Thing", resource_type, expected, physical_id="thing")
        return look(lambda *_: actual, scope, resource, NOW)

    return run


def told(drift) -> list[tuple[str, str]]:
    return [(one.path, one.kind) for one in drift.differences]


class TestLook:
    def test_in_sync(self, compare):
        """Numbers and switches may be texts, and lists may be in another order."""
        found = compare(
            {"Size": "8", "On": "true", "Ids": ["a", "b"], "Unread": 1}, {"Size": 8, "On": True, "Ids": ["b", "a"]}
        )

        assert (found.status, found.checked) == (IN_SYNC, NOW)
        assert found.expected == {"Size": "8", "On": "true", "Ids": ["a", "b"]}

    def test_gone(self, compare):
        """A resource that is gone is deleted, whatever it was."""
        found = compare({"Size": 8}, None)

        assert (found.status, found.actual) == (DELETED, None)

    def test_differences(self, compare):
        """Each value that differs is told with its path, as are members that are missing or too many."""
        found = compare(
            {"Size": 8, "Config": {"Kind": "a", "Name": "x"}, "Ids": ["a", "b"], "Unset": {"A": 1}},
            {"Size": 9, "Config": {"Kind": "b"}, "Ids": ["b", "c"], "Strange": 1},
        )

        assert found.status == MODIFIED
        assert told(found) == [
            ("/Size", NOT_EQUAL),
            ("/Config/Kind", NOT_EQUAL),
            ("/Config/Name", REMOVE),
            ("/Ids/0", REMOVE),
            ("/Ids/1", ADD),
        ]
        assert (found.differences[0].expected, found.differences[0].actual) == (8, 9)

    def test_members_with_keys(self, compare):
        """Members of a list that have a key are compared with their namesakes."""
        found = compare(
            {"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]},
            {"Tags": [{"Key": "b", "Value": "3"}, {"Key": "a", "Value": "1"}, {"Key": "c", "Value": "4"}]},
        )

        assert told(found) == [("/Tags/1/Value", NOT_EQUAL), ("/Tags/2", ADD)]

    def test_tags_of_the_stack(self, compare):
        """The stack's tags are expected on what can carry tags, without those that CloudFormation itself sets."""
        found = compare(
            {"CidrBlock": "10.0.0.0/16"},
            {"CidrBlock": "10.0.0.0/16", "Tags": []},
            resource_type="AWS::EC2::VPC",
            tags={"team": "ml"},
        )

        assert [(one.path, one.expected) for one in found.differences] == [("/Tags/0", {"Key": "team", "Value": "ml"})]
