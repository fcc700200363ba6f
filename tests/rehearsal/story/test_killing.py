"""Whether a rehearsal notices that a killed CLI was not half way, or that CloudFormation has stopped with it."""

from types import SimpleNamespace

import pytest

from rehearsal.story.error import RehearsalError
from rehearsal.story.killing import kill_half_way
from rehearsal.story.runs import CdkRun

KILLED = CdkRun("deploy", -9, 1.0, (), ())
NO_CHANGES = CdkRun("deploy", 0, 1.0, (), (" demo (no changes)",))
REFUSED = CdkRun("deploy", 1, 1.0, (), ("Stack:demo is in CREATE_IN_PROGRESS state and can not be updated.",))
ELSE = CdkRun("deploy", 1, 1.0, (), ("no such stack",))


class Stage:
    """A stage on which two CLIs end as they are told, and the stack has some statuses one after the other."""

    def __init__(self, runs, statuses):
        self.told, self._runs, self._statuses, self.held = [], iter(runs), iter(statuses), []
        self.control = SimpleNamespace(
            hold=self.held.append, go_on=lambda: self.held.append("go on"), is_holding=lambda: True
        )

    def attempt(self, *_, **__):
        return next(self._runs)

    def tell(self, what, _, comment="", *, outcome="done"):
        self.told.append((comment or what, outcome))

    def client(self, _):
        return SimpleNamespace(describe_stacks=lambda **_: {"Stacks": [{"StackStatus": next(self._statuses)}]})


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (NO_CHANGES, ("says (no changes) and ends well, though the stack is still in progress", "done")),
        (REFUSED, ("refused, since the stack is in progress", "refused as it should be")),
    ],
)
def test_all_is_well(second, said):
    """It is killed half way, a second CLI does not wait, and CloudFormation goes on alone."""
    stage = Stage((KILLED, second), ("CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE"))
    kill_half_way(stage, "demo")

    assert stage.told == [
        ("killed half way, demo is CREATE_IN_PROGRESS", "failed as told"),
        said,
        ("CloudFormation goes on without the CLI: demo is CREATE_COMPLETE", "done"),
    ]
    assert stage.held == ["demo", "go on"]


@pytest.mark.parametrize(
    ("runs", "statuses", "message"),
    [
        ((NO_CHANGES,), (), "the CLI ended by itself before demo was half way"),
        ((KILLED,), ("CREATE_COMPLETE",), "should be half way when the CLI is killed, and is CREATE_COMPLETE"),
        ((KILLED, ELSE), ("CREATE_IN_PROGRESS",), "a second deploy does something else with demo half way"),
        ((KILLED, REFUSED), ("CREATE_IN_PROGRESS", "ROLLBACK_COMPLETE"), "and left demo in ROLLBACK_COMPLETE"),
        ((KILLED, REFUSED), ("CREATE_IN_PROGRESS", "CREATE_FAILED"), "and left demo in CREATE_FAILED"),
    ],
)
def test_otherwise(runs, statuses, message):
    """Anything else ends the rehearsal, and nothing stays held."""
    stage = Stage(runs, statuses)
    with pytest.raises(RehearsalError, match=message):
        kill_half_way(stage, "demo")

    assert stage.held == ["demo", "go on"]
