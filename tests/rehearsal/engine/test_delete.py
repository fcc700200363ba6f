import pytest

from rehearsal.handlers.base import ResourceError


class TestDelete:
    def test_dependents_first(self, cloud, thing, statuses):
        """Resources go in the reverse of the order in which they came."""
        stack = cloud.create({"A": thing(), "B": thing(depends_on="A"), "C": thing(Size={"Ref": "B"})})

        cloud.delete(stack)

        assert cloud.things.calls[3:] == [("DELETE", "C"), ("DELETE", "B"), ("DELETE", "A")]
        assert statuses(stack)[-2:] == ["DELETE_IN_PROGRESS", "DELETE_COMPLETE"]
        assert stack.deleted is not None

    @pytest.mark.parametrize("policy", ["Retain", "RetainExceptOnCreate"])
    def test_retained(self, cloud, thing, policy):
        """Both policies keep the resource when its stack goes."""
        stack = cloud.create({"A": thing(policy=policy)})

        cloud.delete(stack)

        assert (stack.status, stack.records["A"].status) == ("DELETE_COMPLETE", "DELETE_SKIPPED")
        assert cloud.things.existing == ["a-1"]

    def test_failure(self, cloud, thing):
        """A resource that can't go keeps what it depends on; the others go, and a second try ends it."""
        stack = cloud.create({"A": thing(), "B": thing(depends_on="A"), "C": thing()})
        cloud.things.failures.add(("DELETE", "B"))

        cloud.delete(stack)
        assert (stack.status, stack.reason) == ("DELETE_FAILED", "The following resource(s) failed to delete: [B]. ")
        assert [name[0] for name in cloud.things.existing] == ["a", "b"]

        cloud.things.failures.clear()
        assert cloud.delete(stack).status == "DELETE_COMPLETE"
        assert cloud.things.existing == []

    def test_retained_on_request(self, cloud, thing):
        """The caller may leave resources in the account when a deletion failed."""
        stack = cloud.create({"A": thing()})
        cloud.things.failures.add(("DELETE", "A"))
        cloud.delete(stack)

        cloud.delete(stack, retained=["A"])

        assert (stack.status, stack.records["A"].status) == ("DELETE_COMPLETE", "DELETE_SKIPPED")

    def test_forced(self, cloud, thing):
        """A forced deletion ends in spite of what can't be removed."""
        stack = cloud.create({"A": thing()})
        cloud.things.failures.add(("DELETE", "A"))
        cloud.delete(stack)

        assert cloud.delete(stack, force=True).status == "DELETE_COMPLETE"

    def test_rolled_back_stack(self, cloud, thing):
        """A stack that was rolled back has nothing left to delete."""
        cloud.things.failures.add(("CREATE", "A"))
        stack = cloud.create({"A": thing()})

        assert cloud.delete(stack).status == "DELETE_COMPLETE"


class TestSnapshot:
    def test_is_taken_before_the_deletion(self, storing_cloud, thing):
        """A type that has snapshots is kept as one, then deleted."""
        stack = storing_cloud.create({"A": thing("Test::Stored", policy="Snapshot")})

        storing_cloud.delete(stack)

        assert (storing_cloud.things.taken, storing_cloud.things.existing) == (["a-1"], [])

    def test_without_snapshots_nothing_is_deleted(self, cloud, thing):
        """A handler that makes no snapshots refuses, rather than losing the data."""
        stack = cloud.create({"A": thing("Test::Stored", policy="Snapshot")})

        cloud.delete(stack)

        assert stack.status == "DELETE_FAILED"
        assert "The rehearsal makes no snapshots of Test::Stored" in stack.records["A"].reason
        assert cloud.things.existing == ["a-1"]


def test_bug_is_no_refusal(cloud, thing, monkeypatch):
    """An error that no handler may raise is a bug, and passes through the engine."""

    def broken(*_: object) -> None:
        raise KeyError("bug")

    monkeypatch.setattr(cloud.things, "create", broken)

    with pytest.raises(KeyError):
        cloud.create({"A": thing()})


def test_error_carries_its_code():
    """A handler's refusal says its code in its text."""
    assert str(ResourceError("Throttling", "slow down")) == "slow down (Error Code: Throttling)"
