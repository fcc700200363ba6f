"""The reviewed overlay and the published schemas."""

import pytest

from trnstack.advice.impact import Impact
from trnstack.advice.impact.overlay import overlay
from trnstack.advice.impact.schemas import Schema, index, schema
from trnstack.advice.impact.text import document

REGION = "us-east-1"
FACTS = overlay()
ROWS = [
    *FACTS.create_only_rows,
    *FACTS.conditional,
    *FACTS.effects,
    *FACTS.gone,
    *FACTS.names,
    *FACTS.volatile,
    *FACTS.stable,
]


class TestOverlay:
    @pytest.mark.parametrize(
        "row", ROWS, ids=lambda row: f"{row.type}-{'-'.join('/'.join(path) for path in row.paths)}"
    )
    def test_row(self, row):
        """Every row has its source, and is about a type and about properties and attributes that exist."""
        known = schema(REGION, row.type)

        assert row.source
        assert known is not None
        assert all(known.knows(path) for path in row.paths)
        assert all(name in known.properties for name in row.properties)
        assert not row.impact or Impact(row.impact)

    @pytest.mark.parametrize("row", [*FACTS.volatile, *FACTS.stable], ids=lambda row: f"{row.type} {row.names}")
    def test_attributes(self, row):
        """Attributes that are called moving or fixed are ones that the type has."""
        known = schema(REGION, row.type)

        assert row.names
        assert all(
            (name,) in known.read_only or (name,) in known.primary_identifier or name in known.properties
            for name in row.names
        )

    @pytest.mark.parametrize("kind", FACTS.holds_data)
    def test_what_holds_data(self, kind):
        """What holds data is a type that exists."""
        assert kind in index(REGION) or kind in index("us-east-2")

    def test_nothing_twice(self):
        """A property is in one row of what replaces."""
        rows = [(row.type, path) for row in FACTS.create_only_rows for path in row.paths]

        assert len(rows) == len(set(rows))


class TestSchemas:
    @pytest.mark.parametrize(
        ("kind", "path", "known"),
        [
            ("AWS::FSx::FileSystem", ("LustreConfiguration", "DeploymentType"), True),
            ("AWS::FSx::FileSystem", ("LustreConfiguration", "Nope"), False),
            ("AWS::FSx::FileSystem", ("Tags", 0, "Key"), True),
            ("AWS::FSx::FileSystem", ("Tags", 0, "Nope"), False),
            ("AWS::EKS::Nodegroup", ("Labels", "any/label"), True),
            ("AWS::IAM::Role", ("AssumeRolePolicyDocument", "Statement", 0, "Sid"), True),
            ("AWS::EC2::LaunchTemplate", ("LaunchTemplateData", "NetworkInterfaces", 3, "InterfaceType"), True),
            ("AWS::EC2::LaunchTemplate", ("LaunchTemplateData", "NetworkInterfaces", 3, "Nope"), False),
            ("AWS::S3::Bucket", ("Nope",), False),
        ],
    )
    def test_knows(self, kind, path, known):
        """A property is known where the schema spells it out, or leaves open what may be there."""
        assert schema(REGION, kind).knows(path) is known

    def test_choices(self):
        """What may be one of several objects has the properties of any."""
        choice = {"properties": {"B": {"type": "string"}}}
        made = Schema("T", {"A": {"oneOf": [choice, {"$ref": "#/definitions/Other"}]}}, definitions={"Other": choice})

        assert made.knows(("A", "B"))
        assert not made.knows(("A", "C"))


class TestText:
    def test_short_tags(self):
        """A template that was written as YAML reads as its JSON."""
        text = "Resources:\n  A:\n    Properties: {B: !GetAtt C.Arn, D: !Sub 'x${E}', F: !Ref G}\n"

        assert document(text)["Resources"]["A"]["Properties"] == {
            "B": {"Fn::GetAtt": ["C", "Arn"]},
            "D": {"Fn::Sub": "x${E}"},
            "F": {"Ref": "G"},
        }

    @pytest.mark.parametrize(
        ("text", "message"), [("a: [", "is neither JSON nor YAML at line 1"), ("text", "is no object with sections")]
    )
    def test_no_template(self, text, message):
        """What is no template is said in words."""
        with pytest.raises(ValueError, match=message):
            document(text)
