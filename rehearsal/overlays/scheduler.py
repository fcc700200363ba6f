"""EventBridge Scheduler: refuses the schedules that AWS refuses, and lets those fire whose time comes.

Their time comes when somebody lets time pass (``rehearsal.passing``).

Source: EventBridge Scheduler user guide, "Schedule types" and "Using universal targets"; API reference, CreateSchedule,
ValidationException. That a one-time schedule in the past is refused, and that a universal target's input is looked at
when a schedule is made, is what users report (docs/adr/0004).
"""

import datetime as dt
import json
import re
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from botocore.exceptions import UnknownServiceError
from moto.scheduler.responses import EventBridgeSchedulerResponse

from rehearsal import clock
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.scheduler_clock import remember
from rehearsal.overlays.trust import role_named, trusts_service
from rehearsal.sessions import core_session

_AT = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
_RATE = re.compile(r"rate\([1-9]\d* (minute|minutes|hour|hours|day|days)\)")
_CRON = re.compile(r"cron\((\S+(?: \S+){4,5})\)")
#: The smallest and the largest number in each field of a calendar but the year; of days one must be left open by ``?``.
_FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (1, 7))
_DAY_OF_MONTH, _DAY_OF_WEEK = 2, 4
_NTH = re.compile(r"#(\d+)")
_MOST_WEEKS = 5
_UNIVERSAL = re.compile(r"arn:[a-z-]+:scheduler:::aws-sdk:([a-z0-9-]+):([A-Za-z0-9]+)")
#: What a universal target may not do: Scheduler calls nothing that only reads.
_READS = re.compile(r"(get|describe|list|poll|receive|search|scan|query|select|read)[A-Z]")


class Response(EventBridgeSchedulerResponse):
    """EventBridge Scheduler's API."""

    def create_schedule(self) -> str:
        """Answers CreateSchedule."""
        self._check()
        answer = super().create_schedule()
        self._remember()
        return answer

    def update_schedule(self) -> str:
        """Answers UpdateSchedule, which takes the whole schedule anew and looks at it as at a new one."""
        self._check()
        answer = super().update_schedule()
        self._remember()
        return answer

    def create_schedule_group(self) -> str:
        """Answers CreateScheduleGroup; a group of that name is there once.

        Source: EventBridge Scheduler API reference, CreateScheduleGroup, ConflictException.
        """
        name = self.uri.split("?")[0].split("/")[-1]
        if name in self.scheduler_backend.schedule_groups:
            raise OverlayError("ConflictException", f"Schedule group {name} already exists.")
        answer: str = super().create_schedule_group()
        return answer

    def _remember(self) -> None:
        group, name = self._get_param("GroupName") or "default", self.uri.split("?")[0].split("/")[-1]
        remember(self.current_account, self.region, group, name, clock.now())

    def _check(self) -> None:
        group = self._get_param("GroupName") or "default"
        if group not in self.scheduler_backend.schedule_groups:
            raise OverlayError("ResourceNotFoundException", f"Schedule group {group} does not exist.")
        _check_expression(str(self._get_param("ScheduleExpression")), self._zone())
        target = self._get_param("Target")
        role = role_named(target["RoleArn"], account=self.current_account, partition=self.partition)
        if role is None or not trusts_service(role, "scheduler.amazonaws.com"):
            message = "The execution role you provide must allow AWS EventBridge Scheduler to assume the role."
            raise _invalid(message)
        _check_region(target["Arn"], self.region)
        _check_universal(target)

    def _zone(self) -> ZoneInfo:
        name = self._get_param("ScheduleExpressionTimezone") or "UTC"
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise _invalid(f"Invalid Schedule Expression Timezone {name}.") from error


def _check_expression(expression: str, zone: ZoneInfo) -> None:
    at = _AT.fullmatch(expression)
    if not at:
        if not (_RATE.fullmatch(expression) or _is_calendar(expression)):
            raise _invalid(f"Invalid Schedule Expression {expression}.")
        return
    try:
        moment = dt.datetime.fromisoformat(at[1]).replace(tzinfo=zone)
    except ValueError as error:
        raise _invalid(f"Invalid Schedule Expression {expression}.") from error
    if moment < clock.now():
        raise _invalid(f"Invalid Schedule Expression {expression}: it is in the past.")


def _is_calendar(expression: str) -> bool:
    """Says whether an expression is a calendar that Scheduler takes.

    Source: EventBridge Scheduler user guide, "Schedule types"; badmintoncryer/cdk-preflight,
    rules/scheduler/pf-scheduler-schedule-expression, calls of 2026-09-07: five fields do as well as six.
    """
    found = _CRON.fullmatch(expression)
    if found is None:
        return False
    fields = found[1].split()
    if [fields[_DAY_OF_MONTH], fields[_DAY_OF_WEEK]].count("?") != 1:
        return False
    if any(not 1 <= int(nth) <= _MOST_WEEKS for nth in _NTH.findall(fields[_DAY_OF_WEEK])):
        return False
    numbers = ((int(field), span) for field, span in zip(fields, _FIELDS, strict=False) if field.isdecimal())
    return all(low <= number <= high for number, (low, high) in numbers)


def _check_region(arn: str, region: str) -> None:
    """Refuses a target in another region.

    Source: badmintoncryer/cdk-preflight, rules/scheduler/pf-scheduler-target-region, calls of 2026-09-07.
    """
    if arn.split(":")[3] not in {"", region}:
        raise _invalid(f"The target ARN provided does not match the current region {region}.")


def _check_universal(target: dict[str, Any]) -> None:
    """Refuses a call that no SDK has, that only reads, or whose input lacks what it requires, in the SDK's capitals."""
    universal = _UNIVERSAL.fullmatch(target["Arn"])
    if not universal:
        return
    service, call = universal.groups()
    operation = call[:1].upper() + call[1:]
    try:
        model = core_session().get_service_model(service)
    except UnknownServiceError as error:
        raise _invalid(f"{service} is not a supported service for a target.") from error
    if operation not in model.operation_names or _READS.match(call):
        raise _invalid(f"{call} is not a supported api for service {service}.")
    try:
        given = json.loads(target.get("Input") or "{}")
    except ValueError as error:
        raise _invalid("Input must be valid JSON.") from error
    shape = model.operation_model(operation).input_shape
    required = {name[:1].upper() + name[1:] for name in (shape.required_members if shape else [])}
    missing = sorted(required - set(given))
    if missing:
        raise _invalid(f"Invalid RequestJson provided. Reason: the required parameter {missing[0]} is missing.")


def _invalid(message: str) -> OverlayError:
    return OverlayError("ValidationException", message)
