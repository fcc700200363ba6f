"""How functions have to be written, in a property, in an output, and in a branch that is not taken."""

import json

import pytest

from rehearsal.templates.arguments import functions
from rehearsal.templates.template import NotModelledError, TemplateError, parse

JOIN = (
    "Template error: every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings "
    "to be joined or a function that returns a list of strings (such as Fn::GetAZs) to be joined."
)
SPLIT = (
    "Template error: every Fn::Split object requires two parameters, (1) a string delimiter and (2) a string to be "
    "split or a function that returns a string to be split."
)
SELECT = "Template error: Fn::Select requires a list argument with two elements: an integer index and a list"
FIND = (
    "Template error: every Fn::FindInMap object requires three parameters, the map name, map key and the attribute for "
    "return value"
)
GET_ATT = (
    "Template error: every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource "
    "attribute"
)
CONDITIONS = {"No": {"Fn::Equals": ["a", "b"]}}


def read(value, **sections: object):
    thing = {"Type": "Test::Thing", "Properties": {"X": value}}
    mappings = {"M": {"k": {"a": "v"}}}
    return parse(json.dumps({"Mappings": mappings, "Conditions": CONDITIONS, "Resources": {"A": thing}, **sections}))


def refused(value, **sections: object) -> str:
    with pytest.raises(TemplateError) as refusal:
        read(value, **sections)
    return str(refusal.value)


MISWRITTEN = [
    ({"Fn::Join": ["-", "text"]}, JOIN),
    ({"Fn::Join": [{"Ref": "A"}, ["a"]]}, JOIN),
    ({"Fn::Join": ["-"]}, JOIN),
    ({"Fn::Split": ["", "a"]}, SPLIT),
    ({"Fn::Split": [",", ["a"]]}, SPLIT),
    ({"Fn::Split": [","]}, SPLIT),
    ({"Fn::Select": ["x", ["a"]]}, SELECT),
    ({"Fn::Select": [-1, ["a"]]}, SELECT),
    ({"Fn::Select": [0, "a"]}, SELECT),
    (
        {"Fn::Select": ["2", ["a", {"Ref": "A"}]]},
        "Template error: Fn::Select cannot select nonexistent value at index 2",
    ),
    ({"Fn::FindInMap": ["M", "k"]}, FIND),
    ({"Fn::FindInMap": ["M", {"Fn::Sub": "k"}, "a"]}, FIND),
    ({"Fn::FindInMap": ["M", "k", "a", {"DefaultValue": "v"}]}, FIND),
    (
        {"Fn::FindInMap": ["N", "k", "a"]},
        "Template error: Mapping named 'N' is not present in the 'Mappings' section of template.",
    ),
    ({"Fn::GetAtt": ["A"]}, GET_ATT),
    ({"Fn::GetAtt": ["A", "B", "C"]}, GET_ATT),
    ({"Fn::GetAtt": ["A", ""]}, GET_ATT),
    ({"Fn::GetAtt": [{"Ref": "A"}, "B"]}, GET_ATT),
    (
        {"Fn::GetAtt": "A"},
        (
            "Template error: if specifying one argument to Fn::GetAtt, that argument must be a non-empty string "
            "in format "
            "<LogicalId>.<Attribute>"
        ),
    ),
    ({"Fn::If": ["No", 1]}, "Template error: Fn::If requires a list argument with three elements"),
    (
        {"Fn::If": [{"Fn::Equals": [1, 1]}, 1, 2]},
        "Template error: Fn::If requires a list argument with the first element being a condition",
    ),
    ({"Fn::If": ["Nope", 1, 2]}, "Template error: unresolved condition dependency Nope in Fn::If"),
    (
        {"Fn::Sub": "${array[@]}"},
        (
            "Template error: variable names in Fn::Sub syntax must contain only alphanumeric characters, underscores, "
            "periods, and colons"
        ),
    ),
    (
        {"Fn::Sub": ["${A}"]},
        (
            "Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify "
            "a string as "
            "first argument, and an optional second argument to specify a mapping of values to replace in the string"
        ),
    ),
    ({"Fn::Base64": ["a"]}, "Template error: every Fn::Base64 object must have a String-typed value."),
    ({"Fn::GetAZs": ["us-east-2"]}, "Template error: every Fn::GetAZs object must have a String-typed value."),
    ({"Ref": ["A"]}, "Template error: every Ref object must have a single String value."),
    ({"Ref": {"Fn::Sub": "A"}}, "Template error: every Ref object must have a single String value."),
]


class TestArguments:
    @pytest.mark.parametrize(("value", "message"), MISWRITTEN)
    def test_miswritten(self, value, message):
        """A function that is written wrongly is refused wherever it stands."""
        untaken = {"Fn::If": ["No", {"Deep": [value]}, "b"]}

        assert [refused(value), refused(untaken)] == [message] * 2
        assert refused("x", Outputs={"O": {"Value": value}}) == message

    @pytest.mark.parametrize("name", ["Fn::Foo", "Fn::Length", "Fn::ToJsonString", "Fn::Equals", "Fn::GetAtts"])
    def test_unsupported(self, name):
        """A function that is not there, or not without its transform, is named with those that are."""
        message = refused({name: ["a"]})

        assert message.startswith(
            f"Template error: Encountered unsupported function: {name} Supported functions are: ["
        )
        assert "Fn::Cidr" in message

    @pytest.mark.parametrize(
        "value",
        [
            {"Fn::Join": ["", {"Fn::GetAZs": ""}]},
            {"Fn::Join": ["-", [{"Ref": "A"}, 5, True]]},
            {"Fn::Select": ["0", {"Fn::Split": [",", {"Fn::ImportValue": {"Fn::Sub": "x"}}]}]},
            {"Fn::Select": [{"Ref": "AWS::Region"}, ["a"]]},
            {"Fn::FindInMap": ["M", {"Ref": "AWS::Region"}, {"Fn::FindInMap": ["M", "k", "a"]}]},
            {"Fn::GetAtt": ["A", {"Ref": "AWS::Region"}]},
            {"Fn::GetAtt": "A.B.C"},
            {"Fn::Sub": ["${ A } ${!x[@]} ${AWS::Region}", {"A": {"Ref": "A"}}]},
            {"Fn::Cidr": [{"Ref": "A"}, "6", 5]},
            {"Fn::Base64": {"Fn::Join": ["", ["a"]]}},
            {"Condition": {"Bool": {"aws:SecureTransport": "false"}}},
            {"Fn::Foo": 1, "Fn::Bar": 2},
        ],
    )
    def test_well_written(self, value):
        """What CloudFormation reads is read."""
        assert read(value).resources["A"].properties == {"X": value}

    def test_extended(self):
        """The language extensions allow more, of which the rehearsal has a part and names the rest."""
        more = {"Transform": "AWS::LanguageExtensions"}
        read({"Fn::FindInMap": ["N", {"Fn::Sub": "k"}, "a", {"DefaultValue": 1}]}, **more)
        read({"Fn::ToJsonString": {"a": {"Fn::Length": ["a"]}}}, **more)

        with pytest.raises(NotModelledError, match="does not model Fn::GetStackOutput"):
            read({"Fn::GetStackOutput": {"StackName": "s", "OutputName": "o"}})
        with pytest.raises(NotModelledError, match="does not model functions within Ref"):
            read({"Ref": {"Fn::Sub": "A"}}, **more)


class TestConditions:
    @pytest.mark.parametrize(
        ("test", "message"),
        [
            (
                "yes",
                "Template format error: Conditions can only be boolean operations on parameters and other conditions",
            ),
            ({"Fn::Equals": ["a"]}, "Template error: every Fn::Equals object requires a list of 2 string parameters."),
            (
                {"Fn::And": [{"Condition": "No"}]},
                "Template error: every Fn::And object requires a list of at least 2 and at most 10 boolean parameters.",
            ),
            (
                {"Fn::Or": [{"Condition": "No"}] * 11},
                "Template error: every Fn::Or object requires a list of at least 2 and at most 10 boolean parameters.",
            ),
            ({"Fn::Not": {"Condition": "No"}}, "Template error: every Fn::Not object requires one boolean parameter."),
            ({"Condition": "Gone"}, "Template error: unresolved condition dependency Gone in Condition"),
            (
                {"Fn::Equals": [{"Ref": "A"}, {"Fn::Sub": "${B.Arn}"}]},
                (
                    "Template format error: Unresolved dependencies [A, B]. Cannot reference resources in the "
                    "Conditions "
                    "block of the template"
                ),
            ),
            (
                {"Fn::Equals": [{"Fn::GetAtt": ["A", "Arn"]}, "a"]},
                (
                    "Template format error: Unresolved dependencies [A]. Cannot reference resources in the "
                    "Conditions block "
                    "of the template"
                ),
            ),
            (
                {"Fn::Equals": [{"Fn::ImportValue": "x"}, "a"]},
                "Template error: Cannot use Fn::ImportValue in Conditions.",
            ),
        ],
    )
    def test_refusals(self, test, message):
        """A condition is a function of parameters, mappings and other conditions."""
        assert refused("x", Conditions={**CONDITIONS, "C": test}) == message

    def test_unsupported(self):
        """A function that is no condition is named."""
        assert "unsupported function: Fn::Nothing" in refused("x", Conditions={"C": {"Fn::Nothing": []}})

    @pytest.mark.parametrize(
        "sections",
        [
            {"Resources": {"A": {"Type": "T", "Condition": "Gone"}}},
            {"Outputs": {"O": {"Value": "v", "Condition": "Gone"}}},
        ],
    )
    def test_undefined(self, sections):
        """A resource and an output need a condition that is there."""
        assert refused("x", **sections) == "Template format error: Condition Gone is not defined."


class TestRules:
    def test_condition(self):
        """A rule can't look at a condition."""
        rule = {"RuleCondition": {"Condition": "No"}, "Assertions": []}

        assert refused("x", Rules={"R": rule}) == (
            "Template format error: Following functions are not supported in the Rules block of the template: "
            "[Condition]."
        )

    def test_account(self):
        """A function that looks into the account is not modelled, and said so."""
        rule = {"Assertions": [{"Assert": {"Fn::Contains": [{"Fn::RefAll": "AWS::EC2::VPC::Id"}, "vpc-1"]}}]}

        with pytest.raises(NotModelledError, match="The rehearsal does not model Fn::RefAll"):
            read("x", Rules={"R": rule})


class TestFunctions:
    def test_order(self):
        """Functions come in the template's order, each before those within it."""
        value = [{"Fn::Join": ["", [{"Ref": "A"}]]}, {"X": {"Fn::Base64": "b"}}]

        assert [name for name, _ in functions(value)] == ["Fn::Join", "Ref", "Fn::Base64"]
