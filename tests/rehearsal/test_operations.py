import threading
import time

import pytest

from rehearsal.operations import Operations
from rehearsal.world import World


@pytest.fixture
def stack():
    stack = World().new("main", account="123456789012", region="us-west-2")
    stack.begin("CREATE_IN_PROGRESS")
    return stack


class TestOperations:
    def test_holds_until_the_end(self, stack):
        """The caller goes on when the operation has ended."""
        Operations(hold_seconds=5).run(stack, lambda: (time.sleep(0.05), stack.move("CREATE_COMPLETE")))

        assert stack.status == "CREATE_COMPLETE"

    def test_holds_no_longer_than_said(self, stack):
        """A long operation goes on alone."""
        may_end = threading.Event()

        Operations(hold_seconds=0).run(stack, lambda: (may_end.wait(5), stack.move("CREATE_COMPLETE")))

        assert stack.status == "CREATE_IN_PROGRESS"
        may_end.set()

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_bug(self, stack):
        """A bug leaves a traceback and a failed stack, for which nobody waits."""

        def broken() -> None:
            raise KeyError("bug")

        Operations(hold_seconds=5).run(stack, broken)

        assert (stack.status, stack.reason) == ("CREATE_FAILED", "Internal Failure")
