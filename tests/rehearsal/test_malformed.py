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
            (with_thing(DependsOn=5), "Every DependsOn value must be a string"),
            (with_thing(DependsOn=["A", 5]), "Every DependsOn value must be a string"),
            (with_thing(Condition={}), "Every Condition member must be a string"),
            ({"Transform": 5, "Resources": {"A": THING}}, "Transform section must be"),
            (with_parameter(MinLength="a"), "Every MinLength member must be a number"),
            (with_parameter(Type="Number", Default="1", MaxValue=[]), "Every MaxValue member must be a number"),
            (with_parameter(Default=["a"]), "Every Default member must be a string"),
            (with_parameter(AllowedValues="abc"), "Every AllowedValues member must be a list"),
            (with_parameter(AllowedPattern=5), "Every AllowedPattern member must be a string"),
            ({"Rules": {"R": []}, "Resources": {"A": THING}}, r"\[/Rules/R\]"),
            ({"Rules": {"R": {"Assertions": [5]}}, "Resources": {"A": THING}}, r"\[/Rules/R\]"),
            ({"Mappings": {"M": []}, "Resources": {"A": THING}}, r"\[/Mappings/M\] Every Mappings member"),
            ({"Mappings": {"M": {"a": []}}, "Resources": {"A": THING}}, r"\[/Mappings/M/a\] Every Mappings member"),
            ({"Mappings": {"M": {"a": {"b": {}}}}, "Resources": {"A": THING}}, "must be a String or a List"),
            (
                {"Conditions": {"C": {"Fn::Not": [{"Condition": "D"}]}, "D": {"Condition": "C"}}, **with_thing()},
                r"between conditions: \[C, D\]",
            ),
            ({"Conditions": {"C": {"Fn::Nothing": []}}, **with_thing()}, "not a condition that can be evaluated"),
            ({"Conditions": {"C": {"Fn::Equals": [{"Ref": "A"}, "a"]}}, **with_thing()}, r"dependencies \[A\]"),
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
            ["10.0.0.0/16", 2, []],
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
