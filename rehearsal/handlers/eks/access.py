"""Access entries: who may enter a cluster, and with which access policies."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call_fitted, call_unless_gone
from rehearsal.handlers.tags import retag_by_arn

_POLICIES = "AccessPolicies"


class AccessEntry(ApiHandler):
    """An access entry with its associated access policies; its id is ``principalArn|clusterName``."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the policies to their own calls."""
        return split(super().creation(scope, resource), _POLICIES)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the entry and associates its policies."""
        super().create(scope, resource)
        _associate(scope.client("eks"), resource, [], resource.properties.get(_POLICIES) or [])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Changes groups, user name and policies."""
        policies, rest = split(changed, _POLICIES)
        old, new = resource.properties.get(_POLICIES) or [], policies.get(_POLICIES) or []
        if policies:
            _associate(scope.client("eks"), resource, old, new)
        if rest.get("KubernetesGroups", []) is None:
            rest["KubernetesGroups"] = []
        super().apply(scope, resource, rest)


def _associate(client: Any, entry: Resource, old: list[Properties], new: list[Properties]) -> None:
    """Associates the policies that are new or have another scope, and disassociates those that are gone."""
    identity = {"clusterName": entry.properties["ClusterName"], "principalArn": entry.properties["PrincipalArn"]}
    stand, wanted = ({policy["PolicyArn"]: policy for policy in policies} for policies in (old, new))
    for arn in [arn for arn in stand if arn not in wanted]:
        call_unless_gone(client, "DisassociateAccessPolicy", {**identity, "policyArn": arn})
        del stand[arn]
        entry.took({_POLICIES: [*stand.values()]}, _POLICIES)
    for arn, policy in wanted.items():
        if stand.get(arn) != policy:
            call_fitted(client, "AssociateAccessPolicy", {**identity, **policy})
            stand[arn] = policy
            entry.took({_POLICIES: [*stand.values()]}, _POLICIES)


HANDLERS: dict[str, Handler] = {
    "AWS::EKS::AccessEntry": AccessEntry(
        service="eks",
        create_operation="CreateAccessEntry",
        reference="{PrincipalArn}|{ClusterName}",
        identity={"clusterName": "{ClusterName}", "principalArn": "{PrincipalArn}"},
        update_operations=("UpdateAccessEntry",),
        delete_operation="DeleteAccessEntry",
        retag=retag_by_arn("{AccessEntryArn}"),
        attributes={"AccessEntryArn": "accessEntry.accessEntryArn"},
    ),
}
