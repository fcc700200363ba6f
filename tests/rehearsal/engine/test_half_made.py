"""What fails half way: a resource that is there and of no use, and one of which some properties are changed already."""

import pytest

from rehearsal.engine import Retention
from rehearsal.handlers.base import ResourceError
from tests.rehearsal.engine.conftest import Cloud, Things

KEEP = Retention("DO_NOTHING")


class HalfThings(Things):
    """Things that are there before their creation fails, and change ``Size`` before anything else."""

    def create(self, scope, resource):
        failing = {("CREATE", resource.logical_id)} & (self.failures | self.failures_once)
        self.failures, self.failures_once = self.failures - failing, self.failures_once - failing
        super().create(scope, resource)
        if failing:
            raise ResourceError("NotStabilized", f"{resource.logical_id} is in FAILED state")

    def update(self, scope, resource, properties):
        self.applied = getattr(self, "applied", [])
        for name in ("Size", "Config", "Maybe"):
            if resource.properties.get(name) != properties.get(name):
                if properties.get(name) == "refused":
                    raise ResourceError("InvalidRequest", f"{name} is refused")
                self.applied.append((name, properties.get(name)))
                resource.took(properties, name)
        super().update(scope, resource, properties)


@pytest.fixture
def half():
    return Cloud(HalfThings())


class TestCreation:
    @pytest.mark.parametrize("policy", [None, "Retain", "RetainExceptOnCreate"])
    def test_next_deploy(self, half, thing, ids, policy):
        """A later update makes anew what failed, whose remains go, and gives the new one to those that need it."""
        resources = {
            "A": thing(),
            "B": thing(policy=policy, replace_policy=policy and "Retain", depends_on="A"),
            "C": thing(Size={"Ref": "B"}),
        }
        half.things.failures.add(("CREATE", "B"))
        stack = half.create(resources, retention=KEEP)
        assert (stack.status, half.things.existing) == ("CREATE_FAILED", ["a-1", "b-2"])

        half.update(stack, resources, retention=KEEP)

        assert stack.status == "UPDATE_COMPLETE"
        assert ids(stack) == {"A": "a-1", "B": "b-3", "C": "c-4"}
        assert half.things.existing == ["a-1", "b-3", "c-4"]
        assert stack.resources["C"].properties == {"Size": "b-3"}
        assert half.preview(stack, resources).is_empty

    def test_fails_again(self, half, thing, ids):
        """What fails twice is made a third time, and nothing of the first two is left."""
        resources = {"A": thing(), "B": thing(depends_on="A")}
        half.things.failures.add(("CREATE", "B"))
        stack = half.create(resources, retention=KEEP)
        half.things.failures.add(("CREATE", "B"))
        half.update(stack, resources, retention=KEEP)
        assert stack.status == "UPDATE_FAILED"

        half.update(stack, resources, retention=KEEP)

        assert (stack.status, ids(stack)) == ("UPDATE_COMPLETE", {"A": "a-1", "B": "b-4"})
        assert half.things.existing == ["a-1", "b-4"]

    def test_left_out(self, half, thing):
        """What failed and is wanted no longer goes."""
        half.things.failures.add(("CREATE", "B"))
        stack = half.create({"A": thing(), "B": thing(depends_on="A")}, retention=KEEP)

        half.update(stack, {"A": thing()}, retention=KEEP)

        assert (stack.status, half.things.existing) == ("UPDATE_COMPLETE", ["a-1"])

    def test_way_back(self, half, thing):
        """A way back removes what failed with all the rest."""
        half.things.failures.add(("CREATE", "B"))
        stack = half.create({"A": thing(), "B": thing(depends_on="A")}, retention=KEEP)

        half.engine.roll_back(stack, Retention())()

        assert (stack.status, half.things.existing) == ("ROLLBACK_COMPLETE", [])

    def test_deletion(self, half, thing):
        """So does the deletion of the stack."""
        half.things.failures.add(("CREATE", "B"))
        stack = half.create({"A": thing(), "B": thing(depends_on="A")}, retention=KEEP)

        assert half.delete(stack).status == "DELETE_COMPLETE"
        assert half.things.existing == []

    @pytest.fixture
    def twice(self, half, thing):
        """A stack of which one resource failed in its creation and again in the update after it."""
        resources = {"A": thing(), "B": thing(depends_on="A")}
        half.things.failures.add(("CREATE", "B"))
        stack = half.create(resources, retention=KEEP)
        half.things.failures.add(("CREATE", "B"))
        half.update(stack, resources, retention=KEEP)
        assert (stack.status, half.things.existing) == ("UPDATE_FAILED", ["a-1", "b-2", "b-3"])
        return stack

    def test_deletion_after_two_failures(self, half, twice):
        """The deletion of the stack removes the remains of both."""
        assert half.delete(twice).status == "DELETE_COMPLETE"
        assert half.things.existing == []

    def test_way_back_after_two_failures(self, half, twice):
        """So does the way back."""
        half.engine.roll_back(twice, Retention())()

        assert half.things.existing == []

    def test_cleanup_is_tried_once(self, half, thing):
        """What an update could not remove afterwards is nobody's, and the next update does not try again."""
        stack = half.create({"A": thing(Name="x")})
        half.things.failures.add(("DELETE", "A"))
        half.update(stack, {"A": thing(Name="y")})
        assert (stack.status, half.things.existing) == ("UPDATE_COMPLETE", ["a-1", "a-2"])
        half.things.failures.clear()

        half.update(stack, {"A": thing(Name="y", Size=1)})

        assert half.things.existing == ["a-1", "a-2"]


class TestChange:
    OLD = {"Size": 1, "Config": {"Speed": 1}}

    def test_way_back(self, half, thing):
        """What was changed before the failure is changed back, and nothing else."""
        stack = half.create({"A": thing(**self.OLD)})

        half.update(stack, {"A": thing(Size=2, Config="refused")})

        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert half.things.applied == [("Size", 2), ("Size", 1)]
        assert stack.resources["A"].properties == self.OLD

    def test_property_that_is_new(self, half, thing):
        """A property that came is taken away again."""
        stack = half.create({"A": thing(Config={"Speed": 1})})

        half.update(stack, {"A": thing(Size=2, Config="refused")})

        assert half.things.applied == [("Size", 2), ("Size", None)]
        assert stack.resources["A"].properties == {"Config": {"Speed": 1}}

    def test_next_deploy(self, half, thing):
        """Where nothing is led back, the next deploy changes what differs from how it stands by then."""
        stack = half.create({"A": thing(**self.OLD)})
        half.update(stack, {"A": thing(Size=2, Config="refused")}, retention=KEEP)
        assert (stack.status, stack.resources["A"].properties) == ("UPDATE_FAILED", {"Size": 2, "Config": {"Speed": 1}})

        half.update(stack, {"A": thing(Size=1, Config={"Speed": 3})}, retention=KEEP)

        assert stack.status == "UPDATE_COMPLETE"
        assert half.things.applied == [("Size", 2), ("Size", 1), ("Config", {"Speed": 3})]

    def test_nothing_was_changed(self, half, thing):
        """What failed at once has nothing to be led back."""
        stack = half.create({"A": thing(**self.OLD)})

        half.update(stack, {"A": thing(Size="refused", Config={"Speed": 2})})

        assert (stack.status, half.things.applied) == ("UPDATE_ROLLBACK_COMPLETE", [])
        assert stack.resources["A"].properties == self.OLD
