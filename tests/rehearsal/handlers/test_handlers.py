"""What holds for every handler."""

import pytest

from rehearsal.handlers import HANDLERS, handler_for
from rehearsal.handlers.base import Resource, Scope
from rehearsal.handlers.names import generated_name
from rehearsal.schemas import schemas


def test_unknown_type():
    """A type without a handler is None, not an error."""
    assert handler_for("AWS::Braket::QuantumTask") is None


@pytest.mark.parametrize("resource_type", sorted(set(HANDLERS) - {"AWS::CDK::Metadata"}))
def test_type_exists(resource_type):
    """Every handled type is one that CloudFormation has."""
    assert schemas("us-east-2").get(resource_type) is not None


@pytest.mark.usefixtures("client")
class TestGeneratedName:
    @staticmethod
    def name(limit, logical_id="NodeRole", stack_name="demo") -> str:
        scope = Scope("123456789012", "us-east-2", "aws", stack_name, "arn:stack", {}, lambda _: None)
        return generated_name(scope, Resource(logical_id, "AWS::IAM::Role", {}), limit=limit)

    def test_form(self):
        """A generated name begins with stack and logical id."""
        assert self.name(64).startswith("demo-NodeRole-")
        assert len(self.name(64)) == len("demo-NodeRole-") + 12

    def test_cut_to_the_limit(self):
        """Both parts give way where a name would be too long."""
        name = self.name(64, logical_id="L" * 80, stack_name="S" * 80)

        assert len(name) == 64
        assert name.count("S") >= 20
        assert name.count("L") >= 20

    def test_short_parts_leave_room_to_the_other(self):
        """A short stack name leaves more of the logical id."""
        assert self.name(64, logical_id="L" * 80).startswith(f"demo-{'L' * 46}-")


def test_names_are_those_of_an_equal_rehearsal(services, make):
    """The same resources in the same order get the same names after a reset."""
    first = [make("AWS::S3::Bucket", "Data").physical_id for _ in range(2)]
    services.reset()
    second = [make("AWS::S3::Bucket", "Data").physical_id for _ in range(2)]

    assert first == second
    assert len(set(first)) == 2
