import pytest


def lines(preview):
    return [(change.action, change.spec.logical_id, change.replacement) for change in preview.changes]


def details(preview, logical_id):
    (change,) = (change for change in preview.changes if change.spec.logical_id == logical_id)
    return [(one.name, one.recreation, one.dynamic, one.source, one.cause) for one in change.details]


class TestPreview:
    def test_new_stack(self, cloud, thing):
        """Everything is added."""
        stack = cloud.world.new("main", account="123456789012", region="us-west-2")

        preview = cloud.preview(stack, {"B": thing(Size={"Ref": "A"}), "A": thing()})

        assert lines(preview) == [("Add", "A", None), ("Add", "B", None)]

    def test_nothing(self, cloud, thing):
        """The same template changes nothing."""
        resources = {"A": thing(Size=1), "B": thing(Name={"Fn::GetAtt": ["A", "Arn"]})}
        stack = cloud.create(resources)

        assert cloud.preview(stack, resources).is_empty

    def test_modify_in_place(self, cloud, thing):
        """A property that may change is modified without replacement."""
        stack = cloud.create({"A": thing(Size=1)})

        preview = cloud.preview(stack, {"A": thing(Size=2)})

        assert lines(preview) == [("Modify", "A", "False")]
        assert details(preview, "A") == [("Size", "Never", False, "DirectModification", None)]

    def test_replacement_and_those_behind_it(self, cloud, thing):
        """What refers to a replaced resource changes too, and may be replaced if it does so create-only."""
        old = {
            "A": thing(Name="x"),
            "B": thing(Name={"Ref": "A"}),
            "C": thing(Size={"Fn::GetAtt": ["A", "Arn"]}),
            "D": thing(Size={"Ref": "B"}),
        }
        stack = cloud.create(old)

        preview = cloud.preview(stack, {**old, "A": thing(Name="y")})

        assert lines(preview) == [
            ("Modify", "A", "True"),
            ("Modify", "B", "Conditional"),
            ("Modify", "C", "False"),
            ("Modify", "D", "False"),
        ]
        assert details(preview, "B") == [("Name", "Always", True, "ResourceReference", "A")]
        assert details(preview, "C") == [("Size", "Never", True, "ResourceAttribute", "A.Arn")]

    def test_conditionally_create_only(self, cloud, thing):
        """A property that replaces in some cases says so."""
        stack = cloud.create({"A": thing(Maybe=1)})

        assert lines(cloud.preview(stack, {"A": thing(Maybe=2)})) == [("Modify", "A", "Conditional")]

    def test_removal(self, cloud, thing):
        """What left the template is removed as its policy says."""
        stack = cloud.create({"A": thing(policy="Retain"), "B": thing()})

        (change,) = cloud.preview(stack, {"B": thing()}).changes

        assert (change.action, change.physical_id, change.policy) == ("Remove", "a-1", "Retain")

    def test_parameter(self, cloud, thing):
        """A change that comes from a parameter names it."""
        declared = {"Parameters": {"Size": {"Type": "String"}}}
        resources = {"A": thing(Size={"Ref": "Size"})}
        stack = cloud.create(resources, parameters={"Size": "1"}, **declared)

        preview = cloud.preview(stack, resources, parameters={"Size": "2"}, **declared)

        assert details(preview, "A") == [("Size", "Never", False, "ParameterReference", "Size")]

    def test_values_known_later(self, cloud, thing):
        """A value that depends on a new resource is marked, whatever functions are around it."""
        stack = cloud.create({"A": thing()})
        sources = {"Size": {"Fn::Select": [3, {"Fn::Split": [".", {"Fn::GetAtt": ["B", "Arn"]}]}]}}

        preview = cloud.preview(stack, {"A": thing(**sources), "B": thing()})

        changed = preview.changes[-1]
        assert changed.after == {"Size": "{{changeSet:KNOWN_AFTER_APPLY}}"}

    @pytest.mark.parametrize(
        ("new", "attribute"),
        [({"policy": "Retain"}, "DeletionPolicy"), ({"replace_policy": "Retain"}, "UpdateReplacePolicy")],
    )
    def test_policies(self, cloud, thing, new, attribute):
        """A policy alone is a change as well."""
        stack = cloud.create({"A": thing()})

        (change,) = cloud.preview(stack, {"A": thing(**new)}).changes

        assert [detail.attribute for detail in change.details] == [attribute]

    def test_outputs_and_tags(self, cloud, thing):
        """Other outputs or stack tags are a change without a changed resource, or with all of them."""
        stack = cloud.create({"A": thing()}, tags={"a": "1"})

        outputs = cloud.preview(stack, {"A": thing()}, tags={"a": "1"}, Outputs={"O": {"Value": "v"}})
        tags = cloud.preview(stack, {"A": thing()}, tags={"a": "2"})

        assert (outputs.changes, outputs.is_empty) == ((), False)
        assert [detail.attribute for detail in tags.changes[0].details] == ["Tags"]

    def test_preview_changes_nothing(self, cloud, thing):
        """Looking makes no call and no event."""
        stack = cloud.create({"A": thing(Size=1)})
        calls, events = list(cloud.things.calls), list(stack.events)

        cloud.preview(stack, {"A": thing(Name="y"), "B": thing()})

        assert (cloud.things.calls, stack.events) == (calls, events)
