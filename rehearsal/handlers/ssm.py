"""Parameters of the parameter store.

Source: aws/aws-cdk, the integration test of ``StringListParameter``, of the names that CloudFormation generates: they
begin with ``CFN`` and not with the stack's name, with which SSM would refuse some (``aws-network``).
"""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.names import NameRule


class Parameter(ApiHandler):
    """A parameter; ``Ref`` is its name, and its value and type can be read as attributes."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Puts the parameter; SSM refuses a name that is taken."""
        super().create(scope, resource)
        self._note(resource, resource.properties)

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Puts the parameter's new version; tags go by their own call."""
        self.update_tags(scope, resource, properties)
        content = {**split(properties, "Tags", "Name")[1], "Name": resource.physical_id, "Overwrite": True}
        call_fitted(scope.client("ssm"), "PutParameter", content)
        self._note(resource, properties)

    @staticmethod
    def _note(resource: Resource, properties: Properties) -> None:
        resource.attributes |= {"Type": properties["Type"], "Value": properties["Value"]}


def _retag(client: Any, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
    parameter = {"ResourceType": "Parameter", "ResourceId": resource.physical_id}
    if tags:
        call_fitted(client, "AddTagsToResource", {**parameter, "Tags": tags})
    if removed:
        call(client, "RemoveTagsFromResource", {**parameter, "TagKeys": removed})


HANDLERS: dict[str, Handler] = {
    "AWS::SSM::Parameter": Parameter(
        service="ssm",
        create_operation="PutParameter",
        reference="{Name}",
        identity={"Name": "{Ref}"},
        delete_operation="DeleteParameter",
        name=NameRule("Name", 1011, begins="CFN"),
        retag=_retag,
    ),
}
