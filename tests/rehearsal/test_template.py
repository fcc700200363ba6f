import json

import pytest

from rehearsal.template import TemplateError, parse

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
                    }
                }
            )
        )

        assert list(template.resources) == ["B", "A"]
        assert template.resources["B"].depends_on == ("A",)
        assert template.resources["B"].deletion_policy == "Retain"
        assert template.resources["A"].properties == {"X": 1}
        assert template.resources["A"].condition == "C"

    def test_yaml_short_tags(self):
        """Short function tags are written out, at any depth."""
        template = parse(
            """
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
            ({}, "Template format error: At least one Resources member must be defined."),
            ({"Resources": RESOURCES, "Resource": {}}, "Invalid template property or properties [Resource]"),
            (
                {"Resources": {"A": {"Properties": {}}}},
                "Template format error: [/Resources/A] Every Resources object must contain a Type member.",
            ),
            ({"Resources": {"A": {"Type": "T", "Propertys": {}}}}, "Invalid template resource property 'Propertys'"),
            (
                {"Resources": {"A": {"Type": "T", "Properties": {"X": [None]}}}},
                "Template format error: [/Resources/A/Properties/X/0] 'null' values are not allowed in templates",
            ),
            ({"Resources": {"a-b": {"Type": "T"}}}, "Template format error: Resource name a-b is non alphanumeric."),
            (
                {"Resources": {"A": {"Type": "T", "DeletionPolicy": "Keep"}}},
                "Template format error: Unrecognized DeletionPolicy Keep for resource A",
            ),
            (
                {"Resources": RESOURCES, "Outputs": {"O": {}}},
                "Template format error: [/Outputs/O] Every Outputs member must contain a Value object",
            ),
            ({"Resources": RESOURCES, "Transform": "Custom::Macro"}, "No transform named Custom::Macro found."),
        ],
    )
    def test_refusals(self, document, message):
        """A template of the wrong shape is refused in CloudFormation's words."""
        assert refused(document) == message

    @pytest.mark.parametrize(
        ("section", "most"), [("Resources", 500), ("Outputs", 200), ("Parameters", 200), ("Mappings", 200)]
    )
    def test_limits(self, section, most):
        """One member more than CloudFormation's quota is refused."""
        members = {f"M{number}": {"Type": "T", "Value": "v"} for number in range(most + 1)}

        words = refused({"Resources": RESOURCES, section: members})

        assert words == (
            f"Template format error: Number of {section.lower()}, {most + 1}, is greater than maximum allowed, {most}"
        )
