"""The CDK's own types, behind which there is no service."""

from rehearsal.handlers.base import Handler, Properties, Resource, Scope


class Metadata:
    """The record of construct versions that the CDK puts into templates; nothing is made from it."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Gives the record an id."""
        resource.physical_id = f"{scope.stack_name}-{resource.logical_id}"

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes nothing."""

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes nothing."""


HANDLERS: dict[str, Handler] = {"AWS::CDK::Metadata": Metadata()}
