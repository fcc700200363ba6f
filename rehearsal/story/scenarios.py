"""The scenarios: what each of them tells of an environment."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rehearsal.story import data
from rehearsal.story.beginning import begin
from rehearsal.story.breaking import break_it, every
from rehearsal.story.changing import change
from rehearsal.story.ending import take_down
from rehearsal.story.stage import Stage, check, say
from rehearsal.story.updating import update_it
from rehearsal.story.upgrading import upgrade_it
from rehearsal.story.wanted import DEPLOY, FAULTS, LIFECYCLE, TEARDOWN, UPDATE, UPGRADE, Wanted


def tell(stage: Stage, wanted: Wanted) -> None:
    """Tells the scenario that is wanted, step by step.

    Raises:
        RehearsalError: A step did not end as it should.
        FaultError: A fault would meet nothing of the environment.
    """
    SCENARIOS[wanted.scenario](stage, wanted)


def _deploy(stage: Stage, wanted: Wanted) -> None:
    begin(stage, tuple(wanted.faults))


def _lifecycle(stage: Stage, wanted: Wanted) -> None:
    found = begin(stage, tuple(wanted.faults))
    written = data.write(stage.plan, found, stage.client("s3"))
    change(stage, found)
    if wanted.takes_down:
        _take_down(stage, written)


def _update(stage: Stage, wanted: Wanted) -> None:
    update_it(stage, tuple(wanted.faults))


def _upgrade(stage: Stage, wanted: Wanted) -> None:
    upgrade_it(stage, tuple(wanted.faults))


def _faults(stage: Stage, wanted: Wanted) -> None:
    break_it(stage, wanted.faults or every())


def _teardown(stage: Stage, wanted: Wanted) -> None:
    found = begin(stage, tuple(wanted.faults))
    _take_down(stage, data.write(stage.plan, found, stage.client("s3")))


def _take_down(stage: Stage, written: data.Data) -> None:
    found = take_down(stage)
    check(data.lost(written, found, stage.client("s3")))
    also = f"; and file system {written.file_system_id}" if written.file_system_id else ""
    say(f"Still there: s3://{written.bucket}/{written.key}, with its content{also}.\n")


#: The scenarios by name. ``deploy`` is what is told where only an option was named.
SCENARIOS: Mapping[str, Callable[[Stage, Wanted], None]] = MappingProxyType(
    {
        DEPLOY: _deploy,
        LIFECYCLE: _lifecycle,
        UPDATE: _update,
        UPGRADE: _upgrade,
        FAULTS: _faults,
        TEARDOWN: _teardown,
    }
)
