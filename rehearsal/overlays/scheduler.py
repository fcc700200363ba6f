"""EventBridge Scheduler: refuses the schedules that AWS refuses. Nothing fires: a rehearsal lasts less than a minute.

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
from moto.iam.models import iam_backends
from moto.scheduler.responses import EventBridgeSchedulerResponse

from rehearsal import clock
from rehearsal.overlays.errors import OverlayError
from rehearsal.sessions import core_session

_AT = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")
_RATE = re.compile(r"rate\([1-9]\d* (minute|minutes|hour|hours|day|days)\)")
_CRON = re.compile(r"cron\(\S+ \S+ \S+ \S+ \S+ \S+\)")
_UNIVERSAL = re.compile(r"arn:[a-z-]+:scheduler:::aws-sdk:([a-z0-9-]+):([A-Za-z0-9]+)")
#: What a universal target may not do: Scheduler calls nothing that only reads.
_READS = re.compile(r"(get|describe|list|poll|receive|search|scan|query|select|read)[A-Z]")


class Response(EventBridgeSchedulerResponse):
    """EventBridge Scheduler's API."""

    def create_schedule(self) -> str:
        """Answers CreateSchedule."""
        self._check()
        return super().create_schedule()

    def update_schedule(self) -> str:
        """Answers UpdateSchedule, which takes the whole schedule anew and looks at it as at a new one."""
        self._check()
        return super().update_schedule()

    def _check(self) -> None:
        group = self._get_param("GroupName") or "default"
        if group not in self.scheduler_backend.schedule_groups:
            raise OverlayError("ResourceNotFoundException", f"Schedule group {group} does not exist.")
        _check_expression(str(self._get_param("ScheduleExpression")), self._zone())
        target = self._get_param("Target")
        roles = iam_backends[self.current_account][self.partition].roles.values()
        if target["RoleArn"] not in {role.arn for role in roles}:
            message = "The execution role you provide must allow AWS EventBridge Scheduler to assume the role."
            raise _invalid(message)
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
        if not (_RATE.fullmatch(expression) or _CRON.fullmatch(expression)):
            raise _invalid(f"Invalid Schedule Expression {expression}.")
        return
    try:
        moment = dt.datetime.fromisoformat(at[1]).replace(tzinfo=zone)
    except ValueError as error:
        raise _invalid(f"Invalid Schedule Expression {expression}.") from error
    if moment < clock.now():
        raise _invalid(f"Invalid Schedule Expression {expression}: it is in the past.")


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
