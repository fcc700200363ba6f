import pytest

from rehearsal.engine.mentions import check_known
from rehearsal.schemas import Schema
from rehearsal.templates.template import TemplateError

NO = {"No": {"Fn::Equals": ["a", "b"]}}


@pytest.fixture
def refusal(cloud):
    """Gives the words in which a template is refused, with nothing made."""

    def of(resources, **sections: object) -> str:
        with pytest.raises(TemplateError) as refused:
            cloud.create(resources, **sections)
        assert cloud.world.all() == []
        return str(refused.value)

    return of


class TestCheckKnown:
    def test_all_at_once(self, refusal, thing):
        """Whatever is unknown is named in one sentence, from all resources, branches and metadata."""
        branch = {"Fn::If": ["No", {"Ref": "C"}, 1]}
        resources = {
            "A": thing(depends_on=["B", "P"], Size=branch),
            "Z": {**thing(Name={"Fn::Sub": "${D}"}), "Metadata": {"Init": [{"Ref": "E"}]}},
        }
        parameters = {"P": {"Type": "String", "Default": "a"}}

        assert refusal(resources, Conditions=NO, Parameters=parameters) == (
            "Template format error: Unresolved resource dependencies [B, C, D, E, P] in the Resources block of the "
            "template"
        )

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({"Fn::GetAtt": ["B", "Arn"]}, "Template error: instance of Fn::GetAtt references undefined resource B"),
            (
                {"Fn::Sub": "${B.Arn.Part}"},
                "Template error: instance of Fn::Sub references invalid resource attribute B.Arn.Part",
            ),
            (
                {"Fn::GetAtt": ["AWS::Region", "Name"]},
                "Template error: instance of Fn::GetAtt references undefined resource AWS::Region",
            ),
        ],
    )
    def test_no_resource(self, refusal, thing, value, message):
        """An attribute is a resource's; the sentence says by which function it is asked for."""
        assert refusal({"A": thing(Size=value)}) == message

    def test_outputs(self, refusal, thing):
        """An output's sentence is without the prefix of the others."""
        assert refusal({"A": thing()}, Outputs={"O": {"Value": {"Ref": "B"}}}) == (
            "Unresolved resource dependencies [B] in the Outputs block of the template"
        )

    @pytest.mark.parametrize(("in_registry", "is_refused"), [(False, True), (True, False)])
    def test_registry(self, cloud, thing, in_registry, is_refused):
        """A type that is not in the registry is known so well that a wrong attribute ends the request."""

        class Schemas:
            @staticmethod
            def get(_):
                return Schema("Test::Thing", {}, read_only=(("Arn",),), in_registry=in_registry)

        stack = cloud.world.new("main", account="123456789012", region="us-west-2")
        made = cloud.prepare(stack, {"A": thing(), "B": thing(Size={"Fn::GetAtt": ["A", "No"]})}).template

        if is_refused:
            with pytest.raises(TemplateError, match="resource A does not support attribute type No in Fn::GetAtt"):
                check_known(made, Schemas())
        else:
            check_known(made, Schemas())


class TestCheckPresent:
    @pytest.mark.parametrize("value", [{"Ref": "A"}, {"Fn::GetAtt": ["A", "Arn"]}, {"Fn::Sub": "${A}"}])
    def test_left_out(self, refusal, thing, value):
        """What its condition leaves out can't be referred to in a branch that is taken."""
        assert refusal({"A": thing(condition="No"), "B": thing(Size=value)}, Conditions=NO) == (
            "Template format error: Unresolved resource dependencies [A] in the Resources block of the template"
        )

    def test_depends_on(self, refusal, thing):
        """Nor can it be waited for."""
        assert "dependencies [A] in the Resources block" in refusal(
            {"A": thing(condition="No"), "B": thing(depends_on="A")}, Conditions=NO
        )

    def test_output(self, refusal, thing):
        """Nor can it be told in an output that exists."""
        outputs = {"O": {"Value": {"Ref": "A"}}}

        assert refusal({"A": thing(condition="No"), "B": thing()}, Conditions=NO, Outputs=outputs) == (
            "Unresolved resource dependencies [A] in the Outputs block of the template"
        )

    def test_together(self, cloud, thing):
        """What is left out together may refer to each other, and so may a branch that is not taken."""
        resources = {
            "A": thing(condition="No"),
            "B": thing(condition="No", depends_on="A", Size={"Ref": "A"}),
            "C": thing(Size={"Fn::If": ["No", {"Ref": "A"}, 1]}),
        }
        outputs = {"O": {"Condition": "No", "Value": {"Ref": "B"}}}

        assert cloud.create(resources, Conditions=NO, Outputs=outputs).status == "CREATE_COMPLETE"


class TestMetadata:
    def test_order(self, cloud, thing):
        """What a resource's metadata refers to is made before it."""
        cloud.create({"A": {**thing(), "Metadata": {"After": {"Ref": "B"}}}, "B": thing()})

        assert cloud.things.calls == [("CREATE", "B"), ("CREATE", "A")]
