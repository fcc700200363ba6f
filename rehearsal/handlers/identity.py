"""Identity providers of clusters, and the roles that services make for themselves."""

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call, call_fitted

_THUMBPRINTS, _CLIENTS = "ThumbprintList", "ClientIdList"


class OidcProvider(ApiHandler):
    """An OpenID Connect provider; what may ask it is added and removed one by one.

    IAM wants no thumbprint where it trusts the provider's authority, as it does EKS's.

    Source: CloudFormation user guide, AWS::IAM::OIDCProvider; IAM API reference, CreateOpenIDConnectProvider.
    """

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets thumbprints and the ids of clients."""
        client, provider = scope.client("iam"), {"OpenIDConnectProviderArn": resource.physical_id}
        mine, rest = split(changed, _THUMBPRINTS, _CLIENTS)
        if _THUMBPRINTS in mine:
            prints = mine[_THUMBPRINTS] or []
            call(client, "UpdateOpenIDConnectProviderThumbprint", {**provider, _THUMBPRINTS: prints})
            resource.took(changed, _THUMBPRINTS)
        if _CLIENTS in mine:
            was, wanted = resource.properties.get(_CLIENTS) or [], mine[_CLIENTS] or []
            resource.bring(
                _CLIENTS,
                was,
                wanted,
                remove=lambda name: call(
                    client, "RemoveClientIDFromOpenIDConnectProvider", {**provider, "ClientID": name}
                ),
                add=lambda name: call(client, "AddClientIDToOpenIDConnectProvider", {**provider, "ClientID": name}),
            )
        super().apply(scope, resource, rest)


def _retag_provider(client: object, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
    provider = {"OpenIDConnectProviderArn": resource.physical_id}
    if tags:
        call_fitted(client, "TagOpenIDConnectProvider", {**provider, "Tags": tags})
    if removed:
        call(client, "UntagOpenIDConnectProvider", {**provider, "TagKeys": removed})


HANDLERS: dict[str, Handler] = {
    "AWS::IAM::OIDCProvider": OidcProvider(
        service="iam",
        create_operation="CreateOpenIDConnectProvider",
        reference="OpenIDConnectProviderArn",
        identity={"OpenIDConnectProviderArn": "{Ref}"},
        delete_operation="DeleteOpenIDConnectProvider",
        retag=_retag_provider,
        attributes={"Arn": "OpenIDConnectProviderArn"},
    ),
    "AWS::IAM::ServiceLinkedRole": ApiHandler(
        service="iam",
        create_operation="CreateServiceLinkedRole",
        reference="Role.RoleName",
        identity={"RoleName": "{Ref}"},
        update_operations=("UpdateRole",),
        delete_operation="DeleteServiceLinkedRole",
        attributes={"RoleName": "Role.RoleName"},
    ),
}
