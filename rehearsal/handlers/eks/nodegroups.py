"""Managed node groups."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, not_updatable, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn

_FORCE = "ForceUpdateEnabled"
_VERSION = ("Version", "ReleaseVersion", "LaunchTemplate")
_ALONE = "Version and ReleaseVersion updates cannot be combined with other updates"
_CONFIG = ("ScalingConfig", "UpdateConfig", "NodeRepairConfig", "WarmPoolConfig")


class Nodegroup(ApiHandler):
    """A managed node group: a change of its nodes' software replaces nodes, a change of its settings does not."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves out the switch that matters to updates only."""
        return split(super().creation(scope, resource), _FORCE)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the node group; ``Ref`` is ``cluster/nodegroup``.

        Raises:
            ResourceError: Its nodes don't work, in the words of the handler, which lists the health issues.

        Source: aws-samples/amazon-eks-ami-rhel issue 11.
        """
        super().create(scope, resource)
        if resource.attributes.pop("Status") == "CREATE_FAILED":
            group = call(scope.client("eks"), "DescribeNodegroup", _named(resource))["nodegroup"]
            told = [
                f"Issue(Code={one['code']}, Message={one['message']}, ResourceIds=[{', '.join(one['resourceIds'])}])"
                for one in group["health"]["issues"]
            ]
            raise _nodes_failed(told)
        resource.attributes["Id"] = resource.physical_id
        resource.attributes["NodegroupName"] = str(resource.physical_id).split("/", 1)[1]

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Updates versions and launch template by one call and the settings by another.

        Raises:
            ResourceError: A setting was taken out, has no update operation, or changes beside a version.

        Source: aws/containers-roadmap issue 1258, whose words CloudFormation's are.
        """
        client, group = scope.client("eks"), _identity(resource)
        force, rest = split(changed, _FORCE)
        versions, rest = split(rest, *_VERSION)
        settings, rest = split(rest, *_CONFIG, "Labels", "Taints")
        gone = [name for name in _CONFIG if name in settings and settings[name] is None]
        gone += [name for name, value in versions.items() if value is None]
        if rest or gone:
            raise not_updatable(resource, sorted({*rest, *gone}))
        if {"Version", "ReleaseVersion"} & versions.keys() and (settings or "LaunchTemplate" in versions):
            raise ResourceError("InvalidRequest", _ALONE)
        if settings:
            asked = {**group, **_settings(resource.properties, settings)}
            _await(client, resource, call_fitted(client, "UpdateNodegroupConfig", asked))
            resource.took(changed, *settings)
        if versions:
            switch = force.get(_FORCE, resource.properties.get(_FORCE)) or False
            asked = {**group, **versions, "Force": switch}
            _await(client, resource, call_fitted(client, "UpdateNodegroupVersion", asked))

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the node group and with it its nodes."""
        if resource.physical_id is not None:
            named = {**resource.properties, **_identity(resource)}
            super().delete(
                scope,
                Resource(resource.logical_id, resource.type, named, resource.physical_id, resource.attributes),
            )


def _identity(resource: Resource) -> Properties:
    cluster, name = str(resource.physical_id).split("/", 1)
    return {"ClusterName": cluster, "NodegroupName": name}


def _named(resource: Resource) -> dict[str, str]:
    cluster, name = str(resource.physical_id).split("/", 1)
    return {"clusterName": cluster, "nodegroupName": name}


def _await(client: Any, resource: Resource, answer: Properties) -> None:
    """Sees to the end of an update that EKS has taken on.

    Raises:
        ResourceError: It failed, and left the node group as it was.

    Source: EKS API reference, DescribeUpdate, ErrorDetail; the handler's words after the pattern of those of a
    creation, not confirmed.
    """
    cluster, name = str(resource.physical_id).split("/", 1)
    named = {"name": cluster, "nodegroupName": name, "updateId": answer["update"]["id"]}
    update = call(client, "DescribeUpdate", named)["update"]
    if update["status"] == "Failed":
        told = [
            f"ErrorDetail(ErrorCode={one['errorCode']}, ErrorMessage={one['errorMessage']}, "
            f"ResourceIds=[{', '.join(one['resourceIds'])}])"
            for one in update["errors"]
        ]
        raise _nodes_failed(told)


def _nodes_failed(told: list[str]) -> ResourceError:
    words = f"[{', '.join(told)}] (Service: null, Status Code: 0, Request ID: null)"
    return ResourceError("GeneralServiceException", words)


def _settings(old: Properties, changed: Properties) -> dict[str, Any]:
    """Gives labels and taints by what is set and what is removed; the other settings as they are."""
    settings, rest = split(changed, "Labels", "Taints")
    if "Labels" in settings:
        labels, before = settings["Labels"] or {}, old.get("Labels") or {}
        rest["Labels"] = {
            "AddOrUpdateLabels": labels,
            "RemoveLabels": sorted(key for key in before if key not in labels),
        }
    if "Taints" in settings:
        taints, before_taints = settings["Taints"] or [], old.get("Taints") or []
        kept = {(taint.get("Key"), taint.get("Effect")) for taint in taints}
        rest["Taints"] = {
            "AddOrUpdateTaints": taints,
            "RemoveTaints": [taint for taint in before_taints if (taint.get("Key"), taint.get("Effect")) not in kept],
        }
    return rest


HANDLERS: dict[str, Handler] = {
    "AWS::EKS::Nodegroup": Nodegroup(
        service="eks",
        create_operation="CreateNodegroup",
        reference="{ClusterName}/{NodegroupName}",
        identity={"clusterName": "{ClusterName}", "nodegroupName": "{NodegroupName}"},
        delete_operation="DeleteNodegroup",
        name=NameRule("NodegroupName", 63),
        retag=retag_by_arn("{Arn}"),
        attributes={
            "Arn": "nodegroup.nodegroupArn",
            "ClusterName": "nodegroup.clusterName",
            "Status": "nodegroup.status",  # taken out again: CloudFormation gives no such attribute
        },
    ),
}
