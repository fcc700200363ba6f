"""Fires the schedules of EventBridge Scheduler that fall due, in the order of their times.

Time passes in a rehearsal when somebody lets it (``rehearsal.passing``), so a schedule calls its target then; a refused
call is tried again as ``scheduler_deliveries`` says. A schedule with a flexible window is due at the window's start.

Source: EventBridge Scheduler user guide, "Deletion after schedule completion" and "Configuring flexible time windows".
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from moto.scheduler.models import Schedule, scheduler_backends

from rehearsal.overlays.schedule_times import Timing
from rehearsal.overlays.scheduler_deliveries import Delivery, Fired, waiting
from rehearsal.overlays.scheduler_targets import ClientFactory
from rehearsal.overlays.state import state_of

__all__ = ["DueSchedule", "Fired", "Known", "due", "remember", "waiting"]

_BEFORE = dt.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class DueSchedule:
    """A schedule and the time at which it is due next.

    Attributes:
        moment: The time, in UTC.
        account, region: Where it stands.
        schedule: moto's record of it.
    """

    moment: dt.datetime
    account: str
    region: str
    schedule: Schedule

    def happen(self, client: ClientFactory) -> Fired | None:
        """Calls the schedule's target, and deletes the schedule where that was its last call and it says so."""
        one = self.schedule
        label = f"{one.group_name}/{one.name}"
        state_of(self.account, self.region).schedules[one.group_name, one.name].fired = self.moment
        delivery = Delivery(self.moment, self.account, self.region, one.arn, label, dict(one.target), self.moment)
        fired = delivery.happen(client)
        if one.action_after_completion == "DELETE" and _next(self.account, self.region, one) is None:
            scheduler = client("scheduler", self.account, self.region)
            scheduler.delete_schedule(GroupName=one.group_name, Name=one.name)
        return fired


@dataclass(slots=True)
class Known:
    """What is kept of a schedule beside moto's record.

    Attributes:
        made: When it was made or last changed.
        fired: When it was due last.
    """

    made: dt.datetime
    fired: dt.datetime


def remember(account: str, region: str, group: str, name: str, made: dt.datetime) -> None:
    """Keeps when a schedule was made or changed, from which on it may be due."""
    state_of(account, region).schedules[group, name] = Known(made, made - _BEFORE)


def due() -> Iterator[DueSchedule]:
    """Gives every schedule that is on, of every account and region, with the time at which it is due next."""
    for account, regions in list(scheduler_backends.items()):
        for region, backend in list(regions.items()):
            for group in list(backend.schedule_groups.values()):
                for schedule in list(group.schedules.values()):
                    moment = _next(account, region, schedule) if schedule.state != "DISABLED" else None
                    if moment is not None:
                        yield DueSchedule(moment, account, region, schedule)


def _next(account: str, region: str, schedule: Schedule) -> dt.datetime | None:
    known = state_of(account, region).schedules[schedule.group_name, schedule.name]
    timing = Timing(
        schedule.schedule_expression,
        ZoneInfo(schedule.schedule_expression_timezone or "UTC"),
        known.made,
        start=_moment(schedule.start_date),
        end=_moment(schedule.end_date),
    )
    return timing.after(known.fired)


def _moment(seconds: Any) -> dt.datetime | None:
    """Gives a time that the API's JSON has as seconds since 1970."""
    return None if seconds is None else dt.datetime.fromtimestamp(float(seconds), dt.UTC)
