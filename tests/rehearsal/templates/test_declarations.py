import json

import pytest

from rehearsal.templates.template import TemplateError, parse


def declared(**declaration: object):
    body = {"Resources": {"T": {"Type": "T"}}, "Parameters": {"P": {"Type": "String", **declaration}}}
    return parse(json.dumps(body)).section("Parameters")["P"]


class TestCheck:
    @pytest.mark.parametrize(
        "declaration",
        [
            {"Type": "List<String>", "Default": "a, b", "AllowedValues": ["a", "b"]},
            {"Type": "CommaDelimitedList", "Default": "ab,cd", "AllowedPattern": "[a-z]{2}"},
            {"Type": "List<Number>", "Default": "1,2"},
            {"Type": "Number", "Default": 3, "AllowedValues": [3, "5"], "MinValue": 3, "MaxValue": "5"},
            {"Type": "AWS::SSM::Parameter::Value<List<AWS::EC2::Subnet::Id>>", "Default": "/subnets"},
            {"Type": "List<AWS::EC2::AvailabilityZone::Name>", "NoEcho": "true", "Description": "zones"},
            {"Type": "AWS::SSM::Parameter::Name", "MinLength": 1, "MaxLength": "8"},
            {"Default": True, "AllowedValues": [True, False]},
            {"Default": "", "AllowedPattern": "a*", "ConstraintDescription": "letters"},
        ],
    )
    def test_taken(self, declaration):
        """What CloudFormation takes is taken."""
        assert declared(**declaration) == {"Type": "String", **declaration}

    @pytest.mark.parametrize(
        ("declaration", "message"),
        [
            ({"Foo": 1}, "Invalid template parameter property 'Foo'"),
            ({"Type": 5}, "Template format error: [/Parameters/P] Every Parameters object must contain a Type member."),
            ({"Type": "Text"}, "Template format error: Unrecognized parameter type: Text"),
            (
                {"Type": "AWS::EC2::VPCs::Id"},
                "Template format error: Unrecognized parameter type: AWS::EC2::VPCs::Id",
            ),
            (
                {"Type": "AWS::SSM::Parameter::Value<Text>"},
                "Template format error: Unrecognized parameter type: AWS::SSM::Parameter::Value<Text>",
            ),
            ({"Default": "z", "AllowedValues": ["x", "y"]}, "Parameter 'P' must be one of AllowedValues [x, y]"),
            ({"Default": "z", "AllowedPattern": "[a-c]"}, "Parameter 'P' must match pattern [a-c]"),
            ({"Default": "", "MinLength": 1}, "Parameter 'P' must contain at least 1 characters"),
            ({"Type": "Number", "Default": "many"}, "Parameter 'P' must be a number."),
            (
                {"Default": "", "MinLength": 1, "ConstraintDescription": "a name"},
                "Parameter P failed to satisfy constraint: a name",
            ),
            (
                {"Type": "CommaDelimitedList", "Default": "ab,c", "AllowedPattern": "[a-z]{2}"},
                "Parameter 'P' must match pattern [a-z]{2}",
            ),
            ({"MinValue": 1}, "Template error: Parameter 'P' MinValue must be on a parameter of type Number"),
            (
                {"Type": "Number", "MaxLength": 1},
                "Template error: Parameter 'P' MaxLength must be on a parameter of type String",
            ),
            (
                {"AllowedValues": [["a"]]},
                "Template format error: [/Parameters/P] Every AllowedValues value must be a string.",
            ),
        ],
    )
    def test_refused(self, declaration, message):
        """A declaration that can't be is refused, and a default that it does not allow, whatever is given later."""
        with pytest.raises(TemplateError) as refusal:
            declared(**declaration)

        assert str(refusal.value) == message
