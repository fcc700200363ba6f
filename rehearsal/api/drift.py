"""The actions that find drift."""

import json
from typing import Any

from moto.core.responses import ActionResult

from rehearsal import chance
from rehearsal.api.answer import Answer, filled
from rehearsal.api.errors import ApiError
from rehearsal.api.stacks import StackActions
from rehearsal.drifts import DELETED, IN_SYNC, Difference, Drift, StackDrift
from rehearsal.stack import Record, Stack
from rehearsal.states import STEADY

CHECKABLE = (*STEADY, "UPDATE_ROLLBACK_FAILED")


class DriftActions(StackActions):
    """Looks how stacks and resources stand; a look is over when it is answered.

    Source: CloudFormation API reference, DetectStackDrift and its like; the words of refusals are unconfirmed.
    """

    def detect_stack_drift(self) -> ActionResult:
        """Looks at a stack's resources, or at those that the request names."""
        with self.engine.world.lock:
            stack = self._checkable()
            asked = self.asked("LogicalResourceIds")
            names = list(stack.records) if asked is None else [self._record(stack, name).logical_id for name in asked]
            self.engine.look(stack, names)
            found = [record.drift for record in stack.records.values() if record.drift is not None]
            drifted = sum(drift.status != IN_SYNC for drift in found)
            stack.drift = StackDrift(str(chance.new_uuid()), stack.now(), drifted)
        return ActionResult({"StackDriftDetectionId": stack.drift.id})

    def describe_stack_drift_detection_status(self) -> ActionResult:
        """Shows what a look at a stack found; only the last one of a stack is kept."""
        asked = self.asked("StackDriftDetectionId")
        stacks = self.engine.world.stacks(self.current_account, self.region)
        for stack in stacks:
            if stack.drift is not None and stack.drift.id == asked:
                return ActionResult(
                    {
                        "StackId": stack.id,
                        "StackDriftDetectionId": asked,
                        "StackDriftStatus": stack.drift.status,
                        "DetectionStatus": "DETECTION_COMPLETE",
                        "DriftedStackResourceCount": stack.drift.drifted,
                        "Timestamp": stack.drift.checked,
                    }
                )
        raise ApiError(f"Stack drift detection {asked} does not exist")

    def describe_stack_resource_drifts(self) -> ActionResult:
        """Shows the resources of a stack that were looked at."""
        stack, wanted = self.stack(), self.asked("StackResourceDriftStatusFilters")
        return ActionResult(
            {
                "StackResourceDrifts": [
                    _written(stack, record, record.drift)
                    for record in stack.records.values()
                    if record.drift is not None and (not wanted or record.drift.status in wanted)
                ]
            }
        )

    def detect_stack_resource_drift(self) -> ActionResult:
        """Looks at one resource."""
        with self.engine.world.lock:
            stack = self._checkable()
            record = self._record(stack, self.asked("LogicalResourceId"))
            self.engine.look(stack, [record.logical_id])
        if record.drift is None:
            raise ApiError(f"Drift detection is not supported for resource type {record.resource.type}")
        return ActionResult({"StackResourceDrift": _written(stack, record, record.drift)})

    def _checkable(self) -> Stack:
        stack = self.stack()
        if stack.status not in CHECKABLE:
            raise ApiError(f"Drift detection can't be performed on stack [{stack.name}] in {stack.status} state")
        return stack

    def _record(self, stack: Stack, name: str) -> Record:
        if name not in stack.records:
            raise ApiError(f"Resource {name} does not exist for stack {stack.name}")
        return stack.records[name]


def _written(stack: Stack, record: Record, drift: Drift) -> Answer:
    gone = drift.status == DELETED
    return filled(
        {
            "StackId": stack.id,
            "LogicalResourceId": record.logical_id,
            "PhysicalResourceId": record.resource.physical_id,
            "ResourceType": record.resource.type,
            "ExpectedProperties": None if gone else _text(drift.expected),
            "ActualProperties": None if gone else _text(drift.actual),
            "PropertyDifferences": [_difference(one) for one in drift.differences],
            "StackResourceDriftStatus": drift.status,
            "Timestamp": drift.checked,
        }
    )


def _difference(one: Difference) -> Answer:
    return {
        "PropertyPath": one.path,
        "ExpectedValue": _text(one.expected),
        "ActualValue": _text(one.actual),
        "DifferenceType": one.kind,
    }


def _text(value: Any) -> str:
    """Gives a value as the API shows it: a text as it is, anything else as JSON; nothing is ``null``."""
    return value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)
