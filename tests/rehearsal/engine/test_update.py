import pytest

from rehearsal.engine import Retention
from rehearsal.templates.template import TemplateError


class TestUpdate:
    def test_in_place(self, cloud, thing, history, ids):
        """A changed property that may change is changed; what is the same is left alone."""
        stack = cloud.create({"A": thing(Size=1), "B": thing(Size={"Ref": "A"})})
        before = ids(stack)
        seen = len(stack.events)

        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size={"Ref": "A"})})

        assert history(stack)[seen:] == [
            ("main", "UPDATE_IN_PROGRESS"),
            ("A", "UPDATE_IN_PROGRESS"),
            ("A", "UPDATE_COMPLETE"),
            ("main", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
            ("main", "UPDATE_COMPLETE"),
        ]
        assert ids(stack) == before
        assert stack.resources["A"].properties == {"Size": 2}

    def test_number_and_text_are_the_same(self, cloud, thing):
        """8 and "8" are no change."""
        stack = cloud.create({"A": thing(Size=8)})

        cloud.update(stack, {"A": thing(Size="8")})

        assert ("UPDATE", "A") not in cloud.things.calls

    def test_replacement(self, cloud, thing, history, ids):
        """A create-only property makes a new resource first; the old one goes when all is done."""
        stack = cloud.create({"A": thing(Name="x"), "B": thing(Size={"Ref": "A"})})
        seen = len(stack.events)

        cloud.update(stack, {"A": thing(Name="y"), "B": thing(Size={"Ref": "A"})})

        assert history(stack)[seen:] == [
            ("main", "UPDATE_IN_PROGRESS"),
            ("A", "UPDATE_IN_PROGRESS"),
            ("A", "UPDATE_COMPLETE"),
            ("B", "UPDATE_IN_PROGRESS"),
            ("B", "UPDATE_COMPLETE"),
            ("main", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
            ("A", "DELETE_IN_PROGRESS"),
            ("A", "DELETE_COMPLETE"),
            ("main", "UPDATE_COMPLETE"),
        ]
        assert [event.subject.physical_id for event in stack.events[seen + 1 : seen + 3]] == ["a-1", "a-3"]
        assert stack.events[-2].subject.physical_id == "a-1"
        assert ids(stack) == {"A": "a-3", "B": "b-2"}
        assert stack.resources["B"].properties == {"Size": "a-3"}

    def test_nested_create_only_path(self, cloud, thing, ids):
        """Of a nested property only the create-only path replaces."""
        stack = cloud.create({"A": thing(Config={"Kind": "k", "Speed": 1})})

        cloud.update(stack, {"A": thing(Config={"Kind": "k", "Speed": 2})})
        assert ids(stack) == {"A": "a-1"}

        cloud.update(stack, {"A": thing(Config={"Kind": "l", "Speed": 2})})
        assert ids(stack) == {"A": "a-2"}

    def test_cascade(self, cloud, thing, ids):
        """A replacement replaces those whose create-only properties refer to it, old ones removed dependents first."""
        stack = cloud.create({"A": thing(Name="x"), "B": thing(Name={"Ref": "A"})})

        cloud.update(stack, {"A": thing(Name="y"), "B": thing(Name={"Ref": "A"})})

        assert ids(stack) == {"A": "a-3", "B": "b-4"}
        assert cloud.things.calls[-2:] == [("DELETE", "B"), ("DELETE", "A")]

    def test_attribute_changes(self, cloud, thing):
        """An attribute that an update in place changes reaches those that use it."""
        resources = {"A": thing(Version=1), "B": thing(Size={"Fn::GetAtt": ["A", "Version"]})}
        stack = cloud.create({"A": thing(Version=0)})
        cloud.update(stack, resources)

        cloud.update(stack, {**resources, "A": thing(Version=2)})

        assert stack.resources["B"].properties == {"Size": 2}

    @pytest.mark.parametrize(("policy", "kept"), [(None, False), ("Retain", True)])
    def test_update_replace_policy(self, cloud, thing, policy, kept):
        """The new template's policy decides what becomes of the replaced one."""
        stack = cloud.create({"A": thing(Name="x")})

        cloud.update(stack, {"A": thing(Name="y", replace_policy=policy)})

        assert ("a-1" in cloud.things.existing) is kept

    @pytest.mark.parametrize(("policy", "kept"), [(None, False), ("Retain", True), ("RetainExceptOnCreate", True)])
    def test_removed_resource(self, cloud, thing, policy, kept):
        """A resource that left the template goes as its own policy says, after all else."""
        stack = cloud.create({"A": thing(policy=policy), "B": thing()})

        cloud.update(stack, {"B": thing()})

        assert ("a-1" in cloud.things.existing) is kept
        assert list(stack.records) == ["B"]

    def test_cleanup_failure(self, cloud, thing):
        """What can't be removed afterwards does not fail the update."""
        stack = cloud.create({"A": thing(), "B": thing()})
        cloud.things.failures.add(("DELETE", "A"))

        cloud.update(stack, {"B": thing()})

        assert (stack.status, stack.reason) == ("UPDATE_COMPLETE", "One or more resources could not be deleted.")

    def test_stack_tags(self, cloud, thing):
        """Other stack tags update every resource that can carry tags."""
        stack = cloud.create({"A": thing()}, tags={"a": "1"})

        cloud.update(stack, {"A": thing()}, tags={"a": "2"})

        assert cloud.things.calls[-1] == ("UPDATE", "A")
        assert cloud.things.scopes[-1].tags == {"a": "2"}

    def test_type_may_not_change(self, cloud, thing):
        """Another type under the same name is refused."""
        stack = cloud.create({"A": thing()})

        with pytest.raises(TemplateError, match=r"Update of resource type is not permitted.*: \[A\]"):
            cloud.update(stack, {"A": thing("Test::Other")})


class TestFailedUpdate:
    def test_rolls_back(self, cloud, thing, statuses, ids):
        """Changed ones change back, replaced ones come back, new ones go."""
        old = {"A": thing(Size=1), "B": thing(Name="x")}
        stack = cloud.create(old, Outputs={"O": {"Value": {"Ref": "B"}}})
        cloud.things.failures.add(("CREATE", "D"))

        cloud.update(
            stack,
            {"A": thing(Size=2), "B": thing(Name="y"), "C": thing(), "D": thing(depends_on=["A", "B", "C"])},
            Outputs={"O": {"Value": "new"}},
        )

        assert statuses(stack)[2:] == [
            "UPDATE_IN_PROGRESS",
            "UPDATE_ROLLBACK_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_ROLLBACK_COMPLETE",
        ]
        assert ids(stack) == {"A": "a-1", "B": "b-2"}
        assert sorted(cloud.things.existing) == ["a-1", "b-2"]
        assert stack.resources["A"].properties == {"Size": 1}
        assert [output.value for output in stack.outputs] == ["b-2"]
        assert stack.deployment.template.resources["A"].properties == {"Size": 1}

    def test_converges_afterwards(self, cloud, thing):
        """The next update works from where the rollback led."""
        stack = cloud.create({"A": thing(Size=1)})
        cloud.things.failures_once.add(("UPDATE", "A"))
        cloud.update(stack, {"A": thing(Size=2)})
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"

        cloud.update(stack, {"A": thing(Size=2)})

        assert stack.status == "UPDATE_COMPLETE"
        assert stack.resources["A"].properties == {"Size": 2}

    def test_failed_replacement(self, cloud, thing, ids):
        """A replacement that fails leaves the old one in its place."""
        stack = cloud.create({"A": thing(Name="x")})
        cloud.things.failures.add(("CREATE", "A"))

        cloud.update(stack, {"A": thing(Name="y")})

        assert (stack.status, ids(stack)) == ("UPDATE_ROLLBACK_COMPLETE", {"A": "a-1"})
        assert cloud.things.existing == ["a-1"]

    def test_failed_rollback_and_continuation(self, cloud, thing):
        """A way back that fails can be continued, or continued without the resource that fails."""
        stack = cloud.create({"A": thing(Size=1), "B": thing(Size=1, depends_on="A")})
        cloud.things.failures.add(("UPDATE", "B"))
        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size=2, depends_on="A")})
        assert (stack.status, stack.reason) == (
            "UPDATE_ROLLBACK_FAILED",
            "The following resource(s) failed to update: [B]. ",
        )

        cloud.engine.continue_rollback(stack, ())()
        assert stack.status == "UPDATE_ROLLBACK_FAILED"

        cloud.engine.continue_rollback(stack, ("B",))()
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert stack.resources["A"].properties == {"Size": 1}

    def test_disabled_rollback(self, cloud, thing, ids):
        """Without rollback the stack stays as it failed; a rollback leads to where it last was at rest."""
        stack = cloud.create({"A": thing(Size=1)})
        cloud.things.failures.add(("CREATE", "C"))
        new = {"A": thing(Size=2), "B": thing(), "C": thing(depends_on=["A", "B"])}
        cloud.update(stack, new, retention=Retention("DO_NOTHING"))
        assert stack.status == "UPDATE_FAILED"
        cloud.update(stack, {**new, "A": thing(Size=3)}, retention=Retention("DO_NOTHING"))

        cloud.engine.roll_back(stack, Retention())()

        assert (stack.status, ids(stack)) == ("UPDATE_ROLLBACK_COMPLETE", {"A": "a-1"})
        assert stack.resources["A"].properties == {"Size": 1}
        assert cloud.things.existing == ["a-1"]

    def test_replacement_needs_rollback(self, cloud, thing, ids):
        """Without rollback nothing is replaced: the resource fails and says why."""
        stack = cloud.create({"A": thing(Name="x")})

        cloud.update(stack, {"A": thing(Name="y")}, retention=Retention("DO_NOTHING"))

        assert (stack.status, ids(stack)) == ("UPDATE_FAILED", {"A": "a-1"})
        assert stack.records["A"].reason == ("Replacement type updates not supported on stack with disable-rollback.")

    def test_unresolvable_value(self, cloud, thing):
        """A value that can't be resolved fails the resource that has it."""
        stack = cloud.create({"A": thing(Size=1)})

        cloud.update(stack, {"A": thing(Size={"Fn::Cidr": ["nowhere", 1]})})

        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert any("Fn::Cidr can't cut" in (event.reason or "") for event in stack.events)


class TestExports:
    @pytest.fixture
    def exporter(self, cloud, thing):
        stack = cloud.create(
            {"A": thing(Name="x")}, name="net", Outputs={"O": {"Value": {"Ref": "A"}, "Export": {"Name": "net:A"}}}
        )
        cloud.create({"B": thing(Size={"Fn::ImportValue": "net:A"})}, name="main")
        cloud.create({"B": thing(Size={"Fn::ImportValue": "net:A"})}, name="more")
        return stack

    def test_imported(self, cloud, exporter):
        """An import gives the exported value, and its users are known."""
        main = cloud.world.find("main", account="123456789012", region="us-west-2")

        assert main.resources["B"].properties == {"Size": "a-1"}
        assert cloud.world.importers("net:A", exporter.account, exporter.region) == ["main", "more"]

    def test_in_use_blocks_deletion(self, cloud, exporter, statuses):
        """A stack whose export is in use is not deleted, and is again what it was."""
        cloud.delete(exporter)

        assert statuses(exporter)[-2:] == ["DELETE_IN_PROGRESS", "CREATE_COMPLETE"]
        assert exporter.reason == "Delete canceled. Cannot delete export net:A as it is in use by main and more."
        assert ("DELETE", "A") not in cloud.things.calls

    def test_in_use_blocks_removal(self, cloud, exporter, thing):
        """An update that drops an export in use rolls back."""
        cloud.update(exporter, {"A": thing(Name="x")})

        assert exporter.status == "UPDATE_ROLLBACK_COMPLETE"
        assert any(
            event.reason == "Delete canceled. Cannot delete export net:A as it is in use by main and more."
            for event in exporter.events
        )
        assert exporter.outputs[0].export == "net:A"

    def test_in_use_blocks_change(self, cloud, exporter, thing, ids):
        """An update that changes the value of an export in use rolls back."""
        cloud.update(
            exporter, {"A": thing(Name="y")}, Outputs={"O": {"Value": {"Ref": "A"}, "Export": {"Name": "net:A"}}}
        )

        assert (exporter.status, ids(exporter)) == ("UPDATE_ROLLBACK_COMPLETE", {"A": "a-1"})

    def test_free_after_the_users_are_gone(self, cloud, exporter):
        """When its last user is deleted, the exporter can be deleted."""
        for name in ("main", "more"):
            cloud.delete(cloud.world.find(name, account=exporter.account, region=exporter.region))

        assert cloud.delete(exporter).status == "DELETE_COMPLETE"

    def test_free_after_an_update(self, cloud, exporter, thing):
        """A user that no longer imports is no user."""
        main = cloud.world.find("main", account=exporter.account, region=exporter.region)
        cloud.update(main, {"B": thing(Size=1)})

        assert cloud.world.importers("net:A", exporter.account, exporter.region) == ["more"]

    def test_name_is_taken(self, cloud, exporter, thing):  # noqa: ARG002
        """Two stacks can't export the same name."""
        stack = cloud.create({"A": thing()}, name="other", Outputs={"O": {"Value": "v", "Export": {"Name": "net:A"}}})

        assert stack.status == "ROLLBACK_COMPLETE"
        assert "Export with name net:A is already exported by stack net" in stack.events[3].reason
