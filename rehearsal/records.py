"""Keeps the resources of a stack: what the template said of each, what it is, and how it stood at rest."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from rehearsal.drifts import Drift
from rehearsal.handlers.base import Properties, Resource
from rehearsal.templates.template import ResourceSpec


@dataclass(slots=True)
class Record:
    """A resource within its stack.

    Attributes:
        spec: What the template said of it when it was last made or changed.
        resource: The resource itself, which its handler works on.
        dependencies: The logical ids of the resources that must be there before it.
        status: Its last status; empty before its first.
        reason: The reason for that status.
        updated: When it got that status.
        drift: What the last look at it found; None for one that was not looked at.
    """

    spec: ResourceSpec
    resource: Resource
    dependencies: frozenset[str] = frozenset()
    status: str = ""
    reason: str | None = None
    updated: datetime | None = None
    drift: Drift | None = None

    @property
    def logical_id(self) -> str:
        """The resource's name in the template."""
        return self.spec.logical_id

    @property
    def exists(self) -> bool:
        """Whether there is something of it in the account."""
        return self.resource.physical_id is not None and self.status not in {"DELETE_COMPLETE", "DELETE_SKIPPED"}


@dataclass(frozen=True, slots=True)
class Present(Mapping[str, Resource]):
    """Shows, of a stack's records, the resources that are there."""

    records: Mapping[str, Record]

    def __getitem__(self, name: str) -> Resource:
        record = self.records[name]
        if not record.exists:
            raise KeyError(name)
        return record.resource

    def __iter__(self) -> Iterator[str]:
        return (name for name, record in self.records.items() if record.exists)

    def __len__(self) -> int:
        return sum(record.exists for record in self.records.values())


@dataclass(frozen=True, slots=True)
class Kept:
    """How a resource stood when its stack was last at rest."""

    spec: ResourceSpec
    resource: Resource
    properties: Properties
    dependencies: frozenset[str]
