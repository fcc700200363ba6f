"""Drift through the API, over things whose readers tell what a test says."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.application import Rehearsal


@pytest.fixture
def standing():
    """How the things stand, by logical id; None for one that is gone."""
    return {}


@pytest.fixture
def aws(shared, standing):
    """An empty AWS in which ``Custom::Thing`` can be read, and no other type."""
    things = shared.engine.handler_for("Custom::Thing")
    made = Rehearsal(
        handler_for=lambda name: things if name.startswith("Custom::") else None,
        overlay_for=lambda _: None,
        reader_for=lambda name: (
            (lambda _, resource: standing.get(resource.logical_id, resource.properties))
            if name == "Custom::Thing"
            else None
        ),
    )
    made.reset()
    return made


@pytest.fixture
def look(cloudformation):
    """Looks at the stack ``main`` and gives what is told of it."""

    def run(**which: object) -> dict:
        look_id = cloudformation.detect_stack_drift(StackName="main", **which)["StackDriftDetectionId"]
        return cloudformation.describe_stack_drift_detection_status(StackDriftDetectionId=look_id)

    return run


@pytest.fixture
def statuses(cloudformation):
    """Gives what the resources' own answers say of their drift."""

    def of() -> dict[str, str]:
        rows = cloudformation.list_stack_resources(StackName="main")["StackResourceSummaries"]
        return {row["LogicalResourceId"]: row["DriftInformation"]["StackResourceDriftStatus"] for row in rows}

    return of


@pytest.fixture(autouse=True)
def _stack(cloudformation, body):
    template = json.loads(body(A={"Size": 1}, B={"Size": 1}))
    template["Resources"]["Other"] = {"Type": "Custom::Other"}
    cloudformation.create_stack(StackName="main", TemplateBody=json.dumps(template))


class TestStack:
    def test_in_sync(self, cloudformation, look, statuses):
        """Before a look nothing is known; after it, everything but what can't be read."""
        assert set(statuses().values()) == {"NOT_CHECKED"}

        found = look()

        assert (found["StackDriftStatus"], found["DriftedStackResourceCount"]) == ("IN_SYNC", 0)
        assert statuses() == {"Other": "NOT_CHECKED", "A": "IN_SYNC", "B": "IN_SYNC"}
        (stack,) = cloudformation.describe_stacks(StackName="main")["Stacks"]
        assert stack["DriftInformation"]["StackDriftStatus"] == "IN_SYNC"
        assert stack["DriftInformation"]["LastCheckTimestamp"] == found["Timestamp"]

    def test_drifted(self, cloudformation, look, statuses, standing):
        """What differs and what is gone are counted and told, and may be filtered."""
        standing.update(A={"Size": 2}, B=None)

        found = look()

        assert (found["StackDriftStatus"], found["DriftedStackResourceCount"]) == ("DRIFTED", 2)
        assert statuses() == {"Other": "NOT_CHECKED", "A": "MODIFIED", "B": "DELETED"}
        (modified,) = cloudformation.describe_stack_resource_drifts(
            StackName="main", StackResourceDriftStatusFilters=["MODIFIED"]
        )["StackResourceDrifts"]
        assert (modified["ExpectedProperties"], modified["ActualProperties"]) == ('{"Size": 1}', '{"Size": 2}')
        assert modified["PropertyDifferences"] == [
            {"PropertyPath": "/Size", "ExpectedValue": "1", "ActualValue": "2", "DifferenceType": "NOT_EQUAL"}
        ]

    def test_some(self, look, statuses, standing):
        """A look may be at some resources alone."""
        standing.update(A={"Size": 2})

        look(LogicalResourceIds=["B"])

        assert statuses() == {"Other": "NOT_CHECKED", "A": "NOT_CHECKED", "B": "IN_SYNC"}

    def test_known_no_more(self, cloudformation, body, look, statuses, standing):
        """Of a resource that has changed since, the look says nothing any more."""
        standing.update(A={"Size": 2})
        look()

        cloudformation.update_stack(StackName="main", TemplateBody=body(A={"Size": 3}, B={"Size": 1}))

        assert statuses() == {"A": "NOT_CHECKED", "B": "IN_SYNC"}


class TestResource:
    def test_one(self, cloudformation, standing):
        """One resource may be looked at by itself."""
        standing.update(A={"Size": 2})

        found = cloudformation.detect_stack_resource_drift(StackName="main", LogicalResourceId="A")

        assert found["StackResourceDrift"]["StackResourceDriftStatus"] == "MODIFIED"

    def test_unreadable(self, cloudformation):
        """A resource of a type that can't be read is refused."""
        with pytest.raises(ClientError, match="not supported for resource type Custom::Other"):
            cloudformation.detect_stack_resource_drift(StackName="main", LogicalResourceId="Other")


class TestRefused:
    def test_unknown(self, cloudformation):
        """What is not there can't be looked at, and a look that was not made can't be shown."""
        with pytest.raises(ClientError, match="Resource C does not exist for stack main"):
            cloudformation.detect_stack_drift(StackName="main", LogicalResourceIds=["C"])
        with pytest.raises(ClientError, match="detection none does not exist"):
            cloudformation.describe_stack_drift_detection_status(StackDriftDetectionId="none")

    def test_state(self, cloudformation, body):
        """A stack that failed is not looked at."""
        cloudformation.create_stack(StackName="failed", TemplateBody=body(A={"Refuse": True}))

        with pytest.raises(ClientError, match=r"can't be performed on stack \[failed\] in ROLLBACK_COMPLETE state"):
            cloudformation.detect_stack_drift(StackName="failed")
