import json

import pytest

from rehearsal.handlers.base import Resource
from rehearsal.templates.parameters import parameters
from rehearsal.templates.references import Reference, references
from rehearsal.templates.resolve import NO_VALUE, Resolver, Surroundings
from rehearsal.templates.template import TemplateError, parse

RESOURCES = {
    "Vpc": Resource(
        "Vpc", "Test::Vpc", {}, "vpc-1", {"CidrBlock": "10.0.0.0/16", "Endpoint": {"Port": 443}, "A.B": "x"}
    )
}


def dynamic(service, rest):
    if service != "ssm":
        raise TemplateError(f"no {service}")
    return f"<{rest}>"


def imported(name):
    if name != "Net:Vpc":
        raise TemplateError(f"No export named {name} found.")
    return "vpc-9"


@pytest.fixture
def resolver():
    template = parse(
        json.dumps(
            {
                "Transform": "AWS::LanguageExtensions",
                "Resources": {"Vpc": {"Type": "Test::Vpc"}, "Gone": {"Type": "T", "Condition": "Never"}},
                "Parameters": {
                    "Env": {"Type": "String", "Default": "prod"},
                    "Ids": {"Type": "CommaDelimitedList", "Default": "a,b"},
                },
                "Mappings": {"Sizes": {"prod": {"nodes": 4, "zones": ["a", "b"]}}},
                "Conditions": {
                    "IsProd": {"Fn::Equals": [{"Ref": "Env"}, "prod"]},
                    "Never": {"Fn::Not": [{"Condition": "IsProd"}]},
                    "Both": {
                        "Fn::And": [
                            {"Condition": "IsProd"},
                            {"Fn::Or": [{"Condition": "Never"}, {"Fn::Equals": [1, "1"]}]},
                        ]
                    },
                },
            }
        )
    )
    surroundings = Surroundings(
        pseudo={"AWS::Region": "us-west-2", "AWS::AccountId": "123456789012"},
        zones=lambda region: [f"{region}a", f"{region}b"],
        imported=imported,
        dynamic=dynamic,
    )
    return Resolver(
        template, parameters(template, {}, {}, lambda _: {}), surroundings, RESOURCES, lambda _, name: name != "No"
    )


class TestValue:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ({"Ref": "Vpc"}, "vpc-1"),
            ({"Ref": "Env"}, "prod"),
            ({"Ref": "Ids"}, ["a", "b"]),
            ({"Ref": "AWS::Region"}, "us-west-2"),
            ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, "10.0.0.0/16"),
            ({"Fn::GetAtt": "Vpc.Endpoint.Port"}, 443),
            ({"Fn::GetAtt": ["Vpc", "A.B"]}, "x"),
            ({"Fn::If": ["IsProd", "yes", {"Ref": "Missing"}]}, "yes"),
            ({"Fn::Join": ["-", ["a", 1, True, {"Ref": "Env"}]]}, "a-1-true-prod"),
            ({"Fn::Join": [",", {"Ref": "Ids"}]}, "a,b"),
            ({"Fn::Split": ["|", "a|b"]}, ["a", "b"]),
            ({"Fn::Select": ["1", {"Fn::Split": [".", "10.0.0.0"]}]}, "0"),
            ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, "us-west-2a"),
            ({"Fn::GetAZs": {"Ref": "AWS::Region"}}, ["us-west-2a", "us-west-2b"]),
            ({"Fn::FindInMap": ["Sizes", {"Ref": "Env"}, "nodes"]}, 4),
            ({"Fn::FindInMap": ["Sizes", "test", "nodes", {"DefaultValue": 1}]}, 1),
            ({"Fn::Base64": "hé"}, "aMOp"),
            ({"Fn::Sub": "${Vpc}/${Vpc.Endpoint.Port}/${AWS::Region}/${!Literal}"}, "vpc-1/443/us-west-2/${Literal}"),
            ({"Fn::Sub": ["${A}-${Env}", {"A": {"Ref": "Vpc"}}]}, "vpc-1-prod"),
            ({"Fn::ImportValue": {"Fn::Sub": "Net:Vpc"}}, "vpc-9"),
            ({"Fn::Cidr": [{"Fn::GetAtt": ["Vpc", "CidrBlock"]}, 2, "8"]}, ["10.0.0.0/24", "10.0.1.0/24"]),
            ({"Fn::Cidr": ["2001:db8::/56", 1, 64]}, ["2001:db8::/64"]),
            ({"Fn::Length": {"Ref": "Ids"}}, 2),
            ({"Fn::ToJsonString": {"a": [{"Ref": "Env"}]}}, '{"a":["prod"]}'),
            ("v-{{resolve:ssm:/ami:3}}", "v-</ami:3>"),
            ({"Statement": [{"Condition": {"Bool": {"aws:SecureTransport": "false"}}}]},) * 2,
        ],
    )
    def test_functions(self, resolver, source, value):
        """Every intrinsic function gives what CloudFormation's gives."""
        assert resolver.value(source) == value

    def test_no_value(self, resolver):
        """AWS::NoValue takes the property, or the list member, away."""
        nothing = {"Fn::If": ["Never", "x", {"Ref": "AWS::NoValue"}]}

        assert resolver.value({"A": nothing, "B": [nothing, "b"]}) == {"B": ["b"]}
        assert resolver.value(nothing) is NO_VALUE

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ({"Ref": "Nobody"}, "Unresolved resource dependencies [Nobody] in the Resources block of the template"),
            ({"Ref": "Gone"}, "Unresolved resource dependencies [Gone]"),
            ({"Fn::GetAtt": ["Vpc", "No"]}, "Requested attribute No does not exist in schema for Test::Vpc"),
            (
                {"Fn::GetAtt": ["Vpc", "Arn"]},
                "does not model the attribute Arn of Test::Vpc (Vpc); it has: A.B, CidrBlock",
            ),
            ({"Fn::GetAtt": ["Vpc", "Endpoint.Host"]}, "does not model the attribute Endpoint.Host of Test::Vpc"),
            ({"Fn::Select": [2, ["a"]]}, "Fn::Select cannot select nonexistent value at index 2"),
            ({"Fn::FindInMap": ["Sizes", "prod", "disks"]}, "Unable to get mapping for Sizes::prod::disks"),
            ({"Fn::ImportValue": "Net:Gone"}, "No export named Net:Gone found."),
            ({"Fn::Join": ["-", "text"]}, "every Fn::Join object requires two parameters"),
            ({"Fn::Join": ["-", [["nested"]]]}, "every value in Fn::Join must be a string"),
            ({"Fn::Sub": "${Ids}"}, "every value in Fn::Sub must be a string"),
            ({"Fn::Cidr": ["10.0.0.0/24", 3, 7]}, "Fn::Cidr can't cut"),
            ({"Fn::Base64": ["x"]}, "every Fn::Base64 object must have a String-typed value."),
            ({"Fn::ForEach": []}, "Encountered unsupported function: Fn::ForEach"),
            ({"Fn::If": ["Unknown", 1, 2]}, "Unresolved condition dependency Unknown"),
            ("{{resolve:ssm-secure:x}}", "no ssm-secure"),
        ],
    )
    def test_refusals(self, resolver, source, message):
        """What can't be resolved fails in CloudFormation's words; no value is invented."""
        with pytest.raises(TemplateError) as refusal:
            resolver.value(source)

        assert message in str(refusal.value)

    def test_language_extensions(self, resolver):
        """Fn::Length is refused without the transform that brings it."""
        plain = parse(json.dumps({"Resources": {"Vpc": {"Type": "T"}}}))
        without = Resolver(plain, {}, resolver.surroundings, {})

        with pytest.raises(TemplateError, match="Encountered unsupported function: Fn::Length"):
            without.value({"Fn::Length": ["a"]})


class TestCondition:
    def test_functions(self, resolver):
        """Conditions combine, refer to each other, and compare numbers with their texts."""
        assert [resolver.condition(name) for name in ("IsProd", "Never", "Both")] == [True, False, True]

    def test_present(self, resolver):
        """A resource is present unless its condition is false."""
        assert [resolver.present("Vpc"), resolver.present("Gone")] == [True, False]


class TestReferences:
    def test_all_forms(self):
        """Every way of mentioning a resource is found, and names of Fn::Sub's own are not."""
        value = {
            "A": {"Ref": "R"},
            "B": [{"Fn::GetAtt": ["G", "Arn"]}, {"Fn::GetAtt": "H.End.Port"}],
            "C": {"Fn::Sub": ["${Own} ${S} ${T.Arn} ${!No}", {"Own": {"Ref": "Deep"}}]},
        }

        assert list(references(value)) == [
            Reference("R"),
            Reference("G", "Arn"),
            Reference("H", "End.Port"),
            Reference("S"),
            Reference("T", "Arn"),
            Reference("Deep"),
        ]

    def test_taken_branch(self):
        """Only the branch that is taken counts when conditions are known."""
        value = {"Fn::If": ["Yes", {"Ref": "A"}, {"Ref": "B"}]}

        assert [one.target for one in references(value)] == ["A", "B"]
        assert [one.target for one in references(value, lambda _: False)] == ["B"]
