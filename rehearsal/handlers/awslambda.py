"""Functions and layers of Lambda, and how often events are run."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, found
from rehearsal.handlers.names import NameRule, generated_name

_CONCURRENCY = "ReservedConcurrentExecutions"
#: What a setting is where the template no longer gives it. Source: Lambda API reference, UpdateFunctionConfiguration.
_ABSENT: Properties = {
    "Description": "",
    "Environment": {"Variables": {}},
    "Layers": [],
    "LoggingConfig": {},
    "MemorySize": 128,
    "Timeout": 3,
    "VpcConfig": {"SubnetIds": [], "SecurityGroupIds": []},
}


class Function(ApiHandler):
    """A function; its code, its settings and its concurrency are changed by a call each."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the concurrency to its own call."""
        return split(super().creation(scope, resource), _CONCURRENCY)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the function, and reserves its concurrency."""
        super().create(scope, resource)
        if _CONCURRENCY in resource.properties:
            self._reserve(scope, resource, resource.properties[_CONCURRENCY])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Changes code, concurrency and settings; a setting that is gone gets its default."""
        client, function = scope.client("lambda"), {"FunctionName": resource.physical_id}
        code, rest = split(changed, "Code")
        concurrency, rest = split(rest, _CONCURRENCY)
        if code:
            call_fitted(client, "UpdateFunctionCode", {**code["Code"], **function})
            resource.took(changed, "Code")
        if concurrency:
            self._reserve(scope, resource, concurrency[_CONCURRENCY])
            resource.took(changed, _CONCURRENCY)
        settings = {name: _ABSENT.get(name) if value is None else value for name, value in rest.items()}
        super().apply(scope, resource, settings)

    @staticmethod
    def _reserve(scope: Scope, resource: Resource, count: object) -> None:
        client, function = scope.client("lambda"), {"FunctionName": resource.physical_id}
        if count is None:
            call(client, "DeleteFunctionConcurrency", function)
        else:
            call_fitted(client, "PutFunctionConcurrency", {**function, _CONCURRENCY: count})


class LayerVersion(ApiHandler):
    """A version of a layer; whatever changes makes another one."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Names a layer without a name as CloudFormation does."""
        properties = super().creation(scope, resource)
        return {"LayerName": generated_name(scope, resource, limit=140), **properties}

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the version; functions that use it keep it, as Lambda lets them."""
        if resource.physical_id is not None:
            name, version = resource.physical_id.rsplit(":", 2)[1:]
            call(scope.client("lambda"), "DeleteLayerVersion", {"LayerName": name, "VersionNumber": int(version)})

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Refuses: everything of a layer version is set when it is made."""
        del scope, properties
        raise ResourceError("NotUpdatable", f"{resource.type} can't be changed")


class EventInvokeConfig(ApiHandler):
    """What becomes of a function's events; an update gives the whole, since what is not given gets its default.

    Source: Lambda API reference, PutFunctionEventInvokeConfig.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Puts the configuration, where the function has none.

        Source: CloudFormation CLI user guide, "Resource type handler contract": a create handler refuses what is there.
        The words are not confirmed.
        """
        function = split(resource.properties, "FunctionName", "Qualifier")[0]
        if found(scope.client("lambda"), "GetFunctionEventInvokeConfig", function) is not None:
            message = f"The event invoke configuration of {function['FunctionName']} already exists"
            raise ResourceError("AlreadyExists", message)
        super().create(scope, resource)

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Puts the whole where something differs."""
        if changed:
            kept = {**resource.properties, **changed}
            whole = {name: value for name, value in kept.items() if value is not None}
            call_fitted(scope.client("lambda"), self.create_operation, whole)


def _retag(client: Any, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
    function = {"Resource": resource.attributes["Arn"]}
    if tags:
        call(client, "TagResource", {**function, "Tags": tags})
    if removed:
        call(client, "UntagResource", {**function, "TagKeys": removed})


HANDLERS: dict[str, Handler] = {
    "AWS::Lambda::Function": Function(
        service="lambda",
        create_operation="CreateFunction",
        reference="FunctionName",
        identity={"FunctionName": "{Ref}"},
        update_operations=("UpdateFunctionConfiguration",),
        delete_operation="DeleteFunction",
        name=NameRule("FunctionName", 64),
        retag=_retag,
        attributes={"Arn": "FunctionArn"},
    ),
    "AWS::Lambda::EventInvokeConfig": EventInvokeConfig(
        service="lambda",
        create_operation="PutFunctionEventInvokeConfig",
        reference="{FunctionName}|{Qualifier}",
        identity={"FunctionName": "{FunctionName}", "Qualifier": "{Qualifier}"},
        delete_operation="DeleteFunctionEventInvokeConfig",
    ),
    "AWS::Lambda::LayerVersion": LayerVersion(
        service="lambda",
        create_operation="PublishLayerVersion",
        reference="LayerVersionArn",
        identity={},
        delete_operation="DeleteLayerVersion",
        attributes={"LayerVersionArn": "LayerVersionArn"},
    ),
}
