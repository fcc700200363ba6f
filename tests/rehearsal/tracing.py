"""Tells which properties of a resource reach a service: its handler runs again with one value changed.

While templates are deployed, each call that a handler makes is recorded with its answer. Later the handler makes the
same resource again, each call answered from the record, once as it was and once with one value changed. Where both make
the same calls, the handler leaves the value out.
"""

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from botocore.exceptions import ClientError
from botocore.model import Shape

from rehearsal.handlers.base import Handler, Resource, ResourceError, Scope
from rehearsal.overlays.state import state_of

Path = tuple[str | int, ...]
#: Each call's service, operation and parameters.
Calls = list[tuple[str, str, Any]]


@dataclass(frozen=True, slots=True)
class Made:
    """A resource that a handler has made, with all that it was answered.

    Attributes:
        scope: Where it was made.
        resource: The resource before it was made.
        physical_id: Its id afterwards.
        attributes: Its attributes afterwards.
        answers: What each operation has answered, in its order; a refusal is an answer too.
    """

    scope: Scope
    resource: Resource
    physical_id: str | None
    attributes: dict[str, Any]
    answers: dict[tuple[str, str], list[Any]]

    @property
    def type(self) -> str:
        return self.resource.type


@dataclass(slots=True)
class Recorder:
    """Wraps handlers so that what they make is kept; each type's resources in the order in which they were made."""

    made: list[Made] = field(default_factory=list)

    def wrap(self, handler: Handler | None) -> Handler | None:
        return None if handler is None else _Recording(handler, self)


@dataclass(frozen=True, slots=True)
class _Recording:
    handler: Handler
    recorder: Recorder

    def create(self, scope: Scope, resource: Resource) -> None:
        answers: dict[tuple[str, str], list[Any]] = defaultdict(list)
        before = Resource(resource.logical_id, resource.type, copy.deepcopy(resource.properties))
        watched = replace(scope, client=lambda service: _Client(scope.client(service), service, [], answers, live=True))
        self.handler.create(watched, resource)
        after = resource.physical_id, copy.deepcopy(resource.attributes)
        self.recorder.made.append(Made(scope, before, *after, answers))

    def update(self, scope: Scope, resource: Resource, properties: dict[str, Any]) -> None:
        self.handler.update(scope, resource, properties)

    def delete(self, scope: Scope, resource: Resource) -> None:
        self.handler.delete(scope, resource)


@dataclass(slots=True)
class _Client:
    """A boto3 client whose calls are kept, and answered by the service or from the record."""

    client: Any
    service: str
    calls: Calls
    answers: dict[tuple[str, str], list[Any]]
    live: bool

    @property
    def meta(self) -> Any:
        return self.client.meta

    def get_paginator(self, operation: str) -> "_Pages":
        return _Pages(self, operation)

    def __getattr__(self, method: str) -> Any:
        operation = self.client.meta.method_to_api_mapping.get(method)
        if operation is None:
            return getattr(self.client, method)
        key = (self.service, operation)

        def answer(**parameters: Any) -> Any:
            if self.live:
                return self._asked(key, method, parameters)
            number = sum((service, name) == key for service, name, _ in self.calls)
            self.calls.append((*key, copy.deepcopy(parameters)))
            known = self.answers.get(key, [])
            if not known:
                return _empty(self.client.meta.service_model.operation_model(operation).output_shape)
            said = known[min(number, len(known) - 1)]
            if isinstance(said, ClientError):
                raise said
            return copy.deepcopy(said)

        return answer

    def _asked(self, key: tuple[str, str], method: str, parameters: dict[str, Any]) -> Any:
        """Asks the service, and keeps what it says; a refusal is kept too."""
        try:
            said = getattr(self.client, method)(**parameters)
        except ClientError as refusal:
            self.answers[key].append(refusal)
            raise
        if "Payload" in said and hasattr(said["Payload"], "read"):
            said["Payload"] = _Body(said["Payload"].read())
        self.answers[key].append(copy.deepcopy(said))
        return said


@dataclass(frozen=True, slots=True)
class _Pages:
    client: _Client
    operation: str

    def paginate(self, **parameters: Any) -> Iterator[Any]:
        yield getattr(self.client, self.operation)(**parameters)


@dataclass(frozen=True, slots=True)
class _Body:
    content: bytes

    def read(self) -> bytes:
        return self.content


def _empty(shape: Shape | None) -> dict[str, Any]:
    """Returns an answer without content."""
    kinds = {"list": list, "map": dict, "structure": dict}
    members = {} if shape is None else shape.members
    return {name: kinds[each.type_name]() for name, each in members.items() if each.type_name in kinds}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yields each value that holds no other, with its path; what is empty is one too, but not a whole resource."""
    if isinstance(value, dict) and (value or not path):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list) and value:
        for number, part in enumerate(value):
            yield from leaves(part, (*path, number))
    else:
        yield path, value


def named(path: Path) -> str:
    """Returns a property's path without the places in lists."""
    return ".".join(step for step in path if isinstance(step, str))


def is_left_out(made: Made, handler: Handler, path: Path) -> bool:
    """Tells whether a handler makes a resource by the same calls when one value is another.

    A change that the handler refuses is one that it has looked at, and so is one after which the recorded answers do
    not fit any more: nothing else differs.
    """
    return _same(lambda properties: replayed(made, handler, properties), made.resource.properties, path)


def is_left_out_of_updates(made: Made, handler: Handler, path: Path) -> bool:
    """Tells whether a handler changes a resource by the same calls when one value is another, as above."""
    return _same(lambda properties: updated(made, handler, properties), made.resource.properties, path)


def replayed(made: Made, handler: Handler, properties: dict[str, Any]) -> Calls:
    """Returns the calls by which a handler makes a resource from properties, each answered as it was."""
    resource = Resource(made.resource.logical_id, made.type, copy.deepcopy(properties))
    return _calls(made, lambda scope: handler.create(scope, resource))


def updated(made: Made, handler: Handler, properties: dict[str, Any]) -> Calls:
    """Returns the calls by which a handler changes a resource to properties; what was never asked is answered empty."""
    known = copy.deepcopy((made.resource.properties, made.physical_id, made.attributes))
    resource = Resource(made.resource.logical_id, made.type, *known)
    return _calls(made, lambda scope: handler.update(scope, resource, copy.deepcopy(properties)))


def _same(calls: Callable[[dict[str, Any]], Calls], properties: dict[str, Any], path: Path) -> bool:
    altered = copy.deepcopy(properties)
    change(altered, path)
    try:
        return calls(altered) == calls(properties)
    except (ResourceError, ClientError, LookupError, TypeError, ValueError, AttributeError, StopIteration):
        return False


def _calls(made: Made, act: Callable[[Scope], None]) -> Calls:
    """Returns the calls of an action, which counts no name and no request for those that follow."""
    calls: Calls = []
    state = state_of(made.scope.account, made.scope.region)
    counters = state.generated_names, state.custom_requests
    before = [dict(counter) for counter in counters]
    for counter in counters:
        counter.clear()
    try:
        act(
            replace(
                made.scope,
                client=lambda service: _Client(made.scope.client(service), service, calls, made.answers, live=False),
            )
        )
    finally:
        for counter, counts in zip(counters, before, strict=True):
            counter.clear()
            counter.update(counts)
    return calls


def change(properties: dict[str, Any], path: Path) -> None:
    """Puts another value in the place of one."""
    *steps, last = path
    within: Any = properties
    for step in steps:
        within = within[step]
    within[last] = _another(within[last])


def _another(value: Any) -> Any:
    """Returns another value of the same kind; a text that stands for a truth or a number goes on to stand for one."""
    texts = {"true": "false", "false": "true"}
    if isinstance(value, str):
        number = str(int(value) + 1) if value.isdigit() else f"{value}-another"
        return texts.get(value.lower(), number)
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case dict():
            return {"another": "value"}
        case _:
            return [*value, "another"]


__all__ = [
    "Calls",
    "Made",
    "Recorder",
    "change",
    "is_left_out",
    "is_left_out_of_updates",
    "leaves",
    "named",
    "replayed",
]
