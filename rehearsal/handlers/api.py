"""The handler that most types need: one create call, one delete call, and updates by the operation that takes them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rehearsal.handlers.base import Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import at, call, call_fitted, call_unless_gone, filled, input_shape, read
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import Retag, own_tags, wanted_tags


@dataclass(frozen=True, kw_only=True)
class Read:
    """How attributes are read back.

    Attributes:
        operation: The describe operation.
        parameters: Its parameters, as templates over ``{Ref}``, properties and attributes.
    """

    operation: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ApiHandler:
    """Makes, changes and removes the resources of one type by one row of facts.

    Attributes:
        service: boto3's name of the service.
        create_operation: The operation that makes the resource from its properties.
        reference: What ``Ref`` gives: a path into the create operation's answer, or a template with ``{}`` over
            properties and attributes.
        identity: Parameters, as templates, that name the resource to the delete and update operations.
        delete_operation: The operation that removes it.
        update_operations: Operations that take changed properties; each gets those that its input shape knows.
        attributes: The path of each attribute (``Vpcs.0.VpcId``) in the answer of ``read_back``, or else in that of the
            create operation.
        read_back: How attributes are read; None when the create operation's answer holds them.
        name: How the resource's name is found; None for types without names.
        renamed: The API's name of each property that has another one; see ``rehearsal.fit.fit``.
        fixed: Parameters that the create operation always gets.
        tag_type: EC2's resource type in ``TagSpecifications``; empty where the create operation takes ``Tags``.
        retag: How tags are changed afterwards; None where they can't be.
        retag_on_create: Whether the create operation takes no tags, so that ``retag`` sets them.
    """

    service: str
    create_operation: str
    reference: str
    identity: Mapping[str, Any]
    delete_operation: str
    update_operations: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    read_back: Read | None = None
    name: NameRule | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    tag_type: str = ""
    retag: Retag | None = None
    retag_on_create: bool = False

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the resource; see ``Handler.create``."""
        client = scope.client(self.service)
        properties = self.creation(scope, resource)
        answer = call_fitted(client, self.create_operation, properties, self.renamed)
        if "{" in self.reference:
            resource.physical_id = self.reference.format_map({**resource.attributes, **properties})
        else:
            resource.physical_id = str(at(answer, self.reference))
        resource.attributes |= read(answer, self.attributes) if self.read_back is None else {}
        self.read_attributes(scope, resource)
        if self.retag_on_create and self.retag:
            self.retag(client, resource, wanted_tags(scope, resource, resource.properties), [])

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives what the create operation gets: the properties with name and tags."""
        properties = {**resource.properties, **self.fixed}
        if self.name:
            properties[self.name.property] = self.name.name(scope, resource)
        properties.pop("Tags", None)
        tags = wanted_tags(scope, resource, resource.properties)
        if tags and self.tag_type:
            properties["TagSpecifications"] = [
                {"ResourceType": self.tag_type, "Tags": [{"Key": key, "Value": tags[key]} for key in tags]}
            ]
        elif tags and not self.retag_on_create:
            properties["Tags"] = tags
        return properties

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads the attributes back from the service, where the row says how."""
        if self.read_back:
            client = scope.client(self.service)
            answer = call(client, self.read_back.operation, filled(self.read_back.parameters, resource))
            resource.attributes |= read(answer, self.attributes)

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes the resource in place; see ``Handler.update``."""
        changed = changes(resource.properties, properties)
        self.update_tags(scope, resource, properties)
        resource.took(properties, "Tags")
        changed.pop("Tags", None)
        self.apply(scope, resource, changed)
        self.read_attributes(scope, resource)

    def update_tags(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Brings the resource's tags to what the new properties and the stack want."""
        old, new = own_tags(resource.properties), own_tags(properties)
        wanted = wanted_tags(scope, resource, properties)
        removed = sorted(key for key in old if key not in wanted)
        if old != new or scope.tags:
            if self.retag is None:
                if old != new:
                    raise not_updatable(resource, ["Tags"])
                return
            self.retag(scope.client(self.service), resource, wanted, removed)

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Passes changed properties to the update operations, each to the first that knows it.

        Raises:
            ResourceError: No update operation knows a property, or it was taken out of the template.
        """
        client = scope.client(self.service)
        left = dict(changed)
        for operation in self.update_operations:
            members = {member.lower() for member in input_shape(client, operation).members}
            mine = {
                name: left.pop(name)
                for name in list(left)
                if left[name] is not None and self.renamed.get(name, name).lower() in members
            }
            if mine:
                call_fitted(client, operation, {**mine, **self.identified(resource)}, self.renamed)
                resource.took(changed, *mine)
        if left:
            raise not_updatable(resource, sorted(left))

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the resource; see ``Handler.delete``."""
        if resource.physical_id is not None:
            call_unless_gone(scope.client(self.service), self.delete_operation, self.identified(resource))

    def identified(self, resource: Resource) -> Properties:
        """Gives the parameters that name the resource to the delete and update operations."""
        found: Properties = filled(self.identity, resource)
        return found


def changes(old: Properties, new: Properties) -> Properties:
    """Gives the properties that differ, with their new values; None stands for one that is gone."""
    return {name: new.get(name) for name in sorted({*old, *new}) if old.get(name) != new.get(name)}


def not_updatable(resource: Resource, names: list[str]) -> ResourceError:
    """Gives the error for a change that can't be passed on."""
    return ResourceError(
        "NotUpdatable", f"Update of {', '.join(names)} of {resource.type} can't be passed on to the service's API"
    )


def split(properties: Properties, *names: str) -> tuple[Properties, Properties]:
    """Parts properties into those named and the rest."""
    picked = {name: properties[name] for name in names if name in properties}
    return picked, {name: value for name, value in properties.items() if name not in names}
