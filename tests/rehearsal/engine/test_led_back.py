"""What a way back restores beside the resources: outputs, imports, and what the template said of each resource."""

import pytest

from rehearsal.engine import Retention
from rehearsal.handlers.base import ResourceError


def outputs(value, **more):
    return {"Outputs": {"O": {"Value": value, **more}}}


class TestLedBack:
    def test_outputs(self, cloud, thing):
        """An update that awaits its parent's has its outputs already; led back the stack has those of before."""
        old, new = {"A": thing(Name="x")}, {"A": thing(Name="y")}
        stack = cloud.create(old, **outputs({"Ref": "A"}))
        cloud.engine.update(stack, cloud.prepare(stack, new, **outputs({"Ref": "A"})), Retention(), waits=True)()
        assert [one.value for one in stack.outputs] == ["a-2"]

        cloud.engine.roll_back(stack, Retention())()

        assert (stack.status, [one.value for one in stack.outputs]) == ("UPDATE_ROLLBACK_COMPLETE", ["a-1"])
        assert cloud.things.existing == ["a-1"]

    @pytest.fixture
    def exporter(self, cloud, thing):
        return cloud.create({"A": thing()}, name="net", **outputs("v", Export={"Name": "net:A"}))

    def test_new_import(self, cloud, exporter, thing):
        """An export that only a failed update used is in nobody's use."""
        stack = cloud.create({"A": thing()})
        cloud.things.failures.add(("CREATE", "C"))

        cloud.update(stack, {"A": thing(Size={"Fn::ImportValue": "net:A"}), "C": thing(depends_on="A")})

        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert cloud.world.importers("net:A", exporter.account, exporter.region) == []
        assert cloud.delete(exporter).status == "DELETE_COMPLETE"

    def test_old_import(self, cloud, exporter, thing):
        """One that the stack used before, and no longer after the update that failed, is in its use again."""
        stack = cloud.create({"A": thing(Size={"Fn::ImportValue": "net:A"})})
        cloud.things.failures.add(("CREATE", "C"))

        cloud.update(stack, {"A": thing(Size=1), "C": thing(depends_on="A")})

        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert cloud.world.importers("net:A", exporter.account, exporter.region) == ["main"]
        assert cloud.delete(exporter).status == "CREATE_COMPLETE"

    @pytest.mark.parametrize(("old", "new", "kept"), [("Retain", "Delete", True), ("Delete", "Retain", False)])
    def test_policies(self, cloud, thing, old, new, kept):
        """The policies of before hold again, and not those of the update that failed."""
        stack = cloud.create({"A": thing(policy=old)})
        cloud.things.failures.add(("CREATE", "C"))
        cloud.update(stack, {"A": thing(policy=new), "C": thing(depends_on="A")})
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"

        cloud.delete(stack)

        assert cloud.things.existing == (["a-1"] if kept else [])

    def test_dependencies(self, cloud, thing):
        """So do the dependencies of before, by which a deletion goes."""
        stack = cloud.create({"A": thing(), "B": thing(depends_on="A")})
        cloud.things.failures.add(("CREATE", "C"))
        cloud.update(stack, {"A": thing(depends_on="B"), "B": thing(), "C": thing(depends_on="A")})
        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"

        cloud.delete(stack)

        assert cloud.things.calls[-2:] == [("DELETE", "B"), ("DELETE", "A")]

    def test_settled_again(self, cloud, thing, ids):
        """From where a way back has led, the next failure leads there again."""
        stack = cloud.create({"A": thing(Name="x", Size=1)})
        for name in ("y", "z"):
            cloud.things.failures_once.add(("CREATE", "C"))
            cloud.update(stack, {"A": thing(Name=name, Size=2), "C": thing(depends_on="A")})
            assert stack.status == "UPDATE_ROLLBACK_COMPLETE"

        assert (ids(stack), cloud.things.existing) == ({"A": "a-1"}, ["a-1"])
        assert stack.resources["A"].properties == {"Name": "x", "Size": 1}
        assert stack.superseded == []

    def test_left_out(self, cloud, thing):
        """What is left out is taken for what it was, so that the next update of the same changes it again."""
        stack = cloud.create({"A": thing(Size=1)})
        cloud.things.failures.add(("CREATE", "C"))
        update = cloud.things.update

        def forward(scope, resource, properties):
            if properties["Size"] < resource.properties["Size"]:
                raise ResourceError("BadRequest", "only grows")
            update(scope, resource, properties)

        cloud.things.update = forward
        cloud.update(stack, {"A": thing(Size=2), "C": thing(depends_on="A")})
        assert stack.status == "UPDATE_ROLLBACK_FAILED"

        cloud.engine.continue_rollback(stack, ("A",))()

        assert (stack.status, stack.resources["A"].properties) == ("UPDATE_ROLLBACK_COMPLETE", {"Size": 1})
        cloud.things.failures.clear()
        cloud.update(stack, {"A": thing(Size=2)})
        assert cloud.things.calls[-1] == ("UPDATE", "A")
