"""CloudFormation's API in process, over made-up custom types."""

import json
from itertools import count

import pytest

from rehearsal.application import Rehearsal
from rehearsal.handlers.base import ResourceError


class CustomThings:
    """Handles every ``Custom::*`` type; a thing with the property ``Refuse`` is refused.

    Attributes:
        stuck: The logical ids of the things that can't be changed now.
    """

    def __init__(self) -> None:
        self.stuck = set()
        self._numbers = count(1)

    def create(self, _, resource):
        self._check(resource.properties)
        resource.physical_id = f"{resource.logical_id.lower()}-{next(self._numbers)}"
        resource.attributes = {"Arn": f"arn:{resource.physical_id}"}

    def update(self, _, resource, properties):
        self._check(properties)
        if resource.logical_id in self.stuck:
            raise ResourceError("InvalidRequest", f"{resource.logical_id} is stuck")

    def delete(self, *_: object):
        """Forgets nothing, since nothing is kept."""

    def _check(self, properties) -> None:
        if properties.get("Refuse"):
            raise ResourceError("InvalidRequest", "refused")


@pytest.fixture(scope="module")
def shared():
    things = CustomThings()
    return Rehearsal(
        handler_for=lambda name: things if name.startswith("Custom::") else None, overlay_for=lambda _: None
    )


@pytest.fixture
def aws(shared):
    """An empty AWS."""
    shared.reset()
    return shared


@pytest.fixture
def stuck(aws):
    """The logical ids of the things that can't be changed now, to be filled and emptied."""
    things = aws.engine.handler_for("Custom::Thing")
    yield things.stuck
    things.stuck.clear()


@pytest.fixture
def cloudformation(aws):
    return aws.transport.client("cloudformation", "123456789012", "us-west-2")


@pytest.fixture
def body():
    """Writes a template of custom things, from their properties by logical id."""

    def write(sections=None, **things: object) -> str:
        resources = {name: {"Type": "Custom::Thing", "Properties": properties} for name, properties in things.items()}
        return json.dumps({"Resources": resources, **(sections or {})})

    return write
