import pytest

from rehearsal.engine import Retention
from rehearsal.templates.template import NotModelledError, TemplateError


class TestCreate:
    def test_in_dependency_order(self, cloud, thing, history):
        """Each resource comes after those that it mentions or depends on, with one start and one end."""
        stack = cloud.create(
            {
                "Last": thing(Size={"Fn::GetAtt": ["Middle", "Arn"]}),
                "Middle": thing(Size={"Ref": "First"}),
                "First": thing(),
                "Beside": thing(depends_on="Last"),
            }
        )

        assert history(stack) == [
            ("main", "CREATE_IN_PROGRESS"),
            ("First", "CREATE_IN_PROGRESS"),
            ("First", "CREATE_COMPLETE"),
            ("Middle", "CREATE_IN_PROGRESS"),
            ("Middle", "CREATE_COMPLETE"),
            ("Last", "CREATE_IN_PROGRESS"),
            ("Last", "CREATE_COMPLETE"),
            ("Beside", "CREATE_IN_PROGRESS"),
            ("Beside", "CREATE_COMPLETE"),
            ("main", "CREATE_COMPLETE"),
        ]

    def test_properties_are_resolved(self, cloud, thing):
        """The handler gets plain values, and the events show the physical id and the properties."""
        stack = cloud.create({"A": thing(), "B": thing(Size={"Fn::Sub": "${A.Endpoint.Port}"})})

        assert stack.resources["B"].properties == {"Size": "443"}
        assert stack.events[-2].subject.physical_id == "b-2"
        assert stack.events[-2].subject.properties == {"Size": "443"}

    def test_false_condition(self, cloud, thing):
        """A resource whose condition is false is not made, and nobody waits for it."""
        stack = cloud.create(
            {"A": thing(condition="No"), "B": thing(Size={"Fn::If": ["No", {"Ref": "A"}, 1]})},
            Conditions={"No": {"Fn::Equals": [1, 2]}},
        )

        assert list(stack.records) == ["B"]
        assert stack.status == "CREATE_COMPLETE"

    def test_scope(self, cloud, thing):
        """Handlers learn the account, the region and the stack's own tags."""
        cloud.create({"A": thing()}, tags={"team": "ml"})

        (scope,) = cloud.things.scopes
        assert (scope.account, scope.region, scope.stack_name) == ("123456789012", "us-west-2", "main")
        assert scope.tags == {"team": "ml"}

    def test_outputs(self, cloud, thing):
        """Outputs are texts; those whose condition is false are not there."""
        stack = cloud.create(
            {"A": thing()},
            Conditions={"No": {"Fn::Equals": [1, 2]}},
            Outputs={
                "Id": {
                    "Value": {"Ref": "A"},
                    "Description": "d",
                    "Export": {"Name": {"Fn::Sub": "${AWS::StackName}:A"}},
                },
                "Port": {"Value": {"Fn::GetAtt": ["A", "Endpoint.Port"]}},
                "Gone": {"Value": "x", "Condition": "No"},
            },
        )

        assert [(output.key, output.value, output.export) for output in stack.outputs] == [
            ("Id", "a-1", "main:A"),
            ("Port", "443", None),
        ]


class TestFailedCreate:
    def test_rolls_back(self, cloud, thing, history):
        """What was made is removed, dependents first, and the reasons are told."""
        cloud.things.failures.add(("CREATE", "C"))

        stack = cloud.create({"A": thing(), "B": thing(depends_on="A"), "C": thing(depends_on="B")})

        assert history(stack)[5:] == [
            ("C", "CREATE_IN_PROGRESS"),
            ("C", "CREATE_FAILED"),
            ("main", "ROLLBACK_IN_PROGRESS"),
            ("B", "DELETE_IN_PROGRESS"),
            ("B", "DELETE_COMPLETE"),
            ("A", "DELETE_IN_PROGRESS"),
            ("A", "DELETE_COMPLETE"),
            ("main", "ROLLBACK_COMPLETE"),
        ]
        assert stack.events[6].reason == (
            'Resource handler returned message: "C is refused" (HandlerErrorCode: InvalidRequest)'
        )
        assert stack.events[7].reason == (
            "The following resource(s) failed to create: [C]. Rollback requested by user."
        )
        assert cloud.things.existing == []

    @pytest.mark.parametrize(("policy", "kept"), [("Delete", False), ("Retain", True), ("RetainExceptOnCreate", False)])
    def test_policies(self, cloud, thing, policy, kept):
        """Only Retain keeps a resource whose creation is rolled back."""
        cloud.things.failures.add(("CREATE", "B"))

        stack = cloud.create({"A": thing(policy=policy), "B": thing(depends_on="A")})

        assert cloud.things.existing == (["a-1"] if kept else [])
        assert stack.records["A"].status == ("DELETE_SKIPPED" if kept else "DELETE_COMPLETE")

    def test_retain_except_on_create_for_all(self, cloud, thing):
        """The caller may have new resources deleted in spite of Retain."""
        cloud.things.failures.add(("CREATE", "B"))

        cloud.create(
            {"A": thing(policy="Retain"), "B": thing(depends_on="A")},
            retention=Retention(retain_except_on_create=True),
        )

        assert cloud.things.existing == []

    def test_failed_rollback(self, cloud, thing):
        """A resource that can't be removed fails the way back and is named, and keeps what it depends on."""
        cloud.things.failures |= {("CREATE", "C"), ("DELETE", "B")}

        stack = cloud.create({"A": thing(), "B": thing(depends_on="A"), "C": thing(depends_on="B")})

        assert (stack.status, stack.reason) == (
            "ROLLBACK_FAILED",
            "The following resource(s) failed to delete: [B]. ",
        )
        assert ("DELETE", "A") not in cloud.things.calls

    def test_disabled_rollback(self, cloud, thing):
        """Without rollback the stack stays as it failed, and can be rolled back later."""
        cloud.things.failures.add(("CREATE", "B"))

        stack = cloud.create({"A": thing(), "B": thing(depends_on="A")}, retention=Retention("DO_NOTHING"))
        assert (stack.status, cloud.things.existing) == ("CREATE_FAILED", ["a-1"])

        cloud.engine.roll_back(stack, Retention())()
        assert (stack.status, cloud.things.existing) == ("ROLLBACK_COMPLETE", [])

    def test_disabled_rollback_then_update(self, cloud, thing):
        """A later update makes what failed and leaves alone what is there."""
        resources = {"A": thing(), "B": thing(depends_on="A")}
        cloud.things.failures.add(("CREATE", "B"))
        stack = cloud.create(resources, retention=Retention("DO_NOTHING"))
        cloud.things.failures.clear()

        cloud.update(stack, resources)

        assert (stack.status, cloud.things.existing) == ("UPDATE_COMPLETE", ["a-1", "b-2"])

    def test_on_failure_delete(self, cloud, thing):
        """The caller may have a stack that fails deleted altogether."""
        cloud.things.failures.add(("CREATE", "B"))

        stack = cloud.create({"A": thing(), "B": thing(depends_on="A")}, retention=Retention("DELETE"))

        assert (stack.status, cloud.things.existing) == ("DELETE_COMPLETE", [])

    def test_without_a_model(self, cloud):
        """Types that CloudFormation knows and the rehearsal does not are told at once, and no stack is made."""
        cloud.engine = type(cloud.engine)(cloud.world, lambda _: None, cloud.engine.client, cloud.engine.schemas_of)
        unmade = {name: {"Type": f"Test::{kind}"} for name, kind in (("A", "One"), ("B", "Two"), ("C", "One"))}

        with pytest.raises(NotModelledError) as refusal:
            cloud.create(unmade)

        assert "does not model Test::One (A, C), Test::Two (B):" in str(refusal.value)
        assert cloud.world.all() == []

    def test_missing_attribute(self, cloud, thing):
        """An attribute that the service did not answer fails the resource that asks for it."""
        stack = cloud.create({"A": thing(), "B": thing(Size={"Fn::GetAtt": ["A", "Version"]})})

        assert stack.records["B"].status == "CREATE_FAILED"
        assert "does not model the attribute Version of Test::Thing (A)" in stack.records["B"].reason

    def test_unknown_attribute(self, cloud, thing):
        """An attribute that the type does not have fails the resource that asks for it, when it is made."""
        stack = cloud.create({"A": thing(), "B": thing(Size={"Fn::GetAtt": ["A", "No"]})})

        assert (stack.status, stack.records["B"].status) == ("ROLLBACK_COMPLETE", "CREATE_FAILED")
        assert stack.records["B"].reason == "Requested attribute No does not exist in schema for Test::Thing"

    def test_failed_output(self, cloud, thing):
        """An output that takes what no stack exports rolls the stack back before anything is made."""
        stack = cloud.create({"A": thing()}, Outputs={"O": {"Value": {"Fn::ImportValue": "Nobody"}}})

        assert (stack.status, cloud.things.calls) == ("ROLLBACK_COMPLETE", [])
        assert stack.events[1].reason == "No export named Nobody found. Rollback requested by user."


class TestCheck:
    @pytest.mark.parametrize(
        ("resources", "sections", "message"),
        [
            ({"A": {"Type": "Other::Thing"}}, {}, "Template format error: Unrecognized resource types: [Other::Thing]"),
            (
                {"A": {"Type": "Test::T", "Properties": {"X": {"Ref": "B"}}}},
                {},
                "Template format error: Unresolved resource dependencies [B] in the Resources block of the template",
            ),
            (
                {"A": {"Type": "Test::T", "DependsOn": "B"}},
                {},
                "Template format error: Unresolved resource dependencies [B] in the Resources block of the template",
            ),
            (
                {"A": {"Type": "Test::T"}},
                {"Outputs": {"O": {"Value": {"Fn::Sub": "${B}"}}}},
                "Unresolved resource dependencies [B] in the Outputs block of the template",
            ),
            (
                {"A": {"Type": "Test::T", "Properties": {"X": {"Fn::GetAtt": ["B", "No"]}}}},
                {},
                "Template error: instance of Fn::GetAtt references undefined resource B",
            ),
            (
                {
                    "A": {"Type": "Test::T", "DependsOn": "B"},
                    "B": {"Type": "Test::T", "DependsOn": "C"},
                    "C": {"Type": "Test::T", "DependsOn": "A"},
                },
                {},
                "Circular dependency between resources: [A, B, C]",
            ),
            (
                {"A": {"Type": "Test::T", "DeletionPolicy": "Snapshot"}},
                {},
                "Template error: resource type Test::T does not support deletion policy Snapshot",
            ),
            (
                {"A": {"Type": "Test::T"}},
                {
                    "Rules": {
                        "Old": {
                            "Assertions": [
                                {
                                    "Assert": {"Fn::Not": [{"Fn::Contains": [["1", "2"], "2"]}]},
                                    "AssertDescription": "bootstrap again",
                                }
                            ]
                        }
                    }
                },
                "Rule Old failed to satisfy its assertions: bootstrap again",
            ),
        ],
    )
    def test_refusals(self, cloud, resources, sections, message):
        """What CloudFormation refuses before it begins is refused before anything is made."""
        with pytest.raises(TemplateError) as refusal:
            cloud.create(resources, **sections)

        assert str(refusal.value) == message
        assert cloud.things.calls == []

    def test_capabilities(self, cloud, thing):
        """A named identity needs the named capability; others the plain one or none."""
        named = cloud.prepare(
            cloud.world.new("s", account="1", region="us-west-2"),
            {"A": thing("Test::Identity", Name="n"), "B": thing()},
        )

        assert cloud.engine.capabilities(named.template, "us-west-2") == {"Test::Identity": "CAPABILITY_NAMED_IAM"}
