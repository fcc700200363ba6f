"""EventBridge Scheduler: refuses the schedules that AWS refuses, and lets those fire whose time comes.

Their time comes when somebody lets time pass (``rehearsal.passing``).

Source: EventBridge Scheduler user guide, "Schedule types" and "Using universal targets"; API reference, CreateSchedule,
ValidationException. That a one-time schedule in the past is refused, and that a universal target's input is looked at
when a schedule is made, is what users report (docs/adr/0004).
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from moto.scheduler.responses import EventBridgeSchedulerResponse

from rehearsal import clock
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.model import check_request
from rehearsal.overlays.schedule_times import ONCE, is_calendar, is_rate
from rehearsal.overlays.scheduler_clock import remember
from rehearsal.overlays.scheduler_target_checks import check_target
from rehearsal.overlays.trust import knows_all_of, role_named, trusts_service

_STALE = dt.timedelta(minutes=5)


class Response(EventBridgeSchedulerResponse):
    """EventBridge Scheduler's API."""

    _unseen = ""

    def _get_param(self, param_name: str, if_none: Any = None) -> Any:
        return if_none if param_name == self._unseen else super()._get_param(param_name, if_none)

    def create_schedule(self) -> str:
        """Answers CreateSchedule; moto holds the start to the real time, and is told of it afterwards."""
        self._check()
        start, self._unseen = self._get_param("StartDate"), "StartDate"
        answer = super().create_schedule()
        vars(self._schedule())["start_date"] = start
        self._remember()
        return answer

    def update_schedule(self) -> str:
        """Answers UpdateSchedule, which takes the whole schedule anew and looks at it as at a new one.

        moto leaves out what is to become of the schedule in the end.
        """
        self._check()
        answer = super().update_schedule()
        vars(self._schedule())["action_after_completion"] = self._get_param("ActionAfterCompletion")
        self._remember()
        return answer

    def create_schedule_group(self) -> str:
        """Answers CreateScheduleGroup; a group of that name is there once.

        Source: EventBridge Scheduler API reference, CreateScheduleGroup, ConflictException; of the group that every
        account has, badmintoncryer/cdk-preflight, rules/scheduler/pf-scheduler-group-name-default, a deploy of
        2026-09-07, whose code is unconfirmed.
        """
        name = self.uri.split("?")[0].split("/")[-1]
        if name == "default":
            raise _invalid("This operation cannot be performed on schedule group default.")
        if name in self.scheduler_backend.schedule_groups:
            raise OverlayError("ConflictException", f"Schedule group {name} already exists.")
        answer: str = super().create_schedule_group()
        return answer

    def _schedule(self) -> Any:
        """Gives moto's record of the schedule that the request names."""
        group, name = self._get_param("GroupName") or "default", self.uri.split("?")[0].split("/")[-1]
        return self.scheduler_backend.schedule_groups[group].get_schedule(name)

    def _remember(self) -> None:
        schedule = self._schedule()
        remember(self.current_account, self.region, schedule.group_name, schedule.name, clock.now())

    def _check(self) -> None:
        group = self._get_param("GroupName") or "default"
        if group not in self.scheduler_backend.schedule_groups:
            raise OverlayError("ResourceNotFoundException", f"Schedule group {group} does not exist.")
        _check_expression(str(self._get_param("ScheduleExpression")), self._zone())
        target = self._get_param("Target")
        role = role_named(target["RoleArn"], account=self.current_account, partition=self.partition)
        unknown = role is None and knows_all_of(self.current_account)
        if unknown or (role is not None and not trusts_service(role, "scheduler.amazonaws.com")):
            message = "The execution role you provide must allow AWS EventBridge Scheduler to assume the role."
            raise _invalid(message)
        check_request("scheduler", "CreateSchedule", {"Target": target}, code="ValidationException")
        check_target(target, self.region)
        _check_window(self._get_param("FlexibleTimeWindow") or {})
        self._check_bounds()

    def _check_bounds(self) -> None:
        """Refuses a start that is past, or not before the end; one-time schedules know neither.

        Source: badmintoncryer/cdk-preflight, rules/scheduler/pf-scheduler-start-end-order, a deploy of 2026-09-07;
        getmoto/moto, scheduler/models.py, for the words about the past.
        """
        bounds = (self._get_param("StartDate"), self._get_param("EndDate"))
        start, end = (None if one is None else dt.datetime.fromtimestamp(float(one), dt.UTC) for one in bounds)
        if start and end and start >= end:
            raise _invalid("The StartDate you specify must come before the EndDate.")
        once = ONCE.fullmatch(str(self._get_param("ScheduleExpression")))
        if start and not once and start < clock.now() - _STALE:
            raise _invalid("The StartDate you specify cannot be earlier than 5 minutes ago.")

    def _zone(self) -> ZoneInfo:
        name = self._get_param("ScheduleExpressionTimezone") or "UTC"
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise _invalid(f"Invalid Schedule Expression Timezone {name}.") from error


def _check_expression(expression: str, zone: ZoneInfo) -> None:
    at = ONCE.fullmatch(expression)
    if not at:
        if not (is_rate(expression) or is_calendar(expression)):
            raise _invalid(f"Invalid Schedule Expression {expression}.")
        return
    try:
        moment = dt.datetime.fromisoformat(at[1]).replace(tzinfo=zone).astimezone(dt.UTC)
    except (OverflowError, ValueError) as error:
        raise _invalid(f"Invalid Schedule Expression {expression}.") from error
    if moment < clock.now():
        raise _invalid(f"Invalid Schedule Expression {expression}: it is in the past.")


def _check_window(window: Mapping[str, Any]) -> None:
    """Refuses a window that says how long it is where there is none, and one that does not.

    Source: badmintoncryer/cdk-preflight, rules/scheduler/pf-scheduler-flexible-time-window, a deploy of 2026-09-07;
    user guide, "Configuring flexible time windows", for the second, whose words are made like the first's.
    """
    flexible, said = window.get("Mode") == "FLEXIBLE", "MaximumWindowInMinutes" in window
    if said and not flexible:
        raise _invalid("MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to OFF.")
    if flexible and not said:
        raise _invalid("MaximumWindowInMinutes must be provided when FlexibleTimeWindowMode is set to FLEXIBLE.")


def _invalid(message: str) -> OverlayError:
    return OverlayError("ValidationException", message)
