"""Handlers for what the rehearsal does not make: they remember what there is, and refuse a name that is taken."""

from itertools import count

from rehearsal.handlers.base import ResourceError
from rehearsal.handlers.custom import CustomResource
from rehearsal.schemas import schemas

REGION = "us-east-2"


class StandIn:
    """Makes resources of any type, as a service would that keeps one of each name."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._taken = {}
        self.snapshots = []

    def create(self, _, resource):
        name = self._name(resource)
        if name is not None and name in self._taken.values():
            raise ResourceError("AlreadyExists", f"{' '.join(map(str, name))} already exists")
        resource.physical_id = f"{resource.logical_id.lower()}-{next(self._numbers)}"
        if name is not None:
            self._taken[resource.physical_id] = name

    def update(self, *_: object):
        """Takes any change."""

    def delete(self, _, resource):
        self._taken.pop(resource.physical_id, None)

    def snapshot(self, _, resource):
        self.snapshots.append(resource.logical_id)

    @staticmethod
    def _name(resource):
        known = schemas(REGION).get(resource.type)
        if known is None or any(path in known.read_only for path in known.primary_identifier):
            return None
        values = [resource.properties.get(path[0]) for path in known.primary_identifier]
        return None if None in values else (resource.type, *values)


class CustomThings(CustomResource):
    """Custom resources whose function says yes to everything."""

    def _send(self, _, resource, *__: object):
        return {"PhysicalResourceId": resource.physical_id or f"{resource.logical_id}-1", "Data": {}}
