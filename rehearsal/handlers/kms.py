"""Keys and aliases."""

from typing import Any

from rehearsal.handlers.api import ApiHandler, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone

_AFTERWARDS = ("EnableKeyRotation", "RotationPeriodInDays", "Enabled", "PendingWindowInDays")
_LONGEST_PENDING_DAYS = 30
_SYMMETRIC, _OF_KMS = "SYMMETRIC_DEFAULT", "AWS_KMS"


class Key(ApiHandler):
    """A key; rotation and state are set after it is made, and deletion only schedules its end."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Leaves rotation, state and pending window to their own calls."""
        return split(super().creation(scope, resource), *_AFTERWARDS)[1]

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the key, then sets rotation and state."""
        _check_rotation(resource.properties)
        super().create(scope, resource)
        self.apply(scope, resource, split(resource.properties, *_AFTERWARDS)[0])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets rotation, state and policy; the pending window matters at deletion only."""
        afterwards, rest = split(changed, *_AFTERWARDS)
        client, key = scope.client("kms"), {"KeyId": resource.physical_id}
        if "EnableKeyRotation" in afterwards or "RotationPeriodInDays" in afterwards:
            _rotate(client, key, {**split(resource.properties, *_AFTERWARDS)[0], **afterwards})
            resource.took(changed, *afterwards.keys() - {"Enabled"})
        if "Enabled" in afterwards:
            enabled = str(afterwards["Enabled"]).lower() != "false"
            call(client, "EnableKey" if enabled else "DisableKey", key)
            resource.took(changed, "Enabled")
        policy, rest = split(rest, "KeyPolicy")
        if policy:
            parameters = {**key, "PolicyName": "default", **policy}
            call_fitted(client, "PutKeyPolicy", parameters, self.renamed)
            resource.took(changed, *policy)
        super().apply(scope, resource, rest)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Schedules the key's deletion after its pending window, as CloudFormation does."""
        if resource.physical_id is not None:
            days = int(resource.properties.get("PendingWindowInDays", _LONGEST_PENDING_DAYS))
            parameters = {"KeyId": resource.physical_id, "PendingWindowInDays": days}
            call_unless_gone(scope.client("kms"), "ScheduleKeyDeletion", parameters)


def _check_rotation(properties: Properties) -> None:
    """Refuses to rotate a key whose material KMS can't make anew.

    Source: badmintoncryer/cdk-preflight, rules/kms, pf-kms-key-rotation, ``meta.yaml``, which quotes CloudFormation.
    """
    asked = str(properties.get("EnableKeyRotation") or "false").lower() == "true"
    kind = properties.get("KeySpec", _SYMMETRIC), properties.get("Origin", _OF_KMS)
    if asked and kind != (_SYMMETRIC, _OF_KMS):
        words = "You cannot set the EnableKeyRotation property to true on asymmetric or external keys."
        raise ResourceError("InvalidRequest", f"Invalid request provided: {words}")


def _rotate(client: Any, key: Properties, properties: Properties) -> None:
    if str(properties.get("EnableKeyRotation") or "false").lower() == "true":
        period = {name: properties[name] for name in ("RotationPeriodInDays",) if properties.get(name)}
        call_fitted(client, "EnableKeyRotation", {**key, **period})
    else:
        call(client, "DisableKeyRotation", key)


def _retag(client: Any, resource: Resource, tags: dict[str, str], removed: list[str]) -> None:
    key = {"KeyId": resource.physical_id}
    if tags:
        call_fitted(client, "TagResource", {**key, "Tags": tags})
    if removed:
        call(client, "UntagResource", {**key, "TagKeys": removed})


HANDLERS: dict[str, Handler] = {
    "AWS::KMS::Key": Key(
        service="kms",
        create_operation="CreateKey",
        reference="KeyMetadata.KeyId",
        identity={"KeyId": "{Ref}"},
        update_operations=("UpdateKeyDescription",),
        delete_operation="ScheduleKeyDeletion",
        renamed={"KeyPolicy": "Policy"},
        retag=_retag,
        attributes={"Arn": "KeyMetadata.Arn", "KeyId": "KeyMetadata.KeyId"},
    ),
    "AWS::KMS::Alias": ApiHandler(
        service="kms",
        create_operation="CreateAlias",
        reference="{AliasName}",
        identity={"AliasName": "{Ref}"},
        update_operations=("UpdateAlias",),
        delete_operation="DeleteAlias",
    ),
}
