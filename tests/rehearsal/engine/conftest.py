"""A CloudFormation of made-up types: ``Test::*`` things that remember what was done to them and fail when told to."""

import json
from collections.abc import Mapping
from itertools import count

import pytest

from rehearsal.engine import Engine, Retention
from rehearsal.handlers.base import ResourceError
from rehearsal.schemas import Schema
from rehearsal.templates.parameters import Given
from rehearsal.templates.template import parse
from rehearsal.world import World

ACCOUNT, REGION = "123456789012", "us-west-2"


class Things:
    """Handles every ``Test::*`` type.

    Attributes:
        calls: What was asked for, as (verb, logical id).
        existing: The physical ids of the things that are there.
        failures: The (verb, logical id) pairs that fail, as long as they are in it.
        failures_once: Those that fail the first time only.
        taken: The physical ids of the things that were kept as snapshots.
    """

    def __init__(self) -> None:
        self.calls, self.existing, self.scopes, self.taken = [], [], [], []
        self.failures, self.failures_once = set(), set()
        self._numbers = count(1)

    def __call__(self, resource_type) -> "Things | None":
        return self if resource_type.startswith(("Test::", "Custom::")) else None

    def create(self, scope, resource):
        self._record("CREATE", scope, resource)
        resource.physical_id = f"{resource.logical_id.lower()}-{next(self._numbers)}"
        resource.attributes = {"Arn": f"arn:{resource.physical_id}", "Endpoint": {"Port": 443}}
        self.existing.append(resource.physical_id)

    def update(self, scope, resource, properties):
        self._record("UPDATE", scope, resource)
        resource.attributes["Version"] = properties.get("Version")

    def delete(self, scope, resource):
        self._record("DELETE", scope, resource)
        self.existing.remove(resource.physical_id)

    def _record(self, verb, scope, resource) -> None:
        self.calls.append((verb, resource.logical_id))
        self.scopes.append(scope)
        asked = (verb, resource.logical_id)
        if asked in self.failures | self.failures_once:
            self.failures_once.discard(asked)
            raise ResourceError("InvalidRequest", f"{resource.logical_id} is refused")


class StoredThings(Things):
    """Handles things that can be kept as snapshots."""

    def snapshot(self, _, resource):
        self.taken.append(resource.physical_id)


class FakeSchemas:
    """The made-up types: ``Name`` and ``Config/Kind`` replace, ``Maybe`` may replace, ``Stored`` can be snapshots."""

    def get(self, resource_type):
        if not resource_type.startswith("Test::"):
            return None
        return Schema(
            type=resource_type,
            properties={"Name": {}, "Size": {}, "Config": {}, "Maybe": {}, "Tags": {}},
            create_only=(("Name",), ("Config", "Kind")),
            conditional_create_only=(("Maybe",),),
            read_only=(("Arn",), ("Endpoint", "Port"), ("Version",)),
            tag_property=("Tags",),
            snapshots=resource_type == "Test::Stored",
            capability_property="Name" if resource_type == "Test::Identity" else None,
        )


class NoParameters:
    """A Systems Manager without parameters."""

    def get_parameter(self, **_: object):
        raise AssertionError("no template of these tests asks for a stored parameter")


class Cloud:
    """Runs stack operations at once, and tells what came of them."""

    def __init__(self, things=None) -> None:
        self.world, self.things = World(), things or Things()
        self.engine = Engine(self.world, self.things, lambda *_: NoParameters(), lambda _: FakeSchemas())

    def create(self, resources, name="main", **options: object):
        stack = self.world.new(name, account=ACCOUNT, region=REGION)
        deployment = self.prepare(stack, resources, **options)
        self.world.add(stack)
        self.engine.create(stack, deployment, options.get("retention", Retention()))()
        return stack

    def update(self, stack, resources, **options: object):
        deployment = self.prepare(stack, resources, **options)
        self.engine.update(stack, deployment, options.get("retention", Retention()))()
        return stack

    def delete(self, stack, **options: object):
        self.engine.delete(stack, **options)()
        return stack

    def preview(self, stack, resources, **options: object):
        return self.engine.preview(stack, self.prepare(stack, resources, **options))

    def prepare(self, stack, resources, *, parameters=None, tags=None, **sections: object):
        sections.pop("retention", None)
        body = json.dumps({"Resources": resources, **sections})
        given = {name: Given(value) for name, value in (parameters or {}).items()}
        return self.engine.prepare(stack, parse(body), given, tags or {})


def thing(
    resource_type="Test::Thing", depends_on=None, condition=None, policy=None, replace_policy=None, **properties: object
):
    """Writes a resource of a template."""
    attributes = {
        "DependsOn": depends_on,
        "Condition": condition,
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": replace_policy,
    }
    given = {name: value for name, value in attributes.items() if value is not None}
    return {"Type": resource_type, "Properties": properties, **given}


def history(stack) -> list[tuple[str, str]]:
    """Gives a stack's events as (logical id, status), oldest first."""
    return [(event.subject.logical_id, event.status) for event in stack.events]


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


@pytest.fixture
def storing_cloud() -> Cloud:
    return Cloud(StoredThings())


@pytest.fixture(name="thing")
def thing_fixture():
    return thing


@pytest.fixture(name="history")
def history_fixture():
    return history


@pytest.fixture
def statuses():
    """Gives the statuses that a stack itself went through."""

    def of(stack) -> list[str]:
        return [event.status for event in stack.events if event.subject.physical_id == stack.id]

    return of


@pytest.fixture
def ids():
    """Gives the physical ids of a stack's resources by logical id."""

    def of(stack) -> Mapping[str, str]:
        return {name: resource.physical_id for name, resource in stack.resources.items()}

    return of
