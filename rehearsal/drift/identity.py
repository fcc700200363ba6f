"""Reads roles with their policies, and keys."""

import json
from typing import Any
from urllib.parse import unquote

from rehearsal.drift.api import ApiReader, Record
from rehearsal.engine.drift import Reader
from rehearsal.handlers.base import Resource, Scope
from rehearsal.handlers.calls import call


def _role(scope: Scope, resource: Resource, record: Record) -> Record:
    """Adds the policies that are attached to a role and those of its template that are written into it."""
    client, role = scope.client("iam"), {"RoleName": resource.physical_id}
    attached = call(client, "ListAttachedRolePolicies", role)["AttachedPolicies"]
    names = call(client, "ListRolePolicies", role)["PolicyNames"]
    asked = {policy["PolicyName"] for policy in resource.properties.get("Policies", [])}
    written = [call(client, "GetRolePolicy", {**role, "PolicyName": name}) for name in names if name in asked]
    return {
        **record,
        "ManagedPolicyArns": [policy["PolicyArn"] for policy in attached],
        "Policies": [
            {"PolicyName": policy["PolicyName"], "PolicyDocument": _document(policy["PolicyDocument"])}
            for policy in written
        ],
        "AssumeRolePolicyDocument": _document(record["AssumeRolePolicyDocument"]),
    }


def _key(scope: Scope, resource: Resource, record: Record) -> Record:
    """Adds whether a key is rotated, its policy and its tags."""
    client, key = scope.client("kms"), {"KeyId": resource.physical_id}
    policy = call(client, "GetKeyPolicy", {**key, "PolicyName": "default"})["Policy"]
    return {
        **record,
        "EnableKeyRotation": call(client, "GetKeyRotationStatus", key)["KeyRotationEnabled"],
        "KeyPolicy": _document(policy),
        "Tags": call(client, "ListResourceTags", key)["Tags"],
    }


def _document(policy: Any) -> Any:
    return json.loads(unquote(policy)) if isinstance(policy, str) else policy


READERS: dict[str, Reader] = {
    "AWS::IAM::Role": ApiReader(
        service="iam",
        operation="GetRole",
        parameters={"RoleName": "{Ref}"},
        at="Role",
        verbatim=frozenset({"AssumeRolePolicyDocument", "Policies"}),
        adapt=_role,
    ),
    "AWS::KMS::Key": ApiReader(
        service="kms",
        operation="DescribeKey",
        parameters={"KeyId": "{Ref}"},
        at="KeyMetadata",
        verbatim=frozenset({"KeyPolicy"}),
        gone=lambda record: record.get("KeyState") == "PendingDeletion",
        adapt=_key,
    ),
}
