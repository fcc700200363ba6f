"""Schedules of EventBridge Scheduler, and the groups that hold them."""

import re

from rehearsal.handlers.api import ApiHandler, changes, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call_fitted
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn

_WITHOUT_MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Schedule(ApiHandler):
    """A schedule; an update gives the service the whole of it, since it forgets what it isn't given.

    Source: EventBridge Scheduler API reference, UpdateSchedule.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the schedule."""
        _check_dates(resource.properties)
        super().create(scope, resource)
        group = resource.properties.get("GroupName", "default")
        place = f"{scope.region}:{scope.account}"
        resource.attributes["Arn"] = f"arn:{scope.partition}:scheduler:{place}:schedule/{group}/{resource.physical_id}"

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Gives the service the whole schedule where something differs."""
        _check_dates(properties)
        if changes(resource.properties, properties):
            whole = {**split(properties, "Name")[1], "Name": resource.physical_id}
            call_fitted(scope.client("scheduler"), "UpdateSchedule", whole)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the schedule from its group."""
        named = {"GroupName": "default", **resource.properties}
        super().delete(
            scope, Resource(resource.logical_id, resource.type, named, resource.physical_id, resource.attributes)
        )


def _check_dates(properties: Properties) -> None:
    """Refuses dates without milliseconds, which the service itself would take.

    Source: badmintoncryer/cdk-preflight, rules/scheduler/pf-scheduler-date-format, a deploy of 2026-09-07.
    """
    for name in ("StartDate", "EndDate"):
        if _WITHOUT_MILLISECONDS.fullmatch(str(properties.get(name, ""))):
            message = f"Invalid request provided: {name} needs to follow the format yyyy-MM-ddTHH:mm:ss.SSSZ"
            raise ResourceError("InvalidRequest", message)


HANDLERS: dict[str, Handler] = {
    "AWS::Scheduler::ScheduleGroup": ApiHandler(
        service="scheduler",
        create_operation="CreateScheduleGroup",
        reference="{Name}",
        identity={"Name": "{Ref}"},
        delete_operation="DeleteScheduleGroup",
        name=NameRule("Name", 64),
        retag=retag_by_arn("{Arn}"),
        attributes={"Arn": "ScheduleGroupArn"},
    ),
    "AWS::Scheduler::Schedule": Schedule(
        service="scheduler",
        create_operation="CreateSchedule",
        reference="{Name}",
        identity={"Name": "{Ref}", "GroupName": "{GroupName}"},
        delete_operation="DeleteSchedule",
        name=NameRule("Name", 64),
    ),
}
