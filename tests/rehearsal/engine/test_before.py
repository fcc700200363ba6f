"""What looks at an operation before its handler does, and refuses it: each verb, with what is to be had by then."""

import pytest

from rehearsal.engine import Retention
from rehearsal.handlers.base import ResourceError
from rehearsal.templates.template import TemplateError


class Look:
    """A look that keeps what it sees, and refuses what it is told to."""

    def __init__(self) -> None:
        self.seen, self.refuses = [], {}

    def __call__(self, stack, resource, verb, properties):
        self.seen.append((stack.name, verb, resource.logical_id, dict(resource.properties), dict(properties)))
        if (verb, resource.logical_id) in self.refuses:
            raise self.refuses[verb, resource.logical_id]


@pytest.fixture
def look(cloud):
    look, engine = Look(), cloud.engine
    cloud.engine = type(engine)(cloud.world, cloud.things, engine.client, engine.schemas_of, before=(look,))
    return look


PROTECTED = ResourceError("DependencyViolation", "is in use")


class TestSeen:
    def test_each_operation(self, cloud, look, thing):
        """A creation and a change are seen with the resolved properties, a deletion with those that it has."""
        stack = cloud.create({"A": thing(Size=1), "B": thing(Size={"Ref": "A"})})
        cloud.update(stack, {"A": thing(Size=2), "B": thing(Size={"Fn::Sub": "${A}!"})})
        cloud.delete(stack)

        assert look.seen == [
            ("main", "CREATE", "A", {"Size": 1}, {"Size": 1}),
            ("main", "CREATE", "B", {"Size": "a-1"}, {"Size": "a-1"}),
            ("main", "UPDATE", "A", {"Size": 1}, {"Size": 2}),
            ("main", "UPDATE", "B", {"Size": "a-1"}, {"Size": "a-1!"}),
            ("main", "DELETE", "B", {"Size": "a-1!"}, {"Size": "a-1!"}),
            ("main", "DELETE", "A", {"Size": 2}, {"Size": 2}),
        ]

    def test_way_back(self, cloud, look, thing):
        """The way back is seen too: what is changed again, and what is removed."""
        stack = cloud.create({"A": thing(Size=1)})
        look.refuses["CREATE", "C"] = PROTECTED
        seen = len(look.seen)

        cloud.update(stack, {"A": thing(Size=2), "B": thing(), "C": thing(depends_on=["A", "B"])})

        assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
        assert sorted(one[1:] for one in look.seen[seen + 3 :]) == [
            ("DELETE", "B", {}, {}),
            ("UPDATE", "A", {"Size": 2}, {"Size": 1}),
        ]


class TestRefused:
    @pytest.mark.parametrize(("refusal", "code"), [(PROTECTED, "DependencyViolation"), (TemplateError("no"), None)])
    def test_creation(self, cloud, look, thing, refusal, code):
        """What is refused is not made, and its event has the code."""
        look.refuses["CREATE", "A"] = refusal

        stack = cloud.create({"A": thing()})

        assert stack.status == "ROLLBACK_COMPLETE"
        assert [event.code for event in stack.events if event.status == "CREATE_FAILED"] == [code]
        assert cloud.things.calls == []

    def test_change(self, cloud, look, thing):
        """What may not be changed stays as it was."""
        stack = cloud.create({"A": thing(Size=1)})
        look.refuses["UPDATE", "A"] = PROTECTED

        cloud.update(stack, {"A": thing(Size=2)}, retention=Retention("DO_NOTHING"))

        assert (stack.status, stack.resources["A"].properties) == ("UPDATE_FAILED", {"Size": 1})
        assert cloud.things.calls == [("CREATE", "A")]

    def test_deletion(self, cloud, look, thing):
        """What is in use is not deleted: its stack says so, with the code, and keeps what it needs; then it may go."""
        stack = cloud.create({"A": thing(), "B": thing(depends_on="A")})
        look.refuses["DELETE", "B"] = PROTECTED

        cloud.delete(stack)

        assert stack.status == "DELETE_FAILED"
        failed = next(event for event in stack.events if event.status == "DELETE_FAILED")
        assert (failed.subject.logical_id, failed.code) == ("B", "DependencyViolation")
        assert cloud.things.existing == ["a-1", "b-2"]
        look.refuses.clear()
        assert cloud.delete(stack).status == "DELETE_COMPLETE"
        assert cloud.things.existing == []

    def test_deletion_after_an_update(self, cloud, look, thing):
        """What is protected stays where an update leaves it out; the update is complete all the same."""
        stack = cloud.create({"A": thing(), "B": thing()})
        look.refuses["DELETE", "B"] = PROTECTED

        cloud.update(stack, {"A": thing()})

        assert (stack.status, cloud.things.existing) == ("UPDATE_COMPLETE", ["a-1", "b-2"])

    def test_deletion_on_the_way_back(self, cloud, look, thing):
        """What is protected stands in the way of a creation's way back."""
        look.refuses |= {("CREATE", "B"): PROTECTED, ("DELETE", "A"): PROTECTED}

        stack = cloud.create({"A": thing(), "B": thing(depends_on="A")})

        assert (stack.status, cloud.things.existing) == ("ROLLBACK_FAILED", ["a-1"])
