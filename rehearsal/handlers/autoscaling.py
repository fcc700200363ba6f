"""Auto Scaling groups, from which samples start nodes that they manage themselves."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import at, call, call_fitted, call_unless_gone
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import own_tags, wanted_tags

_SUBNETS, _METRICS = "VPCZoneIdentifier", "MetricsCollection"
_GROUP = "auto-scaling-group"


class AutoScalingGroup(ApiHandler):
    """An Auto Scaling group; another launch template reaches the instances that it starts from then on.

    Source: CloudFormation user guide, AWS::AutoScaling::AutoScalingGroup: Ref is the name; without an update policy an
    update leaves the running instances as they are.
    """

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives subnets as one text, tags with the group that they are of, and leaves metrics to their own call."""
        properties = super().creation(scope, resource)
        name = properties["AutoScalingGroupName"]
        _, rest = split(_subnets_as_text(properties), "Tags", _METRICS)
        tags = self._tags(scope, resource, name, resource.properties)
        return {**rest, **({"Tags": tags} if tags else {})}

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the group with its instances, switches its metrics on, and reads its ARN."""
        super().create(scope, resource)
        self._collect(scope, resource, resource.properties.get(_METRICS) or [])
        named = {"AutoScalingGroupNames": [resource.physical_id]}
        answer = call(scope.client("autoscaling"), "DescribeAutoScalingGroups", named)
        resource.attributes["AutoScalingGroupARN"] = at(answer, "AutoScalingGroups.0.AutoScalingGroupARN")

    def update_tags(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Sets the group's tags and takes away those that are gone."""
        client, name = scope.client("autoscaling"), str(resource.physical_id)
        new = self._tags(scope, resource, name, properties)
        if new:
            call(client, "CreateOrUpdateTags", {"Tags": new})
        wanted = {tag["Key"] for tag in new}
        gone = [key for key in own_tags(resource.properties) if key not in wanted]
        if gone:
            tags = [{"ResourceId": name, "ResourceType": _GROUP, "Key": key} for key in gone]
            call(client, "DeleteTags", {"Tags": tags})

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Changes metrics by their own call, and everything else by ``UpdateAutoScalingGroup``."""
        metrics, rest = split(changed, _METRICS)
        if metrics:
            self._collect(scope, resource, metrics[_METRICS] or [])
            resource.took(changed, _METRICS)
        super().apply(scope, resource, _subnets_as_text(rest))

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the group with its instances."""
        if resource.physical_id is not None:
            wish = {"AutoScalingGroupName": resource.physical_id, "ForceDelete": True}
            call_unless_gone(scope.client("autoscaling"), self.delete_operation, wish)

    @staticmethod
    def _collect(scope: Scope, resource: Resource, metrics: list[Properties]) -> None:
        for each in metrics:
            wish = {"AutoScalingGroupName": resource.physical_id, **each}
            call_fitted(scope.client("autoscaling"), "EnableMetricsCollection", wish)

    @staticmethod
    def _tags(scope: Scope, resource: Resource, name: str, properties: Properties) -> list[dict[str, Any]]:
        """Gives the group's tags, its own with what they say of instances; the stack's reach instances too."""
        own = {tag["Key"]: _truth(tag["PropagateAtLaunch"]) for tag in properties.get("Tags") or []}
        return [
            {
                "ResourceId": name,
                "ResourceType": _GROUP,
                "Key": key,
                "Value": value,
                "PropagateAtLaunch": own.get(key, True),
            }
            for key, value in wanted_tags(scope, resource, properties).items()
        ]


def _truth(value: object) -> bool:
    """Gives a truth value that a template may write as a text."""
    return str(value).lower() == "true"


def _subnets_as_text(properties: Properties) -> Properties:
    """Gives properties with the list of subnets as the API has it: one text, with commas."""
    subnets = properties.get(_SUBNETS)
    return {**properties, _SUBNETS: ",".join(subnets)} if isinstance(subnets, list) else properties


HANDLERS: dict[str, Handler] = {
    "AWS::AutoScaling::AutoScalingGroup": AutoScalingGroup(
        service="autoscaling",
        create_operation="CreateAutoScalingGroup",
        reference="{AutoScalingGroupName}",
        identity={"AutoScalingGroupName": "{Ref}"},
        update_operations=("UpdateAutoScalingGroup",),
        delete_operation="DeleteAutoScalingGroup",
        name=NameRule("AutoScalingGroupName", 255),
    ),
}
