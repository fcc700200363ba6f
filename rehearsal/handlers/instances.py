"""Single EC2 instances, such as the bastions and operators' machines of samples."""

import base64
import binascii
from typing import Any

from rehearsal.handlers.api import ApiHandler, Read, split
from rehearsal.handlers.base import NOT_MODELLED, Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted
from rehearsal.handlers.tags import retag_by_id

#: What EC2 changes of an instance that stands, one attribute a call.
#: Source: EC2 API reference, ModifyInstanceAttribute.
_ATTRIBUTES = ("DisableApiTermination", "SourceDestCheck", "InstanceInitiatedShutdownBehavior")
#: What it changes of one that is stopped; CloudFormation stops and starts it. Source: CloudFormation user guide,
#: AWS::EC2::Instance, "Update requires: Some interruptions" of InstanceType, UserData and EbsOptimized.
_STOPPED = ("InstanceType", "EbsOptimized", "UserData")
_PLACEMENT = {
    "AvailabilityZone": "AvailabilityZone",
    "Tenancy": "Tenancy",
    "Affinity": "Affinity",
    "HostId": "HostId",
    "HostResourceGroupArn": "HostResourceGroupArn",
    "PlacementGroupName": "GroupName",
}
_GROUPS = "SecurityGroupIds"
_SETTINGS = ("IamInstanceProfile", "Monitoring", "SourceDestCheck", "PropagateTagsToVolumeOnCreation")


class Instance(ApiHandler):
    """An instance; its type changes while it is stopped, and whatever else can't change replaces it."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives the properties as ``RunInstances`` has them: placement, profile and monitoring are structures there."""
        placement, rest = split(super().creation(scope, resource), *_PLACEMENT)
        settings, rest = split(rest, *_SETTINGS)
        if placement:
            rest["Placement"] = {_PLACEMENT[name]: value for name, value in placement.items()}
        if "IamInstanceProfile" in settings:
            rest["IamInstanceProfile"] = {"Name": settings["IamInstanceProfile"]}
        if "UserData" in rest:
            rest["UserData"] = _user_data(rest["UserData"])
        if "Monitoring" in settings:
            rest["Monitoring"] = {"Enabled": settings["Monitoring"]}
        if str(settings.get("PropagateTagsToVolumeOnCreation", "")).lower() == "true":
            own = rest.get("TagSpecifications", [])
            rest["TagSpecifications"] = [*own, *({**each, "ResourceType": "volume"} for each in own)]
        return {**rest, "MinCount": 1, "MaxCount": 1}

    def create(self, scope: Scope, resource: Resource) -> None:
        """Starts the instance, and sets whether it checks what passes through it."""
        super().create(scope, resource)
        check, _ = split(resource.properties, "SourceDestCheck")
        self._set(scope, resource, check)

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets attributes and security groups as it runs, and the others while it is stopped."""
        client, instance = scope.client("ec2"), {"InstanceId": resource.physical_id}
        attributes, rest = split(changed, *_ATTRIBUTES)
        groups, rest = split(rest, _GROUPS)
        stopped, rest = split(rest, *_STOPPED)
        super().apply(scope, resource, rest)
        self._set(scope, resource, attributes)
        if groups:
            call(client, "ModifyInstanceAttribute", {**instance, "Groups": groups[_GROUPS] or []})
            resource.took(changed, _GROUPS)
        if stopped:
            call(client, "StopInstances", {"InstanceIds": [resource.physical_id]})
            for name, value in stopped.items():
                wish = _user_data(value) if name == "UserData" and value is not None else value
                call_fitted(client, "ModifyInstanceAttribute", {**instance, name: {"Value": wish}})
                resource.took(changed, name)
            call(client, "StartInstances", {"InstanceIds": [resource.physical_id]})

    @staticmethod
    def _set(scope: Scope, resource: Resource, attributes: Properties) -> None:
        client, instance = scope.client("ec2"), {"InstanceId": resource.physical_id}
        for name, value in attributes.items():
            wish: dict[str, Any] = {**instance, name: {"Value": value}}
            call_fitted(client, "ModifyInstanceAttribute", wish)
            resource.took(attributes, name)


def _user_data(encoded: str) -> str:
    """Gives user data as it was written: a template has it in Base64, and boto3 encodes it itself.

    Raises:
        ResourceError: It is no Base64, which EC2 refuses, or no text.

    Source: EC2 API reference, RunInstances, ``UserData``; ``rehearsal.overlays.ec2.launch_templates`` for the code.
    """
    try:
        return base64.b64decode(encoded, validate=True).decode()
    except UnicodeDecodeError as error:
        raise ResourceError(NOT_MODELLED, "The rehearsal does not model user data that is no text") from error
    except binascii.Error as error:
        raise ResourceError("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.") from error


HANDLERS: dict[str, Handler] = {
    "AWS::EC2::Instance": Instance(
        service="ec2",
        create_operation="RunInstances",
        reference="Instances.0.InstanceId",
        identity={"InstanceIds": ["{Ref}"]},
        delete_operation="TerminateInstances",
        tag_type="instance",
        retag=retag_by_id,
        read_back=Read(operation="DescribeInstances", parameters={"InstanceIds": ["{Ref}"]}),
        attributes={
            "InstanceId": "Reservations.0.Instances.0.InstanceId",
            "AvailabilityZone": "Reservations.0.Instances.0.Placement.AvailabilityZone",
            "PrivateDnsName": "Reservations.0.Instances.0.PrivateDnsName",
            "PrivateIp": "Reservations.0.Instances.0.PrivateIpAddress",
            "PublicDnsName": "Reservations.0.Instances.0.PublicDnsName",
            "PublicIp": "Reservations.0.Instances.0.PublicIpAddress",
            "VpcId": "Reservations.0.Instances.0.VpcId",
        },
    ),
}
