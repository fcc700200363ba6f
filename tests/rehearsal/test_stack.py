import pytest

from rehearsal.stack import Output
from rehearsal.states import TRANSITIONS
from rehearsal.world import World


@pytest.fixture
def world() -> World:
    return World()


def stack_in(world, name="main", account="123456789012", region="us-west-2"):
    stack = world.new(name, account=account, region=region)
    world.add(stack)
    return stack


class TestStack:
    def test_illegal_move(self, world):
        """A status that may not follow the present one is a bug, and raises."""
        stack = stack_in(world)
        stack.begin("CREATE_IN_PROGRESS")

        with pytest.raises(ValueError, match="can't go from CREATE_IN_PROGRESS to UPDATE_COMPLETE"):
            stack.move("UPDATE_COMPLETE")

    def test_all_states_are_reachable(self):
        """Every status but the first follows some other, and every follower is itself known."""
        followers = {follower for ends in TRANSITIONS.values() for follower in ends}

        assert followers == set(TRANSITIONS) - {""}

    def test_stop(self, world):
        """A stack that a bug left in progress is failed, so that nobody waits for it."""
        stack = stack_in(world)
        stack.begin("CREATE_IN_PROGRESS")

        stack.stop()

        assert (stack.status, stack.reason) == ("CREATE_FAILED", "Internal Failure")


class TestWorld:
    def test_worlds_are_apart(self, world):
        """Two worlds know nothing of each other's stacks."""
        stack_in(world)

        assert World().find("main", account="123456789012", region="us-west-2") is None

    def test_deleted_stacks(self, world):
        """A deleted stack is found by its ARN alone, and its name is free."""
        stack = stack_in(world)
        stack.begin("CREATE_IN_PROGRESS")
        for status in ("CREATE_COMPLETE", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"):
            stack.move(status)

        assert world.find("main", account="123456789012", region="us-west-2") is None
        assert world.find(stack.id, account="123456789012", region="us-west-2") is stack

    def test_exports_stay_in_account_and_region(self, world):
        """An export is seen in its own account and region only."""
        stack_in(world).outputs = (Output("O", "vpc-1", export="Net:Vpc"),)

        assert world.exports("123456789012", "us-west-2")["Net:Vpc"].value == "vpc-1"
        assert world.exports("123456789012", "us-east-1") == {}
        assert world.exports("210987654321", "us-west-2") == {}
