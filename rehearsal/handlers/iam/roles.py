"""Roles and instance profiles."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone
from rehearsal.handlers.names import NameRule

_POLICIES = ("ManagedPolicyArns", "Policies")


#: What a role has of what its template says nothing of.
#:
#: Source: IAM API reference, CreateRole, ``MaxSessionDuration``; UpdateRole, ``Description``.
_ABSENT = {"Description": "", "MaxSessionDuration": 3600}


class Role(ApiHandler):
    """A role with the policies that its own template attaches or writes into it."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the policies to their own calls."""
        return split(super().creation(scope, resource), *_POLICIES)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the role, then attaches and writes its policies."""
        super().create(scope, resource)
        self._set_policies(scope, resource, {}, split(resource.properties, *_POLICIES)[0])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets policies, trust and boundary, and passes on the rest."""
        policies, rest = split(changed, *_POLICIES)
        self._set_policies(scope, resource, resource.properties, policies)
        trust, rest = split(rest, "AssumeRolePolicyDocument", "PermissionsBoundary")
        client, role = scope.client("iam"), {"RoleName": resource.physical_id}
        if "AssumeRolePolicyDocument" in trust:
            document = trust["AssumeRolePolicyDocument"]
            call_fitted(client, "UpdateAssumeRolePolicy", {**role, "PolicyDocument": document})
            resource.took(changed, "AssumeRolePolicyDocument")
        if "PermissionsBoundary" in trust:
            boundary = trust["PermissionsBoundary"]
            if boundary is None:
                call(client, "DeleteRolePermissionsBoundary", role)
            else:
                call(client, "PutRolePermissionsBoundary", {**role, "PermissionsBoundary": boundary})
            resource.took(changed, "PermissionsBoundary")
        given = {name: _ABSENT.get(name) if value is None else value for name, value in rest.items()}
        super().apply(scope, resource, given)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the role with its own policies; IAM refuses where others are attached."""
        if resource.physical_id is not None:
            gone = dict.fromkeys(name for name in _POLICIES if name in resource.properties)
            self._set_policies(scope, resource, resource.properties, gone)
            super().delete(scope, resource)

    @staticmethod
    def _set_policies(scope: Scope, resource: Resource, old: Properties, policies: Properties) -> None:
        """Attaches, detaches, writes and removes what differs between old properties and new policies."""
        client, role = scope.client("iam"), {"RoleName": resource.physical_id}
        if "ManagedPolicyArns" in policies:
            resource.bring(
                "ManagedPolicyArns",
                old.get("ManagedPolicyArns") or [],
                policies["ManagedPolicyArns"] or [],
                remove=lambda arn: call_unless_gone(client, "DetachRolePolicy", {**role, "PolicyArn": arn}),
                add=lambda arn: call(client, "AttachRolePolicy", {**role, "PolicyArn": arn}),
            )
        if "Policies" in policies:
            documents = {policy["PolicyName"]: policy for policy in policies["Policies"] or []}
            stand = {policy["PolicyName"]: policy for policy in old.get("Policies") or []}
            for name in [name for name in stand if name not in documents]:
                call_unless_gone(client, "DeleteRolePolicy", {**role, "PolicyName": name})
                del stand[name]
                resource.took({"Policies": [*stand.values()]}, "Policies")
            for name, policy in documents.items():
                call_fitted(client, "PutRolePolicy", {**role, **policy})
                stand[name] = policy
                resource.took({"Policies": [*stand.values()]}, "Policies")


class InstanceProfile(ApiHandler):
    """An instance profile with its role."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves the roles to their own calls."""
        return split(super().creation(scope, resource), "Roles")[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the profile and puts its role in."""
        super().create(scope, resource)
        self.apply(scope, resource, {"Roles": resource.properties["Roles"]}, old=[])

    def apply(self, scope: Scope, resource: Resource, changed: Properties, *, old: list[str] | None = None) -> None:
        """Takes out the roles that are gone and puts in those that are new."""
        roles, rest = split(changed, "Roles")
        was, new = resource.properties["Roles"] if old is None else old, roles.get("Roles") or []
        client, profile = scope.client("iam"), {"InstanceProfileName": resource.physical_id}
        if roles:
            resource.bring(
                "Roles",
                was,
                new,
                remove=lambda role: call_unless_gone(
                    client, "RemoveRoleFromInstanceProfile", {**profile, "RoleName": role}
                ),
                add=lambda role: call(client, "AddRoleToInstanceProfile", {**profile, "RoleName": role}),
            )
        super().apply(scope, resource, rest)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Takes the roles out and removes the profile."""
        if resource.physical_id is not None:
            self.apply(scope, resource, {"Roles": []})
            super().delete(scope, resource)


def _retag_role(client: Any, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
    role = {"RoleName": resource.physical_id}
    if tags:
        call_fitted(client, "TagRole", {**role, "Tags": tags})
    if removed:
        call(client, "UntagRole", {**role, "TagKeys": removed})


HANDLERS: dict[str, Handler] = {
    "AWS::IAM::Role": Role(
        service="iam",
        create_operation="CreateRole",
        reference="Role.RoleName",
        identity={"RoleName": "{Ref}"},
        update_operations=("UpdateRole",),
        delete_operation="DeleteRole",
        name=NameRule("RoleName", 64),
        retag=_retag_role,
        attributes={"Arn": "Role.Arn", "RoleId": "Role.RoleId"},
    ),
    "AWS::IAM::InstanceProfile": InstanceProfile(
        service="iam",
        create_operation="CreateInstanceProfile",
        reference="InstanceProfile.InstanceProfileName",
        identity={"InstanceProfileName": "{Ref}"},
        delete_operation="DeleteInstanceProfile",
        name=NameRule("InstanceProfileName", 128),
        attributes={"Arn": "InstanceProfile.Arn"},
    ),
}
