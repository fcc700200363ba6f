"""What the values of a template are, as far as they are known before a deploy."""

import pytest

from trnstack.advice.impact.leaves import leaves
from trnstack.advice.impact.model import Side, StackTemplate
from trnstack.advice.impact.symbols import Reference, Text, references, shown
from trnstack.advice.impact.values import NO_VALUE, Values

TEMPLATE = {
    "Parameters": {
        "Size": {"Type": "Number", "Default": "8"},
        "Zones": {"Type": "CommaDelimitedList", "Default": "a,b"},
        "Image": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/path"},
        "Asked": {"Type": "String"},
        "Secret": {"Type": "String", "NoEcho": True, "Default": "x"},
    },
    "Mappings": {"Sizes": {"big": {"gib": 100}}},
    "Conditions": {
        "Yes": {"Fn::Equals": [{"Ref": "Size"}, "8"]},
        "No": {"Fn::Not": [{"Condition": "Yes"}]},
        "Both": {"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]},
        "Either": {"Fn::Or": [{"Condition": "Yes"}, {"Condition": "Open"}]},
        "Open": {"Fn::Equals": [{"Ref": "Asked"}, "a"]},
        "Circle": {"Condition": "Circle"},
    },
    "Resources": {"Key": {"Type": "AWS::KMS::Key"}},
    "Outputs": {
        "E": {"Value": {"Fn::GetAtt": ["Key", "Arn"]}, "Export": {"Name": {"Fn::Sub": "${AWS::StackName}:Key"}}}
    },
}
ARN = Reference("s", "Key", "Arn")


@pytest.fixture
def of():
    """Returns what works a value out in a stack of two."""
    stacks = {
        name: StackTemplate(name=name, template=template)
        for name, template in (("s", TEMPLATE), ("other", {"Resources": {}}))
    }
    values = Values(Side(region="us-east-2", account=None, stacks=stacks), "111122223333")
    return lambda value, stack="s": values.of(value, stacks[stack])


class TestFunctions:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            ({"Ref": "Key"}, Reference("s", "Key")),
            ({"Fn::GetAtt": ["Key", "Arn"]}, ARN),
            ({"Fn::GetAtt": "Key.Arn"}, ARN),
            ({"Ref": "Size"}, "8"),
            ({"Ref": "Zones"}, ["a", "b"]),
            ({"Ref": "Asked"}, {"Ref": "Asked"}),
            ({"Ref": "Secret"}, {"Ref": "Secret"}),
            ({"Ref": "Image"}, {"Ref": "Image", "Default": "/path"}),
            ({"Ref": "AWS::Region"}, "us-east-2"),
            ({"Ref": "AWS::AccountId"}, "111122223333"),
            ({"Ref": "AWS::Partition"}, "aws"),
            ({"Ref": "AWS::StackId"}, {"Ref": "AWS::StackId"}),
            ({"Ref": "AWS::NoValue"}, NO_VALUE),
            ({"A": {"Ref": "AWS::NoValue"}, "B": 1}, {"B": 1}),
            ([{"Ref": "AWS::NoValue"}, 1], [1]),
            ({"Fn::Join": ["-", ["a", {"Ref": "Size"}, 7]]}, "a-8-7"),
            ({"Fn::Join": ["", ["a", {"Ref": "Key"}]]}, Text(("a", Reference("s", "Key")))),
            ({"Fn::Join": ["", ["", {"Ref": "Key"}, ""]]}, Reference("s", "Key")),
            ({"Fn::Sub": "a${Size}-${!No}"}, "a8-${No}"),
            ({"Fn::Sub": "${Key.Arn}/*"}, Text((ARN, "/*"))),
            ({"Fn::Sub": ["${x}${AWS::Region}", {"x": 1}]}, "1us-east-2"),
            ({"Fn::Select": ["1", {"Fn::Split": [",", "a,b"]}]}, "b"),
            ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, {"Fn::Select": [0, {"Fn::GetAZs": ""}]}),
            ({"Fn::FindInMap": ["Sizes", "big", "gib"]}, 100),
            ({"Fn::FindInMap": ["Sizes", "none", "gib"]}, {"Fn::FindInMap": ["Sizes", "none", "gib"]}),
            ({"Fn::If": ["Yes", 1, 2]}, 1),
            ({"Fn::If": ["No", 1, 2]}, 2),
            ({"Fn::If": ["Both", 1, 2]}, 2),
            ({"Fn::If": ["Either", 1, 2]}, 1),
            ({"Fn::If": ["Open", {"Ref": "Size"}, 2]}, {"Fn::If": ["Open", "8", 2]}),
            ({"Fn::If": ["Circle", 1, 2]}, {"Fn::If": ["Circle", 1, 2]}),
            ({"Fn::ImportValue": "s:Key"}, ARN),
            ({"Fn::ImportValue": "nobody:Key"}, {"Fn::ImportValue": "nobody:Key"}),
            ({"Fn::Join": "odd"}, {"Fn::Join": "odd"}),
            ({"Fn::Sub": 7}, {"Fn::Sub": 7}),
            ({"Fn::GetAtt": ["Key"]}, {"Fn::GetAtt": ["Key"]}),
        ],
        ids=str,
    )
    def test_gives(self, of, value, expected):
        """What is known is filled in, references stay references, and what is not known stays as it is."""
        assert of(value) == expected

    def test_other_words(self, of):
        """Two templates that say the same by other functions are equal."""
        joined = {"Fn::Join": ["", ["s3://", {"Ref": "Key"}, "/a"]]}

        assert of(joined) == of({"Fn::Sub": "s3://${Key}/a"})

    def test_import(self, of):
        """Another stack's export is the exporting stack's resource."""
        assert of({"Fn::ImportValue": "s:Key"}, "other") == ARN

    def test_references(self, of):
        """Every reference in a value is found, in texts too."""
        value = of({"A": [{"Fn::Sub": "${Key}x"}], "B": {"Fn::GetAtt": "Key.Arn"}})

        assert list(references(value)) == [Reference("s", "Key"), ARN]

    def test_shown(self, of):
        """A value is shown with its references by their names."""
        assert shown(of({"Fn::Sub": "${Key.Arn}/*"})) == "${Key.Arn}/*"
        assert shown({"a": ARN}) == '{"a": "${Key.Arn}"}'


class TestLeaves:
    @pytest.mark.parametrize(
        ("old", "new", "paths"),
        [
            ({"A": 1}, {"A": 1}, []),
            ({"A": {"B": 1, "C": 2}}, {"A": {"B": 1, "C": 3}}, [("A", "C")]),
            ({"A": 1}, {}, [("A",)]),
            ({"A": [1, 2]}, {"A": [1, 3]}, [("A", 1)]),
            ({"A": [1]}, {"A": [1, 3]}, [("A",)]),
            ({"A": {"Ref": "X"}}, {"A": {"Ref": "Y"}}, [("A", "Ref")]),
            ({"A": {"Ref": "X"}}, {"A": {"B": 1}}, [("A",)]),
            ({"A": ARN}, {"A": ARN}, []),
            ({"A": ARN}, {"A": "arn"}, [("A",)]),
        ],
    )
    def test_down_to_the_property(self, old, new, paths):
        """A difference is named by the innermost property; of lists of another length the list."""
        assert [leaf.path for leaf in leaves(old, new, lambda _: False)] == paths

    def test_through(self):
        """A value that reads the same and refers to what moves is a difference."""
        (leaf,) = leaves({"A": {"B": Text(("x", ARN))}}, {"A": {"B": Text(("x", ARN))}}, lambda each: each == ARN)

        assert (leaf.path, leaf.through) == (("A", "B"), (ARN,))


class TestParameterStore:
    """What one stack writes to the parameter store is what another one reads there."""

    def values(self, value, **parameter):
        declared = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/demo/id", **parameter}
        reader = StackTemplate(name="reader", template={"Parameters": {"Id": declared}, "Resources": {}})
        written = {"Type": "AWS::SSM::Parameter", "Properties": {"Name": {"Fn::Sub": "/demo/id"}, "Value": value}}
        writer = StackTemplate(name="writer", template={**reader.template, "Resources": {"Stored": written}})
        side = Side(region="us-east-2", account=None, stacks={"writer": writer, "reader": reader})
        return Values(side, None).of({"Fn::Sub": "id ${Id}"}, reader)

    def test_reference(self):
        """A reference that is written there stays one, of the stack that writes it."""
        assert self.values({"Ref": "FileSystem"}) == Text(("id ", Reference("writer", "FileSystem")))

    def test_deployed(self):
        """What CloudFormation says the store answered is no name to look for."""
        declared = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/demo/id"}
        reader = StackTemplate(
            name="reader", template={"Parameters": {"Id": declared}}, parameters={"Id": "fs-0a1b2c3d"}
        )
        written = {"Type": "AWS::SSM::Parameter", "Properties": {"Name": "/demo/id", "Value": {"Ref": "A"}}}
        writer = StackTemplate(name="writer", template={"Resources": {"Stored": written}})
        side = Side(region="us-east-2", account=None, stacks={"writer": writer, "reader": reader})

        assert Values(side, None).of({"Ref": "Id"}, reader) == Reference("writer", "A")

    @pytest.mark.parametrize(
        "parameter", [{"Default": "/another"}, {"Type": "AWS::SSM::Parameter::Name"}, {"Default": None}]
    )
    def test_not_written(self, parameter):
        """What no stack writes, or a parameter that is a name itself, is not known."""
        found = self.values({"Ref": "FileSystem"}, **parameter)

        assert not list(references(found))

    def test_circle(self):
        """A stack that writes what it reads there ends in what is not known."""
        assert not list(references(self.values({"Ref": "Id"})))
