import pytest

from rehearsal.templates.template import TemplateError

MALFORMED = "Template format error: Output O is malformed. The Name field of "
TEXT = "Template format error: The Value field of every Outputs member must evaluate to a String"


@pytest.fixture
def refusal(cloud, thing):
    """Gives the words in which a template with some outputs is refused, with nothing made."""

    def of(**outputs: object) -> str:
        sections = {
            "Parameters": {
                "L": {"Type": "CommaDelimitedList", "Default": "a,b"},
                "E": {"Type": "String", "Default": ""},
            },
            "Conditions": {"No": {"Fn::Equals": ["a", "b"]}},
        }
        with pytest.raises(TemplateError) as refused:
            cloud.create({"A": thing()}, Outputs=outputs, **sections)
        assert cloud.things.calls == []
        return str(refused.value)

    return of


class TestCheckOutputs:
    @pytest.mark.parametrize(
        ("value", "rest"),
        [
            ({"Ref": "L"}, "."),
            ({"Ref": "AWS::NoValue"}, "."),
            ({"Fn::If": ["No", "a", {"Ref": "AWS::NoValue"}]}, "."),
            ({"Fn::Split": [",", {"Ref": "A"}]}, "."),
            ({"Fn::GetAZs": ""}, "."),
            ({"A": "b"}, " and not a Map."),
        ],
    )
    def test_no_text(self, refusal, value, rest):
        """A value that is known to be no text is refused before anything is made."""
        assert refusal(O={"Value": value}) == f"{TEXT}{rest} Output O does not."

    @pytest.mark.parametrize("inner", [{"Ref": "A"}, {"Fn::ImportValue": "x"}, {"Fn::GetAtt": ["A", "Arn"]}])
    def test_late_name(self, refusal, inner):
        """The name of an export is known from the start."""
        name = {"Fn::Join": ["", ["x", inner]]}

        assert refusal(O={"Value": "v", "Export": {"Name": name}}) == (
            f"{MALFORMED}Export must not depend on any resources, imported values, or Fn::GetAZs."
        )

    @pytest.mark.parametrize("name", [{"Ref": "E"}, {"Ref": "L"}, {"Fn::Sub": "${AWS::StackName}.x"}])
    def test_wrong_name(self, refusal, name):
        """A name that comes to nothing, to a list, or to other characters can't be given."""
        assert refusal(O={"Value": "v", "Export": {"Name": name}}).startswith(
            f"{MALFORMED}every Export member must be specified and consist only of alphanumeric characters"
        )

    def test_twice(self, refusal):
        """A name that is given twice is told with all others of its kind."""
        one, other = ({"Value": "v", "Export": {"Name": name}} for name in ("n:1", "n:2"))

        assert refusal(A=one, B=other, C=one, D=other) == (
            "Template format error: The Outputs section contains duplicate Export names: [n:1, n:2]. Specify a unique "
            "name for each export."
        )

    def test_once_by_condition(self, cloud, thing):
        """Two outputs of one name are well where only one of them exists."""
        conditions = {"Yes": {"Fn::Equals": ["a", "a"]}, "No": {"Fn::Not": [{"Condition": "Yes"}]}}
        outputs = {name: {"Condition": name, "Value": name, "Export": {"Name": "n"}} for name in conditions}

        stack = cloud.create({"A": thing()}, Conditions=conditions, Outputs=outputs)

        assert [(one.value, one.export) for one in stack.outputs] == [("Yes", "n")]


class TestCheckAttributes:
    def test_unknown(self, cloud, thing):
        """An attribute that the type does not have leads the stack back before anything is made."""
        outputs = {"O": {"Value": {"Fn::GetAtt": ["A", "No"]}}}

        stack = cloud.create({"A": thing()}, Outputs=outputs)

        assert (stack.status, cloud.things.calls) == ("ROLLBACK_COMPLETE", [])
        assert stack.events[1].reason == (
            "[Error] /Outputs/O/Value/Fn::GetAtt: Resource type Test::Thing does not support attribute {No}. Rollback "
            "requested by user."
        )
