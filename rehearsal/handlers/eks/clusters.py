"""Clusters."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, Read, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn

_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
_FORCE = "Force"
_CREATE_ONLY_ACCESS = "BootstrapClusterCreatorAdminPermissions"


class Cluster(ApiHandler):
    """A cluster; EKS takes one kind of change an update."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives the log types as EKS's API wants them."""
        properties = split(super().creation(scope, resource), _FORCE)[1]
        if "Logging" in properties:
            properties["Logging"] = _logging(properties["Logging"])
        return properties

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads the cluster; without secrets encryption the key's ARN is empty, as CloudFormation gives it."""
        super().read_attributes(scope, resource)
        resource.attributes.setdefault("EncryptionConfigKeyArn", "")

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Updates the version first, then each other property by a call of its own.

        Raises:
            ResourceError: A property was taken out of the template, or has no update operation.
        """
        client, cluster = scope.client("eks"), {"name": resource.physical_id}
        changed = split(changed, _FORCE)[1]
        for name, value in sorted(changed.items(), key=lambda item: item[0] != "Version"):
            if value is None:
                raise ResourceError("NotUpdatable", f"EKS can't take {name} away from cluster {resource.physical_id}")
            if name == "Version":
                force = split(resource.properties, _FORCE)[0]
                call_fitted(client, "UpdateClusterVersion", {**cluster, **force, "Version": value})
            elif name == "Logging":
                call(client, "UpdateClusterConfig", {**cluster, "logging": _logging(value)})
            else:
                call_fitted(client, "UpdateClusterConfig", {**cluster, name: _updatable(name, value)})
            resource.took(changed, name)


def _updatable(name: str, value: Any) -> Any:
    """Leaves out the members that only creation takes."""
    if name == "AccessConfig":
        return split(value, _CREATE_ONLY_ACCESS)[1]
    if name == "KubernetesNetworkConfig":
        return split(value, "ServiceIpv4Cidr", "IpFamily")[1]
    return value


def _logging(value: Properties) -> dict[str, Any]:
    """Gives every log type, on or off."""
    enabled = {item["Type"] for item in value.get("ClusterLogging", {}).get("EnabledTypes", [])}
    unknown = sorted(enabled.difference(_LOG_TYPES))
    if unknown:
        raise ResourceError("ValidationError", f"EKS has no log type {unknown[0]}; it has {', '.join(_LOG_TYPES)}")
    setups = (
        ([name for name in _LOG_TYPES if name in enabled], True),
        ([name for name in _LOG_TYPES if name not in enabled], False),
    )
    return {"clusterLogging": [{"types": types, "enabled": state} for types, state in setups if types]}


HANDLERS: dict[str, Handler] = {
    "AWS::EKS::Cluster": Cluster(
        service="eks",
        create_operation="CreateCluster",
        reference="cluster.name",
        identity={"name": "{Ref}"},
        delete_operation="DeleteCluster",
        name=NameRule("Name", 100),
        retag=retag_by_arn("{Arn}"),
        read_back=Read(operation="DescribeCluster", parameters={"name": "{Ref}"}),
        attributes={
            "Arn": "cluster.arn",
            "Endpoint": "cluster.endpoint",
            "CertificateAuthorityData": "cluster.certificateAuthority.data",
            "ClusterSecurityGroupId": "cluster.resourcesVpcConfig.clusterSecurityGroupId",
            "EncryptionConfigKeyArn": "cluster.encryptionConfig.0.provider.keyArn",
            "OpenIdConnectIssuerUrl": "cluster.identity.oidc.issuer",
            "Id": "cluster.id",
            "KubernetesNetworkConfig.ServiceIpv6Cidr": "cluster.kubernetesNetworkConfig.serviceIpv6Cidr",
        },
    ),
}
