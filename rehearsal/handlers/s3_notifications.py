"""Whom a bucket tells what happens in it, which CloudFormation spells otherwise than S3's API.

Source: CloudFormation user guide, AWS::S3::Bucket NotificationConfiguration; S3 API reference,
PutBucketNotificationConfiguration.
"""

from typing import Any

from rehearsal.handlers.base import NOT_MODELLED, Properties, ResourceError

#: The API's name of each kind of destination, and of the member that names one.
_DESTINATIONS = {
    "LambdaConfigurations": ("LambdaFunctionConfigurations", "Function", "LambdaFunctionArn"),
    "QueueConfigurations": ("QueueConfigurations", "Queue", "QueueArn"),
    "TopicConfigurations": ("TopicConfigurations", "Topic", "TopicArn"),
}
_EVENT_BRIDGE = "EventBridgeConfiguration"


def notifications(configuration: Properties) -> dict[str, Any]:
    """Gives S3's form of a bucket's ``NotificationConfiguration``.

    Raises:
        ResourceError: There is something in it that S3's form has no place for.
    """
    fitted: dict[str, Any] = {}
    for kind, value in configuration.items():
        if kind == _EVENT_BRIDGE:
            if str(value.get("EventBridgeEnabled", "true")).lower() == "true":
                fitted[kind] = {}
        elif kind in _DESTINATIONS:
            name, property_name, member = _DESTINATIONS[kind]
            fitted[name] = [_one(entry, property_name, member) for entry in value]
        else:
            raise ResourceError(NOT_MODELLED, f"The rehearsal does not model property NotificationConfiguration.{kind}")
    return fitted


def _one(entry: Properties, property_name: str, member: str) -> dict[str, Any]:
    fitted = {member: entry[property_name], "Events": [entry["Event"]]}
    if "Filter" in entry:
        fitted["Filter"] = {"Key": {"FilterRules": entry["Filter"]["S3Key"]["Rules"]}}
    return fitted
