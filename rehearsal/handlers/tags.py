"""The tags that CloudFormation puts on resources, and how each service takes them."""

from collections.abc import Callable, Mapping
from typing import Any

from rehearsal.handlers.base import Properties, Resource, Scope
from rehearsal.handlers.calls import call_fitted, filled
from rehearsal.schemas import schemas

Retag = Callable[[Any, Resource, dict[str, str], list[str]], None]
"""Sets tags on a resource and takes others away: client, resource, tags to set, keys to remove."""


def wanted_tags(scope: Scope, resource: Resource, properties: Properties) -> dict[str, str]:
    """Gives every tag that the resource should carry; none for a type that its schema calls untaggable.

    The resource's own tags win over the stack's. The ``aws:cloudformation:`` tags come where the schema says
    ``cloudFormationSystemTags``.

    Source: CloudFormation user guide, Resource tag; the types' schemas.
    """
    schema = schemas(scope.region).get(resource.type)
    if schema is None or not schema.taggable:
        return {}
    system = {
        "aws:cloudformation:stack-name": scope.stack_name,
        "aws:cloudformation:stack-id": scope.stack_id,
        "aws:cloudformation:logical-id": resource.logical_id,
    }
    return {**(system if schema.system_tags else {}), **scope.tags, **own_tags(properties)}


def own_tags(properties: Properties) -> dict[str, str]:
    """Gives a resource's own tags as a map, whether the type has a map or a list of ``Key`` and ``Value``."""
    tags = properties.get("Tags", {})
    return dict(tags) if isinstance(tags, Mapping) else {tag["Key"]: tag["Value"] for tag in tags}


def retag_by_id(client: Any, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
    """Tags an EC2 resource, by its id."""
    resource_id = resource.attributes.get("AllocationId", resource.physical_id)
    if tags:
        client.create_tags(Resources=[resource_id], Tags=[{"Key": key, "Value": tags[key]} for key in tags])
    if removed:
        client.delete_tags(Resources=[resource_id], Tags=[{"Key": key} for key in removed])


def retag_by_arn(template: str) -> Retag:
    """Gives the function that tags through ``TagResource``; the template fills the resource's ARN."""

    def retag(client: Any, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
        arn = {"ResourceArn": filled(template, resource)}
        if tags:
            call_fitted(client, "TagResource", {**arn, "Tags": tags})
        if removed:
            call_fitted(client, "UntagResource", {**arn, "TagKeys": removed})

    return retag
