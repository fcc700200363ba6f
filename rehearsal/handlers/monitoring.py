"""Alarms, and the topics that they notify."""

import json

from rehearsal.handlers.api import ApiHandler, Read, changes, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone, found
from rehearsal.handlers.names import NameRule, generated_name
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
        """Makes the topic and its subscriptions.

        SNS's API gives a topic of that name that is there already, and CloudFormation refuses it.

        Source: awslabs/fhir-works-on-aws-deployment issue 754, for words and code.
        """
        name = resource.properties.get("TopicName")
        arn = f"arn:{scope.partition}:sns:{scope.region}:{scope.account}:{name}"
        if name and found(scope.client("sns"), "GetTopicAttributes", {"TopicArn": arn}) is not None:
            raise ResourceError("AlreadyExists", f"{name} already exists")
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
            resource.took(changed, name)
        if subscriptions:
            old = resource.properties.get("Subscription") or []
            self._subscribe(scope, resource, old, subscriptions["Subscription"] or [])
        super().apply(scope, resource, rest)

    @staticmethod
    def _subscribe(scope: Scope, resource: Resource, old: list[Properties], new: list[Properties]) -> None:
        client, topic = scope.client("sns"), {"TopicArn": resource.physical_id}

        def unsubscribe(subscription: Properties) -> None:
            for standing in call(client, "ListSubscriptionsByTopic", topic)["Subscriptions"]:
                if standing["Endpoint"] == subscription["Endpoint"]:
                    call_unless_gone(client, "Unsubscribe", {"SubscriptionArn": standing["SubscriptionArn"]})

        resource.bring(
            "Subscription",
            old,
            new,
            remove=unsubscribe,
            add=lambda subscription: call_fitted(client, "Subscribe", {**topic, **subscription}),
        )


class TopicPolicy:
    """The policy of topics; without it a topic has the one that SNS gives to new ones.

    Source: CloudFormation user guide, AWS::SNS::TopicPolicy.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Sets the policy on each topic."""
        resource.physical_id = generated_name(scope, resource, limit=128)
        resource.attributes["Id"] = resource.physical_id
        self._set(scope, resource.properties["Topics"], resource.properties["PolicyDocument"])

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Sets the policy on the topics that are named now, and takes it from those that no longer are."""
        old, new = resource.properties["Topics"], properties["Topics"]
        # While it is set, some topics have it and others not yet: the way back takes it from all that are new.
        resource.took({"Topics": [*old, *(topic for topic in new if topic not in old)]}, "Topics")
        self._set(scope, new, properties["PolicyDocument"])
        self._reset(scope, [topic for topic in old if topic not in new])

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Gives the topics that still are there their first policy back."""
        self._reset(scope, resource.properties["Topics"])

    @staticmethod
    def _set(scope: Scope, topics: list[str], document: Properties | str) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        for topic in topics:
            parameters = {"TopicArn": topic, "AttributeName": "Policy", "AttributeValue": text}
            call_fitted(scope.client("sns"), "SetTopicAttributes", parameters)

    def _reset(self, scope: Scope, topics: list[str]) -> None:
        owner = {
            "Effect": "Allow",
            "Principal": {"AWS": "*"},
            "Action": ["sns:Publish", "sns:Subscribe"],
            "Condition": {"StringEquals": {"AWS:SourceOwner": scope.account}},
        }
        standing = {one["TopicArn"] for one in call(scope.client("sns"), "ListTopics", {})["Topics"]}
        for topic in (topic for topic in topics if topic in standing):
            self._set(scope, [topic], {"Version": "2008-10-17", "Statement": [{**owner, "Resource": topic}]})


class Alarm(ApiHandler):
    """An alarm; putting it again with the same name changes it."""

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the alarm, where there is none of that name.

        Source: CloudFormation CLI user guide, "Resource type handler contract": a create handler refuses what is there;
        justeattakeaway/AwsWatchman issue 222. The words are not confirmed.
        """
        name = resource.properties.get("AlarmName")
        there = call(scope.client("cloudwatch"), "DescribeAlarms", {"AlarmNames": [name]}) if name else {}
        if there.get("MetricAlarms"):
            raise ResourceError("AlreadyExists", f"{name} already exists")
        super().create(scope, resource)

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
    "AWS::SNS::TopicPolicy": TopicPolicy(),
    "AWS::SNS::Subscription": ApiHandler(
        service="sns",
        create_operation="Subscribe",
        reference="SubscriptionArn",
        identity={"SubscriptionArn": "{Ref}"},
        delete_operation="Unsubscribe",
        fixed={"ReturnSubscriptionArn": True},
        attributes={"Arn": "SubscriptionArn"},
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
