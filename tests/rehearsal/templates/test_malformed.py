"""What is wrong in a template is told in a sentence before anything is made, whatever it is."""

import json
import re

import pytest
from botocore.exceptions import ClientError

THING = {"Type": "AWS::S3::Bucket"}
PARAMETER = "AWS::SSM::Parameter"


def with_value(value, **sections: object):
    """Gives a template in which a stored parameter has a value."""
    return {"Resources": {"A": {"Type": PARAMETER, "Properties": {"Type": "String", "Value": value}}}, **sections}


def with_thing(**attributes: object):
    return {"Resources": {"A": {**THING, **attributes}}}


def with_parameter(**declaration: object):
    return {"Resources": {"A": THING}, "Parameters": {"P": {"Type": "String", "Default": "abc", **declaration}}}


@pytest.fixture
def cloudformation(client):
    return client("cloudformation")


@pytest.fixture
def refusal(cloudformation):
    """Gives the words in which a template is refused."""

    def of(body) -> str:
        text = body if isinstance(body, str) else json.dumps(body)
        with pytest.raises(ClientError) as refused:
            cloudformation.create_stack(StackName="main", TemplateBody=text)
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert refused.value.response["Error"]["Code"] == "ValidationError"
        return refused.value.response["Error"]["Message"]

    return of


class TestMalformed:
    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (with_thing(DependsOn=5), "DependsOn must be a string or list of strings"),
            (with_thing(Condition={}), "Every Condition member must be a string"),
            ({"Transform": 5, "Resources": {"A": THING}}, "Transform section must be"),
            (with_parameter(MinLength="a"), "Every MinLength member must be a number"),
            (with_parameter(Type="Number", Default="1", MaxValue=[]), "Every MaxValue member must be a number"),
            (with_parameter(Default=["a"]), "Every Default member must be a string"),
            (with_parameter(AllowedValues="abc"), "Every AllowedValues member must be a list"),
            (with_parameter(AllowedPattern=5), "Every AllowedPattern member must be a string"),
            ({"Rules": {"R": []}, "Resources": {"A": THING}}, r"\[/Rules/R\]"),
            ({"Rules": {"R": {"Assertions": [5]}}, "Resources": {"A": THING}}, r"\[/Rules/R\]"),
            (
                {"Conditions": {"C": {"Fn::Not": [{"Condition": "D"}]}, "D": {"Condition": "C"}}, **with_thing()},
                r"between conditions: \[C, D\]",
            ),
            (with_thing(DependsOn="A"), r"Circular dependency between resources: \[A\]"),
            (
                {"Parameters": {"P": {"Type": "String", "Default": "a"}}, **with_thing(DependsOn="P")},
                r"dependencies \[P\]",
            ),
            (with_value({"Fn::Foo": "a"}), "Encountered unsupported function: Fn::Foo"),
            (with_value({"Fn::Sub": "${AWS::NoValue}"}), "every value in Fn::Sub must be a string"),
            ("Mappings: {M: {123456789012: {a: b}}}\nResources: {A: {Type: 'AWS::S3::Bucket'}}", "received numeric"),
            ("Resources: &r\n  A: {Type: 'AWS::S3::Bucket', Metadata: *r}\n", "within itself"),
            ('{"Resources": ' + "[" * 50_000, "nested too deeply"),
        ],
    )
    def test_refused(self, refusal, body, words):
        """No template makes the API fail: an SDK would ask again and again, and a person would learn nothing."""
        assert re.search(words, refusal(body))

    @pytest.mark.parametrize(
        "arguments",
        [
            ["nowhere", 2, 8],
            ["10.0.0.0/16", "x", 8],
            ["10.0.0.0/16", 2, -5],
            ["10.0.0.0/16", 0],
        ],
    )
    def test_ranges(self, cloudformation, arguments):
        """A function that can't be computed fails its resource with a reason, and is no failure within."""
        body = json.dumps(with_value({"Fn::Select": [0, {"Fn::Cidr": arguments}]}))
        cloudformation.create_stack(StackName="main", TemplateBody=body)
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]

        (stack,) = cloudformation.describe_stacks(StackName="main")["Stacks"]
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        assert any("Fn::Cidr can't cut" in one.get("ResourceStatusReason", "") for one in events)

    def test_pattern_of_java(self, cloudformation):
        """A pattern that only Java reads refuses nobody's value."""
        body = json.dumps(with_parameter(AllowedPattern=r"\p{Alpha}+"))
        cloudformation.create_stack(StackName="main", TemplateBody=body)

        (stack,) = cloudformation.describe_stacks(StackName="main")["Stacks"]
        assert stack["StackStatus"] == "CREATE_COMPLETE"


class TestValidateTemplate:
    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ({"Resources": {"A": {"Type": "AWS::Nope::Thing"}}}, r"Unrecognized resource types: \[AWS::Nope::Thing\]"),
            (with_value({"Ref": "B"}), r"Unresolved resource dependencies \[B\] in the Resources block"),
            (with_value({"Fn::Foo": "a"}), "Encountered unsupported function: Fn::Foo"),
        ],
    )
    def test_refused(self, cloudformation, body, words):
        """What needs no parameters' values to be seen is refused where nothing is to be made."""
        with pytest.raises(ClientError, match=words):
            cloudformation.validate_template(TemplateBody=json.dumps(body))

    def test_taken(self, cloudformation):
        """Values that nobody gave are no fault of a template's."""
        body = with_value({"Ref": "P"}, Parameters={"P": {"Type": "AWS::EC2::VPC::Id"}})

        (told,) = cloudformation.validate_template(TemplateBody=json.dumps(body))["Parameters"]

        assert told["ParameterKey"] == "P"


class TestTransforms:
    def test_acknowledged(self, cloudformation):
        """A transform is acknowledged where it is made at once, and not where a change set shows it first."""
        body = json.dumps(with_value({"Fn::ToJsonString": {"a": 1}}, Transform="AWS::LanguageExtensions"))

        with pytest.raises(ClientError, match=r"Requires capabilities : \[CAPABILITY_AUTO_EXPAND\]"):
            cloudformation.create_stack(StackName="main", TemplateBody=body)
        cloudformation.create_change_set(StackName="main", ChangeSetName="c", ChangeSetType="CREATE", TemplateBody=body)
        cloudformation.create_stack(StackName="other", TemplateBody=body, Capabilities=["CAPABILITY_AUTO_EXPAND"])

        statuses = {one["StackName"]: one["StackStatus"] for one in cloudformation.describe_stacks()["Stacks"]}
        assert statuses == {"main": "REVIEW_IN_PROGRESS", "other": "CREATE_COMPLETE"}


class TestDynamicReferences:
    @pytest.mark.parametrize(
        "value",
        [
            "{{resolve:ssm:/there}}",
            {"Fn::Join": ["", ["{{resolve:ssm:/", {"Ref": "Name"}, "}}"]]},
            {"Fn::Sub": "{{resolve:ssm:/${Name}}}"},
            {"Ref": "Whole"},
        ],
    )
    def test_put_together(self, client, cloudformation, value):
        """A reference is resolved however it came about: written, joined, filled in, or given as a parameter."""
        client("ssm").put_parameter(Name="/there", Value="found", Type="String")
        declared = {
            "Name": {"Type": "String", "Default": "there"},
            "Whole": {"Type": "String", "Default": "{{resolve:ssm:/there}}"},
        }
        cloudformation.create_stack(StackName="main", TemplateBody=json.dumps(with_value(value, Parameters=declared)))
        name = cloudformation.describe_stack_resources(StackName="main")["StackResources"][0]["PhysicalResourceId"]

        assert client("ssm").get_parameter(Name=name)["Parameter"]["Value"] == "found"
