import json

import pytest

from rehearsal.templates.template import NotModelledError, TemplateError, parse

RESOURCES = {"Thing": {"Type": "Test::Thing"}}


def read(**sections: object):
    return parse(json.dumps({"Resources": RESOURCES, **sections}))


def refused(**sections: object) -> str:
    with pytest.raises(TemplateError) as refusal:
        read(**sections)
    return str(refusal.value)


EXPORT = (
    "Template format error: Output O is malformed. The Name field of every Export member must be specified and consist "
    "only of alphanumeric characters, colons, or hyphens."
)


class TestCheck:
    def test_version(self):
        """The one version that there is may stand there, quoted or not."""
        body = "AWSTemplateFormatVersion: 2010-09-09\nResources: {A: {Type: 'Test::Thing'}}"

        assert parse(body).document["AWSTemplateFormatVersion"] == "2010-09-09"

    def test_mapping(self):
        """A mapping's keys may be regions and versions, its values texts, numbers and lists."""
        mapping = {"us-east-2": {"Image": "ami-1", "Zones": ["a"], "Count": 2}, "1.34": {"Image": "x"}}

        assert read(Mappings={"Regions": mapping}).section("Mappings") == {"Regions": mapping}

    @pytest.mark.parametrize(
        ("sections", "message"),
        [
            ({"Resource": {}}, "Invalid template property or properties [Resource]"),
            ({"Resources": {}}, "Template format error: At least one Resources member must be defined."),
            ({"Resources": ""}, "Template format error: Any Resources member must be an object."),
            ({"Parameters": None}, "[/Parameters] 'null' values are not allowed in templates"),
            (
                {"Resources": {"A": {"Type": "T", "Properties": {"X": [None]}}}},
                "[/Resources/A/Properties/X/0] 'null' values are not allowed in templates",
            ),
            (
                {"AWSTemplateFormatVersion": "2010-09-10"},
                "Template format error: unsupported value for AWSTemplateFormatVersion.",
            ),
            (
                {"Description": {"Ref": "AWS::Region"}},
                "Template format error: Every Description member must be a string.",
            ),
            ({"Resources": {"a-b": {}}}, "Template format error: Resource name a-b is non alphanumeric."),
            (
                {"Parameters": {"Thing": {"Type": "String"}}},
                "Template error: all resources and parameters must have unique names. Common name(s):[Thing]",
            ),
            ({"Mappings": {"M": []}}, "Template format error: Every Mappings member M must be a map"),
            ({"Mappings": {"M": {"k": "v"}}}, "Template format error: Every Mappings member k must be a map"),
            (
                {"Mappings": {"M": {"k": {"a-b": "v"}}}},
                "Template format error: Mappings attribute name 'a-b' must contain only alphanumeric characters.",
            ),
            (
                {"Mappings": {"M": {"a/b": {"a": "v"}}}},
                (
                    "Template format error: Mappings element name 'a/b' must be non-empty and can contain only "
                    "alphanumerics, '-' or '.'"
                ),
            ),
            (
                {"Mappings": {"M": {"k": {"a": {"Ref": "AWS::Region"}}}}},
                "Template format error: Every Mappings attribute must be a String or a List.",
            ),
            ({"Mappings": {"M-x": {}}}, "Template format error: Mapping name M-x is non alphanumeric."),
            ({"Conditions": {"C-x": {}}}, "Template format error: Condition name C-x is non alphanumeric."),
            ({"Outputs": {"O": {}}}, "Template format error: Every Outputs member must contain a Value object"),
            ({"Outputs": {"O": {"Value": "v", "Foo": 1}}}, "Invalid template output property 'Foo'"),
            (
                {"Outputs": {"O": {"Value": "v", "Description": 5}}},
                "Template format error: Every Description member must be a string.",
            ),
            (
                {"Outputs": {"O": {"Value": ["v"]}}},
                (
                    "Template format error: The Value field of every Outputs member must evaluate to a String "
                    "and not a "
                    "List. Output O does not."
                ),
            ),
            ({"Outputs": {"O": {"Value": "v", "Export": {"Name": ""}}}}, EXPORT),
            ({"Outputs": {"O": {"Value": "v", "Export": {"Name": "a.b"}}}}, EXPORT),
            ({"Outputs": {"O": {"Value": "v", "Export": {}}}}, EXPORT),
            ({"Outputs": {"O": {"Value": "v", "Export": "name"}}}, EXPORT),
            ({"Transform": "Custom::Macro"}, "No transform named Custom::Macro found."),
            ({"Transform": {"Name": {"Ref": "P"}}}, "Key Name of transform definition must be a string."),
            (
                {"Resources": {"Fn::ForEach::X": ["I", ["a"], {}]}},
                "Template format error: [/Resources/Fn::ForEach::X] resource definition is malformed",
            ),
        ],
    )
    def test_refusals(self, sections, message):
        """A section of the wrong shape is refused in CloudFormation's words."""
        assert refused(**sections) == message

    @pytest.mark.parametrize(
        ("sections", "words"),
        [
            ({"Transform": "AWS::Serverless-2016-10-31"}, "the transform AWS::Serverless-2016-10-31"),
            ({"Transform": ["AWS::LanguageExtensions", {"Name": "AWS::Include"}]}, "the transform AWS::Include"),
            (
                {"Resources": {"A": {"Type": "T", "Properties": {"Fn::Transform": {"Name": "AWS::Include"}}}}},
                "the transform AWS::Include",
            ),
            (
                {"Transform": "AWS::LanguageExtensions", "Resources": {"Fn::ForEach::X": ["I", ["a"], {}]}},
                r"Fn::ForEach of the transform AWS::LanguageExtensions \(/Resources/Fn::ForEach::X\)",
            ),
        ],
    )
    def test_not_modelled(self, sections, words):
        """What AWS has and only the rehearsal lacks is told in the rehearsal's own words."""
        with pytest.raises(NotModelledError, match=f"The rehearsal does not model {words}"):
            read(**sections)
