"""The stacks of a rehearsed environment as a test looks at them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rehearsal.rehearsed.errors import RehearsedError
from rehearsal.stack import Event, Stack
from rehearsal.world import World


@dataclass(frozen=True, slots=True)
class RehearsedStack:
    """A stack of the embedded AWS.

    Attributes:
        name: Its name.
        status: Its status, such as ``CREATE_COMPLETE``.
        template: The template that it was deployed from last.
        outputs: The values of its outputs, by their names.
        events: What happened to it and its resources, oldest first; ``code`` of a failure is the service's error code.
        resources: The physical ids of its resources, by their names in the template.
    """

    name: str
    status: str
    template: Mapping[str, Any]
    outputs: Mapping[str, str]
    events: tuple[Event, ...]
    resources: Mapping[str, str]

    def of_type(self, resource_type: str) -> Mapping[str, Mapping[str, Any]]:
        """Returns what the template says of the resources of a type, by their names: their properties."""
        return {
            name: each.get("Properties", {})
            for name, each in self.template.get("Resources", {}).items()
            if each["Type"] == resource_type
        }


class RehearsedStacks(Mapping[str, RehearsedStack]):
    """The stacks that stand in an account and region, by their names; each look finds them as they are then."""

    def __init__(self, world: World, *, account: str, region: str) -> None:
        self._world, self._account, self._region = world, account, region

    def __getitem__(self, name: str) -> RehearsedStack:
        found = self._world.find(name, account=self._account, region=self._region)
        if found is None or found.status == "DELETE_COMPLETE":
            raise KeyError(self._missing(name))
        return seen(found)

    def __iter__(self) -> Iterator[str]:
        standing = self._world.stacks(self._account, self._region)
        yield from sorted(stack.name for stack in standing if stack.status != "DELETE_COMPLETE")

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def check(self, names: Iterable[str]) -> None:
        """Checks that stacks stand.

        Raises:
            RehearsedError: One does not; says which ones stand.
        """
        for name in names:
            if name not in self:
                raise RehearsedError(self._missing(name))

    def _missing(self, name: str) -> str:
        return f"there is no stack {name}; those that stand: {', '.join(self) or 'none'}"


def seen(stack: Stack) -> RehearsedStack:
    """Returns what a test sees of a stack."""
    return RehearsedStack(
        name=stack.name,
        status=stack.status,
        template=stack.deployment.template.document,
        outputs={output.key: output.value for output in stack.outputs},
        events=tuple(stack.events),
        resources={
            name: record.resource.physical_id
            for name, record in stack.records.items()
            if record.resource.physical_id is not None
        },
    )
