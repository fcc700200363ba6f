"""Add-ons and pod identity associations."""

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call_fitted, call_unless_gone
from rehearsal.handlers.tags import retag_by_arn

_AT_DELETION = "PreserveOnDelete"


class Addon(ApiHandler):
    """An add-on, of which an update sends everything that it may change."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves out the switch that matters to deletion only."""
        return split(super().creation(scope, resource), _AT_DELETION)[1]

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Updates the add-on with its full configuration, by which EKS resolves conflicts.

        A role or an association that the template no longer gives is sent as empty, which takes it away.
        """
        kept = split(resource.properties, "Tags", "NamespaceConfig", _AT_DELETION)[1]
        empty = {"PodIdentityAssociations": [], "ConfigurationValues": "{}"}
        wanted = {**kept, **{name: empty.get(name) if value is None else value for name, value in changed.items()}}
        wanted = {name: value for name, value in split(wanted, _AT_DELETION)[1].items() if value is not None}
        if set(changed) - {_AT_DELETION}:
            call_fitted(scope.client("eks"), "UpdateAddon", wanted)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the add-on, or only EKS's hold on it where the template says so."""
        if resource.physical_id is not None:
            cluster, name = resource.physical_id.split("|", 1)
            preserve = str(resource.properties.get(_AT_DELETION, False)).lower() == "true"
            parameters = {"clusterName": cluster, "addonName": name, "preserve": preserve}
            call_unless_gone(scope.client("eks"), "DeleteAddon", parameters)


HANDLERS: dict[str, Handler] = {
    "AWS::EKS::Addon": Addon(
        service="eks",
        create_operation="CreateAddon",
        reference="{ClusterName}|{AddonName}",
        identity={"clusterName": "{ClusterName}", "addonName": "{AddonName}"},
        delete_operation="DeleteAddon",
        retag=retag_by_arn("{Arn}"),
        attributes={"Arn": "addon.addonArn"},
    ),
    "AWS::EKS::PodIdentityAssociation": ApiHandler(
        service="eks",
        create_operation="CreatePodIdentityAssociation",
        reference="association.associationArn",
        identity={"clusterName": "{ClusterName}", "associationId": "{AssociationId}"},
        update_operations=("UpdatePodIdentityAssociation",),
        delete_operation="DeletePodIdentityAssociation",
        retag=retag_by_arn("{Ref}"),
        attributes={
            "AssociationArn": "association.associationArn",
            "AssociationId": "association.associationId",
            "ExternalId": "association.externalId",
        },
    ),
}
