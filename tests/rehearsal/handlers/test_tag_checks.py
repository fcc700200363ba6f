"""What is refused of tags before a handler is called; the rows of the refusals have what a template says."""

from types import SimpleNamespace

import pytest

from rehearsal.handlers.base import Resource, ResourceError
from rehearsal.handlers.tag_checks import check_tags


def stack(count=0):
    """A stack with as many tags."""
    return SimpleNamespace(deployment=SimpleNamespace(tags={f"stack-{number}": "ml" for number in range(count)}))


def tags(count, prefix="own"):
    return [{"Key": f"{prefix}-{number}", "Value": "ml"} for number in range(count)]


def check(kind, properties, *, verb="CREATE", of_stack=0):
    check_tags(stack(of_stack), Resource("Thing", kind, {}), verb, properties)


class TestCheckTags:
    def test_the_stacks_count(self):
        """The stack's tags are on the resource too, and count with its own."""
        check("AWS::EC2::VPC", {"Tags": tags(30)}, of_stack=20)

        with pytest.raises(ResourceError) as refused:
            check("AWS::EC2::VPC", {"Tags": tags(31)}, of_stack=20)

        assert refused.value.code == "TagLimitExceeded"

    def test_one_of_both(self):
        """One that both have is there once."""
        check("AWS::EC2::VPC", {"Tags": [*tags(30), *tags(20, "stack")]}, of_stack=20)

    def test_removed(self):
        """What is to go is not looked at."""
        check("AWS::EC2::VPC", {"Tags": [{"Key": "aws:team", "Value": "ml"}]}, verb="DELETE")

    @pytest.mark.parametrize("kind", ["AWS::S3::Bucket", "AWS::IAM::Role", "Custom::Thing"])
    def test_other_services(self, kind):
        """Of other services nothing is said here."""
        check(kind, {"Tags": [{"Key": "aws:team", "Value": "ml"}]})

    def test_a_map(self):
        """A map has each key once, and is held to the rest."""
        check("AWS::EKS::Nodegroup", {"Tags": {"team": "ml"}})

        with pytest.raises(ResourceError) as refused:
            check("AWS::EKS::Nodegroup", {"Tags": {"team": "v" * 257}})

        assert refused.value.code == "InvalidParameterException"

    def test_specifications_stand_apart(self):
        """Instances and volumes of a launch template may have tags of the same keys."""
        specifications = [{"ResourceType": kind, "Tags": tags(50)} for kind in ("instance", "volume")]

        check("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": {"TagSpecifications": specifications}})
