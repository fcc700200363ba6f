"""What CloudFormation says of properties that a type's schema does not allow, and what it reads leniently."""

import json
import time

import pytest

from rehearsal.engine.properties import check_properties, matches, typed, validator_for
from rehearsal.handlers import HANDLERS
from rehearsal.handlers.base import Resource, ResourceError
from rehearsal.world import World
from trnstack.advice.impact import schemas as published

REGION = "us-east-2"
NODE_GROUP = {
    "ClusterName": "demo",
    "NodeRole": "arn:aws:iam::123456789012:role/nodes",
    "Subnets": ["subnet-0123456789abcdef0"],
}


@pytest.fixture
def refusal():
    """Gives what is said of a resource's properties, or nothing."""
    stack = World().new("demo", account="123456789012", region=REGION)

    def check(resource_type, verb="CREATE", **properties):
        try:
            check_properties(stack, Resource("Thing", resource_type, {}), verb, properties)
        except ResourceError as refused:
            words = refused.message.removeprefix("Properties validation failed for resource Thing with message: ")
            return refused.code, words
        return None

    return check


class TestCheckProperties:
    @pytest.mark.parametrize(
        "properties",
        [
            {"ScalingConfig": {"MinSize": "0", "DesiredSize": "1", "MaxSize": "2"}},
            {"DiskSize": 50.0, "ForceUpdateEnabled": "True"},
            {"Version": 1.34, "Labels": {"cards": 16, "efa": True}},
        ],
    )
    def test_scalars_are_read_leniently(self, refusal, properties):
        """Numbers and truth values may be text, and text may be a number."""
        assert refusal("AWS::EKS::Nodegroup", **NODE_GROUP, **properties) is None

    def test_documents_may_be_text(self, refusal):
        """A policy may be given as its JSON text; what is no document is refused."""
        policy = {"Version": "2012-10-17", "Statement": []}

        assert refusal("AWS::S3::BucketPolicy", Bucket="b", PolicyDocument=policy) is None
        assert refusal("AWS::S3::BucketPolicy", Bucket="b", PolicyDocument=json.dumps(policy)) is None
        assert refusal("AWS::SSM::Parameter", Type="String", Value="v", Tags='{"team": "ml"}') is None
        assert refusal("AWS::SSM::Parameter", Type="String", Value="v", Tags="{") == (
            "VALIDATION_FAILED",
            "#/Tags: expected type: JSONObject, found: String",
        )

    @pytest.mark.parametrize(
        ("resource_type", "properties", "words"),
        [
            ("AWS::EC2::VPC", {"CidrBlock": ["10.0.0.0/16"]}, "#/CidrBlock: expected type: String, found: JSONArray"),
            (
                "AWS::EC2::VPC",
                {"EnableDnsSupport": "maybe"},
                "#/EnableDnsSupport: expected type: Boolean, found: String",
            ),
            ("AWS::EC2::VPC", {"Colour": "red"}, "#: extraneous key [Colour] is not permitted"),
            (
                "AWS::EKS::Nodegroup",
                {**NODE_GROUP, "ScalingConfig": {"MaxSize": "0"}},
                "#/ScalingConfig/MaxSize: failed validation constraint for keyword [minimum]",
            ),
            (
                "AWS::Scheduler::Schedule",
                {"ScheduleExpression": "rate(1 day)"},
                "#: required key [FlexibleTimeWindow] not found\n#: required key [Target] not found",
            ),
            ("AWS::SNS::Subscription", {"TopicArn": "arn", "Protocol": {}}, "expected type: String, found: JSONObject"),
            ("AWS::EKS::Cluster", {"Name": ""}, "#/Name: expected minLength: 1, actual: 0"),
            (
                "AWS::EKS::AccessEntry",
                {"ClusterName": "demo", "PrincipalArn": "arn", "KubernetesGroups": ["a", "a"]},
                "#/KubernetesGroups: array items are not unique",
            ),
            (
                "AWS::IAM::Policy",
                {"PolicyName": "p", "PolicyDocument": {}},
                "#: #: no subschema matched out of the total 3 subschemas\n#: required key [Users] not found",
            ),
            (
                "AWS::S3::Bucket",
                {"LoggingConfiguration": {"TargetObjectKeyFormat": {}}},
                "#/LoggingConfiguration/TargetObjectKeyFormat: #: 0 subschemas matched instead of one",
            ),
            (
                "AWS::EC2::LaunchTemplate",
                {"LaunchTemplateData": {"NetworkInterfaces": [{"DeviceIndex": "first"}]}},
                "#/LaunchTemplateData/NetworkInterfaces/0/DeviceIndex: expected type: Integer, found: String",
            ),
        ],
    )
    def test_words(self, refusal, resource_type, properties, words):
        """Each mistake is told in the words of the validator that CloudFormation publishes, a line each."""
        code, said = refusal(resource_type, **properties)

        assert code == "VALIDATION_FAILED"
        assert words in said

    def test_no_value_is_told(self, refusal):
        """A value might be a secret, so a wrong one is not shown."""
        _, said = refusal("AWS::EC2::VPC", InstanceTenancy="hunter2")

        assert said == "#/InstanceTenancy: failed validation constraint for keyword [enum]"

    def test_read_only(self, refusal):
        """What only the service sets can't be given, within a list or on its own."""
        code, said = refusal("AWS::EC2::VPC", CidrBlock="10.0.0.0/16", VpcId="vpc-1")

        assert code == "InvalidRequest"
        assert said == "Read-only properties can't be set: #/VpcId"

    def test_updates_and_deletions(self, refusal):
        """An update is looked at as a creation is; a deletion is not, since it sets nothing."""
        assert refusal("AWS::EC2::VPC", "UPDATE", Colour="red") is not None
        assert refusal("AWS::EC2::VPC", "DELETE", Colour="red") is None

    def test_type_without_schema(self, refusal):
        """A custom resource's properties are its function's own."""
        assert refusal("Custom::Anything", Colour="red") is None


class TestPatterns:
    def test_those_that_only_java_can_read(self):
        r"""Four types that are handled have patterns with ``\p{L}``, of their tags alone, which are not looked at."""
        index = published.index(REGION)
        unread = {
            (resource_type, pattern)
            for resource_type in HANDLERS
            if resource_type in index
            for pattern in patterns(published.document(index[resource_type]))
            if matches(pattern, "") is None
        }

        assert {resource_type for resource_type, _ in unread} == {
            "AWS::FSx::DataRepositoryAssociation",
            "AWS::IAM::OIDCProvider",
            "AWS::IAM::Role",
            "AWS::SSM::Parameter",
        }
        assert all(r"\p{L}\p{Z}\p{N}" in pattern for _, pattern in unread)

    def test_they_refuse_nothing(self, refusal):
        """A tag whose pattern can't be read passes."""
        assert refusal("AWS::SSM::Parameter", Type="String", Value="v", Tags={"größe": "1"}) is None


def patterns(node):
    """Yields every pattern of a schema."""
    if isinstance(node, dict):
        yield from [node["pattern"]] if isinstance(node.get("pattern"), str) else []
        yield from node.get("patternProperties", {})
        for part in node.values():
            yield from patterns(part)
    elif isinstance(node, list):
        for part in node:
            yield from patterns(part)


def test_references_are_to_definitions():
    """Every reference of a handled type is one that the reading of scalars can follow."""
    index = published.index(REGION)
    for resource_type in HANDLERS:
        if resource_type in index:
            document = published.document(index[resource_type])
            found = {part for part in references(document) if not part.startswith("#/definitions/")}
            assert found <= set(references(document.get("handlers", {}))), resource_type


def references(node):
    """Yields every reference of a schema."""
    if isinstance(node, dict):
        yield from [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        for part in node.values():
            yield from references(part)
    elif isinstance(node, list):
        for part in node:
            yield from references(part)


def test_cheap(refusal):
    """A resource costs less than a few milliseconds, once its type's schema is read."""
    for _ in range(2):
        begun = time.process_time()
        for _ in range(100):
            refusal("AWS::EKS::Nodegroup", **NODE_GROUP, ScalingConfig={"MinSize": 0, "DesiredSize": 0, "MaxSize": 2})
        spent = time.process_time() - begun

    assert spent < 0.5


def test_typed_keeps_what_it_cannot_read():
    """A text that is no number stays as it is, for the validator to refuse."""
    name = published.index(REGION)["AWS::EKS::Nodegroup"]
    document = validator_for(name).schema

    assert typed({"DiskSize": "many"}, document, document) == {"DiskSize": "many"}
