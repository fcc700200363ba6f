import json

import pytest

from rehearsal.templates.parameters import Given, parameters
from rehearsal.templates.template import TemplateError, parse


def values(declared, given=None, previous=None, stored=None):
    template = parse(json.dumps({"Resources": {"T": {"Type": "T"}}, "Parameters": declared}))
    known = stored or {}
    return parameters(template, given or {}, previous or {}, lambda names: {name: known[name] for name in names})


class TestParameters:
    def test_default_and_given(self):
        """A given value goes before the default."""
        found = values(
            {"A": {"Type": "String", "Default": "d"}, "B": {"Type": "Number", "Default": 4}}, {"A": Given("g")}
        )

        assert {name: one.value for name, one in found.items()} == {"A": "g", "B": "4"}

    def test_lists(self):
        """Both kinds of lists become lists of texts without the blanks around commas."""
        found = values(
            {"A": {"Type": "CommaDelimitedList", "Default": "a, b"}, "B": {"Type": "List<AWS::EC2::Subnet::Id>"}},
            {"B": Given("s-1,s-2")},
        )

        assert [found["A"].value, found["B"].value] == [["a", "b"], ["s-1", "s-2"]]

    def test_previous(self):
        """A value that is to be kept is the stack's own, not the default."""
        declared = {"A": {"Type": "String", "Default": "d"}}
        before = values(declared, {"A": Given("old")})

        after = values(declared, {"A": Given(use_previous=True)}, before)

        assert after["A"].value == "old"

    def test_stored(self):
        """A Systems Manager type gives the stored value, and shows the name and the value."""
        found = values(
            {"V": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/version"}}, stored={"/version": "30"}
        )

        assert found["V"].value == "30"
        assert found["V"].described() == {
            "ParameterKey": "V",
            "ParameterValue": "/version",
            "ResolvedValue": "30",
        }

    def test_stored_list(self):
        """A stored list becomes a list."""
        found = values(
            {"V": {"Type": "AWS::SSM::Parameter::Value<List<String>>", "Default": "/ids"}}, stored={"/ids": "a,b"}
        )

        assert found["V"].value == ["a", "b"]

    def test_no_echo(self):
        """A secret value is never shown."""
        found = values({"P": {"Type": "String", "NoEcho": True}}, {"P": Given("secret")})

        assert found["P"].value == "secret"
        assert found["P"].described()["ParameterValue"] == "****"

    @pytest.mark.parametrize(
        ("declared", "given", "message"),
        [
            ({"A": {"Type": "String"}}, {}, "Parameters: [A] must have values"),
            ({"A": {"Type": "String"}}, {"Z": Given("1")}, "Parameters: [Z] do not exist in the template"),
            ({}, {"Z": Given("1")}, "Parameter values specified for a template which does not require them."),
            (
                {"A": {"Type": "AWS::SSM::Parameter::Value<String>"}},
                {},
                "Parameter A should either have input value or default value",
            ),
            (
                {"A": {"Type": "String", "AllowedValues": ["x", "y"]}},
                {"A": Given("z")},
                "Parameter 'A' must be one of AllowedValues [x, y]",
            ),
            (
                {"A": {"Type": "String", "AllowedPattern": "[a-z]+", "ConstraintDescription": "lower case"}},
                {"A": Given("A")},
                "Parameter A failed to satisfy constraint: lower case",
            ),
            (
                {"A": {"Type": "String", "MinLength": 3}},
                {"A": Given("ab")},
                "Parameter 'A' must contain at least 3 characters",
            ),
            (
                {"A": {"Type": "String", "MaxLength": "1"}},
                {"A": Given("ab")},
                "Parameter 'A' must contain at most 1 characters",
            ),
            ({"A": {"Type": "Number"}}, {"A": Given("many")}, "Parameter 'A' must be a number."),
            (
                {"A": {"Type": "Number", "MaxValue": 4}},
                {"A": Given("5")},
                "Parameter 'A' must be a number not greater than 4",
            ),
            (
                {"A": {"Type": "Number", "MinValue": 4}},
                {"A": Given("3")},
                "Parameter 'A' must be a number not less than 4",
            ),
            ({"A": {"Type": "Text", "Default": ""}}, {}, "Template format error: Unrecognized parameter type: Text"),
            (
                {"A": {"Type": "String"}},
                {"A": Given(use_previous=True)},
                (
                    "Invalid input for parameter key A. Cannot specify usePreviousValue as true for a parameter key "
                    "not in the previous template"
                ),
            ),
        ],
    )
    def test_refusals(self, declared, given, message):
        """A value that is missing, strange or not allowed is refused in CloudFormation's words."""
        with pytest.raises(TemplateError) as refusal:
            values(declared, given)

        assert str(refusal.value) == message
