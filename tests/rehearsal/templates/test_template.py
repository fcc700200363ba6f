import json

import pytest

from rehearsal.templates.template import NotModelledError, TemplateError, parse

RESOURCES = {"Thing": {"Type": "Test::Thing"}}


def refused(document) -> str:
    with pytest.raises(TemplateError) as refusal:
        parse(document if isinstance(document, str) else json.dumps(document))
    return str(refusal.value)


class TestParse:
    def test_json(self):
        """A JSON template gives its resources in its own order, with what is said of each."""
        template = parse(
            json.dumps(
                {
                    "Resources": {
                        "B": {"Type": "T", "DependsOn": "A", "DeletionPolicy": "Retain"},
                        "A": {"Type": "T", "DependsOn": ["B"], "Properties": {"X": 1}, "Condition": "C"},
                    },
                    "Conditions": {"C": {"Fn::Equals": ["a", "a"]}},
                }
            )
        )

        assert list(template.resources) == ["B", "A"]
        assert template.resources["B"].depends_on == ("A",)
        assert template.resources["B"].deletion_policy == "Retain"
        assert template.resources["A"].properties == {"X": 1}
        assert template.resources["A"].condition == "C"

    def test_description_of_a_resource(self):
        """A resource may have a description of its own."""
        template = parse(json.dumps({"Resources": {"A": {"Type": "T", "Description": "one"}}}))

        assert template.resources["A"].properties == {}

    def test_yaml_short_tags(self):
        """Short function tags are written out, at any depth."""
        template = parse(
            """
            Conditions:
              IsProd: !Equals [a, a]
            Resources:
              Thing:
                Type: Test::Thing
                Properties:
                  Id: !Ref Other
                  Arn: !GetAtt Other.Endpoint.Port
                  List: !Split [",", !Sub "${Other},b"]
                  If: !If [IsProd, !Ref AWS::NoValue, {A: !Base64 b}]
            """
        )

        assert template.resources["Thing"].properties == {
            "Id": {"Ref": "Other"},
            "Arn": {"Fn::GetAtt": ["Other", "Endpoint.Port"]},
            "List": {"Fn::Split": [",", {"Fn::Sub": "${Other},b"}]},
            "If": {"Fn::If": ["IsProd", {"Ref": "AWS::NoValue"}, {"A": {"Fn::Base64": "b"}}]},
        }

    def test_yaml_dates_stay_text(self):
        """A policy document's version is text, though YAML knows it as a date."""
        template = parse("Resources: {P: {Type: T, Properties: {Version: 2012-10-17}}}")

        assert template.resources["P"].properties == {"Version": "2012-10-17"}

    @pytest.mark.parametrize(
        "body",
        [
            "Resources: {A: {Type: First}, A: {Type: T, Properties: {X: 1, X: 2}}}",
            '{"Resources": {"A": {"Type": "First"}, "A": {"Type": "T", "Properties": {"X": 1, "X": 2}}}}',
        ],
    )
    def test_keys_twice(self, body):
        """Of a key that is written twice the last is read, as go-to-k/cdk-real-drift issue 1074 found of AWS."""
        thing = parse(body).resources["A"]

        assert (thing.type, thing.properties) == ("T", {"X": 2})

    def test_cdk_sections_are_tolerated(self):
        """What the CDK writes beside resources is accepted."""
        template = parse(json.dumps({"Resources": RESOURCES, "Rules": {}, "Metadata": {"a": {}}, "Conditions": {}}))

        assert set(template.resources) == {"Thing"}

    @pytest.mark.parametrize(
        ("document", "message"),
        [
            ("{", "Template format error: JSON not well-formed. (line 1, column 2)"),
            ("a: [b", "Template format error: YAML not well-formed. (line 1, column 6)"),
            ("just text", "Template format error: unsupported structure."),
            (
                {"Resources": {"A": {"Properties": {}}}},
                "Template format error: [/Resources/A] Every Resources object must contain a Type member.",
            ),
            ({"Resources": {"A": 5}}, "Template format error: [/Resources/A] resource definition is malformed"),
            ({"Resources": {"A": {"Type": "T", "Propertys": {}}}}, "Invalid template resource property 'Propertys'"),
            (
                {"Resources": {"A": {"Type": "T", "DeletionPolicy": "Keep"}}},
                "Template format error: Unrecognized DeletionPolicy Keep for resource A",
            ),
            (
                {"Resources": {"A": {"Type": "T", "DependsOn": {"Ref": "B"}}}},
                "Template format error: DependsOn must be a string or list of strings.",
            ),
            (
                {"Resources": {"A": {"Type": "T", "DependsOn": [5]}}},
                "Template format error: Every DependsOn value must be a string.",
            ),
            (
                {"Resources": {"A": {"Type": "T", "DeletionPolicy": {"Ref": "P"}}}},
                "Template format error: Every DeletionPolicy member must be a string.",
            ),
        ],
    )
    def test_refusals(self, document, message):
        """A template of the wrong shape is refused in CloudFormation's words."""
        assert refused(document) == message

    def test_computed_policy(self):
        """What only the language extensions allow, and the rehearsal does not, is told in the rehearsal's own words."""
        thing = {"Type": "T", "DeletionPolicy": {"Ref": "P"}}

        with pytest.raises(NotModelledError, match="does not model functions within DeletionPolicy"):
            parse(json.dumps({"Transform": "AWS::LanguageExtensions", "Resources": {"A": thing}}))

    @pytest.mark.parametrize(
        ("section", "most"), [("Resources", 500), ("Outputs", 200), ("Parameters", 200), ("Mappings", 200)]
    )
    def test_limits(self, section, most):
        """One member more than CloudFormation's quota is refused."""
        members = {f"M{number}": {} for number in range(most + 1)}

        words = refused({"Resources": RESOURCES, section: members})

        assert words == (
            f"Template format error: Number of {section.lower()}, {most + 1}, is greater than maximum allowed, {most}"
        )
