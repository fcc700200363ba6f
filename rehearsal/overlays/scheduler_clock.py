"""Fires the schedules of EventBridge Scheduler that fall due, in the order of their times.

Time passes in a rehearsal when somebody lets it (``rehearsal.passing``), so a schedule calls its target then, once: the
retries of a refused call are not modelled, nor are queues for dead letters, and a schedule with a flexible window is
due at the window's start. Whether its role may call what it calls is not looked at.

Source: EventBridge Scheduler user guide, "Using universal targets", "Using templated targets", "Adding context
attributes" and "Deletion after schedule completion".
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from botocore.exceptions import ClientError
from moto.scheduler.models import Schedule, scheduler_backends

from rehearsal import chance
from rehearsal.handlers.base import NOT_MODELLED, ResourceError
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.overlays.schedule_times import Timing
from rehearsal.overlays.state import state_of

ClientFactory = Callable[[str, str, str], Any]

_UNIVERSAL = re.compile(r"arn:[a-z-]+:scheduler:::aws-sdk:([a-z0-9-]+):([A-Za-z0-9]+)")
_BEFORE = dt.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Fired:
    """A schedule that called its target, or tried to.

    Attributes:
        moment: When it was due.
        what: The schedule's group and name, and the call.
        refusal: What the call was refused with; None where it was not.
    """

    moment: dt.datetime
    what: str
    refusal: str | None = None


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

    def happen(self, client: ClientFactory) -> Fired:
        """Calls the schedule's target, and deletes the schedule where that was its last call and it says so."""
        one = self.schedule
        state_of(self.account, self.region).schedules[one.group_name, one.name].fired = self.moment
        call = _call(one.target, self._input())
        refusal = None
        try:
            call.make(client, one.target["RoleArn"].split(":")[4], self.region)
        except (ClientError, ResourceError) as error:
            refusal = str(error)
        if one.action_after_completion == "DELETE" and _next(self.account, self.region, one) is None:
            scheduler = client("scheduler", self.account, self.region)
            scheduler.delete_schedule(GroupName=one.group_name, Name=one.name)
        return Fired(self.moment, f"{one.group_name}/{one.name}: {call.service}:{call.operation}", refusal)

    def _input(self) -> str:
        """Gives the target's input, with what Scheduler tells of the call in the place of its keywords."""
        text = str(self.schedule.target.get("Input") or "{}")
        context = {
            "schedule-arn": self.schedule.arn,
            "scheduled-time": f"{self.moment:%Y-%m-%dT%H:%M:%SZ}",
            "execution-id": str(chance.new_uuid()),
            "attempt-number": "1",
        }
        for keyword, value in context.items():
            text = text.replace(f"<aws.scheduler.{keyword}>", value)
        return text


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


@dataclass(frozen=True, slots=True)
class _Call:
    """What a schedule calls: the operation's API parameters, or properties in capitals that are fitted to it."""

    service: str
    operation: str
    parameters: dict[str, Any]
    fitted: bool = False

    def make(self, client: ClientFactory, account: str, region: str) -> None:
        if not self.operation:
            raise ResourceError(NOT_MODELLED, f"The rehearsal does not model schedules' calls of {self.service}")
        (call_fitted if self.fitted else call)(client(self.service, account, region), self.operation, self.parameters)


def _call(target: dict[str, Any], text: str) -> _Call:
    """Gives what a target is; no operation where it is not modelled."""
    universal = _UNIVERSAL.fullmatch(target["Arn"])
    if universal:
        service, operation = universal.groups()
        return _Call(service, operation[:1].upper() + operation[1:], json.loads(text), fitted=True)
    service = target["Arn"].split(":")[2]
    match service:
        case "sns":
            return _Call(service, "Publish", {"TopicArn": target["Arn"], "Message": text})
        case "events":
            words = target.get("EventBridgeParameters", {})
            entry = {"EventBusName": target["Arn"], "Source": words.get("Source"), "Detail": text}
            return _Call(service, "PutEvents", {"Entries": [{**entry, "DetailType": words.get("DetailType")}]})
    return _Call(service, "", {})
