"""Policies: written into principals, or managed and attached to them."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, changes, split
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone
from rehearsal.handlers.names import NameRule, generated_name

_PRINCIPALS = {"Roles": ("Role", "RoleName"), "Users": ("User", "UserName"), "Groups": ("Group", "GroupName")}
_MOST_VERSIONS = 5


class InlinePolicy:
    """A policy that is written into roles, users and groups."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Writes the policy into every principal that the template names."""
        if not any(resource.properties.get(principals) for principals in _PRINCIPALS):
            raise ResourceError("ValidationError", "At least one of [Groups,Roles,Users] must be non-empty.")
        self._write(scope, resource.properties)
        resource.physical_id = generated_name(scope, resource, limit=128)
        resource.attributes["Id"] = resource.physical_id

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Writes the policy anew, and removes it where it no longer belongs.

        While it is written, some principals have it and others not yet: the way back takes it from all that are new.
        """
        both = {plural: _together(resource.properties, properties, plural) for plural in _PRINCIPALS}
        resource.took({**properties, **{plural: names for plural, names in both.items() if names}}, *both)
        self._write(scope, properties)
        kept = properties if properties["PolicyName"] == resource.properties["PolicyName"] else {}
        self._remove(scope, resource.properties, kept)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the policy from every principal that has it."""
        if resource.physical_id is not None:
            self._remove(scope, resource.properties, {})

    @staticmethod
    def _write(scope: Scope, properties: Properties) -> None:
        policy, principals = split(properties, "PolicyName", "PolicyDocument")
        for plural, names in principals.items():
            if plural not in _PRINCIPALS:
                raise ResourceError(NOT_MODELLED, f"The rehearsal does not model property {plural}")
            kind, parameter = _PRINCIPALS[plural]
            for name in names:
                call_fitted(scope.client("iam"), f"Put{kind}Policy", {**policy, parameter: name})

    @staticmethod
    def _remove(scope: Scope, old: Properties, kept: Properties) -> None:
        for plural, (kind, parameter) in _PRINCIPALS.items():
            for name in old.get(plural, []):
                if name not in kept.get(plural, []):
                    policy = {parameter: name, "PolicyName": old["PolicyName"]}
                    call_unless_gone(scope.client("iam"), f"Delete{kind}Policy", policy)


def _together(old: Properties, new: Properties, plural: str) -> list[str]:
    return list(dict.fromkeys([*old.get(plural, []), *new.get(plural, [])]))


class ManagedPolicy(ApiHandler):
    """A customer-managed policy and what it is attached to; an update makes a new default version."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the attachments to their own calls."""
        return split(super().creation(scope, resource), *_PRINCIPALS)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the policy and attaches it."""
        super().create(scope, resource)
        _attach(scope, resource, {}, resource.properties)

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Changes attachments and the document."""
        attachments, rest = split(changed, *_PRINCIPALS)
        _attach(scope, resource, split(resource.properties, *attachments)[0], attachments)
        document, rest = split(rest, "PolicyDocument")
        if document:
            client, policy = scope.client("iam"), {"PolicyArn": resource.physical_id}
            old = [version["VersionId"] for version in _versions(client, policy) if not version["IsDefaultVersion"]]
            if len(old) == _MOST_VERSIONS - 1:
                call(client, "DeletePolicyVersion", {**policy, "VersionId": old[-1]})
            call_fitted(client, "CreatePolicyVersion", {**policy, **document, "SetAsDefault": True})
            resource.took(changed, *document)
        super().apply(scope, resource, rest)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Detaches the policy and removes it with all its versions."""
        if resource.physical_id is None:
            return
        _attach(scope, resource, resource.properties, {})
        client, policy = scope.client("iam"), {"PolicyArn": resource.physical_id}
        for version in _versions(client, policy):
            if not version["IsDefaultVersion"]:
                call_unless_gone(client, "DeletePolicyVersion", {**policy, "VersionId": version["VersionId"]})
        super().delete(scope, resource)


def _attach(scope: Scope, resource: Resource, old: Properties, new: Properties) -> None:
    """Attaches a managed policy to the principals that are new and detaches it from those that are gone."""
    client, policy = scope.client("iam"), {"PolicyArn": resource.physical_id}
    for plural, names in changes(split(old, *_PRINCIPALS)[0], split(new, *_PRINCIPALS)[0]).items():
        kind, parameter = _PRINCIPALS[plural]
        was, wanted = old.get(plural) or [], names or []

        def remove(name: str, kind: str = kind, parameter: str = parameter) -> None:
            call_unless_gone(client, f"Detach{kind}Policy", {**policy, parameter: name})

        def add(name: str, kind: str = kind, parameter: str = parameter) -> None:
            call(client, f"Attach{kind}Policy", {**policy, parameter: name})

        resource.bring(plural, was, wanted, remove=remove, add=add)


def _versions(client: Any, policy: Properties) -> list[dict[str, Any]]:
    """Lists a managed policy's versions, newest first."""
    versions: list[dict[str, Any]] = call(client, "ListPolicyVersions", policy)["Versions"]
    return sorted(versions, key=lambda version: int(version["VersionId"][1:]), reverse=True)


HANDLERS: dict[str, Handler] = {
    "AWS::IAM::Policy": InlinePolicy(),
    "AWS::IAM::ManagedPolicy": ManagedPolicy(
        service="iam",
        create_operation="CreatePolicy",
        reference="Policy.Arn",
        identity={"PolicyArn": "{Ref}"},
        delete_operation="DeletePolicy",
        name=NameRule("ManagedPolicyName", 128),
        renamed={"ManagedPolicyName": "PolicyName"},
        attributes={"PolicyArn": "Policy.Arn", "PolicyId": "Policy.PolicyId"},
    ),
}
