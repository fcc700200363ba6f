"""Alarms, and the topics that they notify."""

from rehearsal.handlers.api import ApiHandler, Read, changes, split
from rehearsal.handlers.base import Handler, Properties, Resource, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone
from rehearsal.handlers.names import NameRule
from rehearsal.handlers.tags import retag_by_arn

_TOPIC_ATTRIBUTES = (
    "DisplayName",
    "KmsMasterKeyId",
    "FifoTopic",
    "ContentBasedDeduplication",
    "SignatureVersion",
    "TracingConfig",
)


class Topic(ApiHandler):
    """A topic, whose properties are SNS's topic attributes, with the subscriptions of its own template."""

    def creation(self, scope: Scope, resource: Resource) -> Properties:
        """Gives the attributes as SNS wants them, and leaves the subscriptions to their own calls."""
        properties = split(super().creation(scope, resource), "Subscription")[1]
        attributes, rest = split(properties, *_TOPIC_ATTRIBUTES)
        return {**rest, **({"Attributes": attributes} if attributes else {})}

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the topic and its subscriptions."""
        super().create(scope, resource)
        resource.attributes["TopicName"] = str(resource.physical_id).rsplit(":", 1)[-1]
        self._subscribe(scope, resource, [], resource.properties.get("Subscription") or [])

    def apply(self, scope: Scope, resource: Resource, changed: Properties) -> None:
        """Sets the attributes one by one, and brings the subscriptions to what the template lists."""
        attributes, rest = split(changed, *_TOPIC_ATTRIBUTES)
        subscriptions, rest = split(rest, "Subscription")
        client, topic = scope.client("sns"), {"TopicArn": resource.physical_id}
        for name, value in attributes.items():
            parameters = {**topic, "AttributeName": name, "AttributeValue": "" if value is None else value}
            call_fitted(client, "SetTopicAttributes", parameters)
        if subscriptions:
            old = resource.properties.get("Subscription") or []
            self._subscribe(scope, resource, old, subscriptions["Subscription"] or [])
        super().apply(scope, resource, rest)

    @staticmethod
    def _subscribe(scope: Scope, resource: Resource, old: list[Properties], new: list[Properties]) -> None:
        client, topic = scope.client("sns"), {"TopicArn": resource.physical_id}
        for subscription in (subscription for subscription in new if subscription not in old):
            call_fitted(client, "Subscribe", {**topic, **subscription})
        gone = [subscription["Endpoint"] for subscription in old if subscription not in new]
        if gone:
            for standing in call(client, "ListSubscriptionsByTopic", topic)["Subscriptions"]:
                if standing["Endpoint"] in gone:
                    call_unless_gone(client, "Unsubscribe", {"SubscriptionArn": standing["SubscriptionArn"]})


class Alarm(ApiHandler):
    """An alarm; putting it again with the same name changes it."""

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Puts the alarm anew where it differs; tags go by their own call."""
        self.update_tags(scope, resource, properties)
        content = split(properties, "Tags")[1]
        if changes(split(resource.properties, "Tags")[1], content):
            alarm = {**content, "AlarmName": resource.physical_id}
            call_fitted(scope.client("cloudwatch"), "PutMetricAlarm", alarm)


HANDLERS: dict[str, Handler] = {
    "AWS::SNS::Topic": Topic(
        service="sns",
        create_operation="CreateTopic",
        reference="TopicArn",
        identity={"TopicArn": "{Ref}"},
        delete_operation="DeleteTopic",
        name=NameRule("TopicName", 256),
        renamed={"TopicName": "Name"},
        retag=retag_by_arn("{Ref}"),
        attributes={"TopicArn": "TopicArn"},
    ),
    "AWS::CloudWatch::Alarm": Alarm(
        service="cloudwatch",
        create_operation="PutMetricAlarm",
        reference="{AlarmName}",
        identity={"AlarmNames": ["{Ref}"]},
        delete_operation="DeleteAlarms",
        name=NameRule("AlarmName", 255),
        retag=retag_by_arn("{Arn}"),
        read_back=Read(operation="DescribeAlarms", parameters={"AlarmNames": ["{Ref}"]}),
        attributes={"Arn": "MetricAlarms.0.AlarmArn"},
    ),
}
