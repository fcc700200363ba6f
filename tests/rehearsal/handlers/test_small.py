"""Keys, parameters, repositories, log groups, topics and alarms."""

import json
from dataclasses import replace

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers import handler_for
from rehearsal.handlers.base import Resource

ALL = {"Statement": [{"Effect": "Allow", "Action": "kms:*", "Principal": {"AWS": "123456789012"}, "Resource": "*"}]}


class TestKey:
    def test_rotation_and_tags(self, client, make):
        """Rotation is on, and the stack's tags reach the key."""
        key = make("AWS::KMS::Key", KeyPolicy=ALL, EnableKeyRotation="true")

        assert client("kms").get_key_rotation_status(KeyId=key.physical_id)["KeyRotationEnabled"] is True
        tags = client("kms").list_resource_tags(KeyId=key.physical_id)["Tags"]
        assert tags == [{"TagKey": "team", "TagValue": "ml"}]

    def test_policy_and_rotation_change(self, client, make, change):
        """Another policy is put, and rotation goes when the template no longer asks for it."""
        key = make("AWS::KMS::Key", KeyPolicy=ALL, EnableKeyRotation=True)

        change(key, KeyPolicy={**ALL, "Id": "new"}, EnableKeyRotation=None)

        assert '"new"' in client("kms").get_key_policy(KeyId=key.physical_id, PolicyName="default")["Policy"]
        assert client("kms").get_key_rotation_status(KeyId=key.physical_id)["KeyRotationEnabled"] is False

    def test_deletion_is_scheduled(self, client, make, drop):
        """A deleted key waits for its end."""
        key = make("AWS::KMS::Key", KeyPolicy=ALL, PendingWindowInDays=7)
        drop(key)

        assert client("kms").describe_key(KeyId=key.physical_id)["KeyMetadata"]["KeyState"] == "PendingDeletion"


def test_alias_moves_to_another_key(client, make, change):
    """An alias is updated in place; Ref is its name."""
    first, second = (make("AWS::KMS::Key", KeyPolicy=ALL) for _ in range(2))
    alias = make("AWS::KMS::Alias", AliasName="alias/data", TargetKeyId=first.physical_id)
    change(alias, TargetKeyId=second.physical_id)

    assert alias.physical_id == "alias/data"
    assert client("kms").describe_key(KeyId="alias/data")["KeyMetadata"]["KeyId"] == second.physical_id


def test_parameter(client, make, change):
    """A parameter is put over with its new value, which is also its attribute."""
    parameter = make("AWS::SSM::Parameter", Name="/cdk/version", Type="String", Value="32")
    change(parameter, Value="33")

    assert client("ssm").get_parameter(Name="/cdk/version")["Parameter"]["Value"] == "33"
    assert parameter.attributes["Value"] == "33"


def test_name_of_a_parameter(scope):
    """CloudFormation's names of parameters begin alike, also in stacks whose names SSM would refuse."""
    stack = replace(scope, stack_name="aws-network")
    parameter = Resource("Thing", "AWS::SSM::Parameter", {"Type": "String", "Value": "1"})
    handler_for(parameter.type).create(stack, parameter)

    assert str(parameter.physical_id).startswith("CFN-Thing-")


def test_parameter_as_a_stack_parameter(services, client):
    """A stack takes what another one has put into the parameter store, and a change of it at its next update."""
    services.reset()
    ssm, cloudformation = client("ssm"), client("cloudformation")
    taken = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/trnstack/demo/file-system-id"}
    copy = {"Type": "AWS::SSM::Parameter", "Properties": {"Name": "/copy", "Type": "String", "Value": {"Ref": "Taken"}}}
    body = json.dumps({"Parameters": {"Taken": taken}, "Resources": {"Copy": copy}})
    with pytest.raises(ClientError, match=r"Unable to fetch parameters \[/trnstack/demo/file-system-id\]"):
        cloudformation.create_stack(StackName="demo", TemplateBody=body)

    ssm.put_parameter(Name="/trnstack/demo/file-system-id", Type="String", Value="fs-1")
    cloudformation.create_stack(StackName="demo", TemplateBody=body)
    assert ssm.get_parameter(Name="/copy")["Parameter"]["Value"] == "fs-1"
    ssm.put_parameter(Name="/trnstack/demo/file-system-id", Type="String", Value="fs-2", Overwrite=True)
    cloudformation.update_stack(StackName="demo", TemplateBody=body)
    assert ssm.get_parameter(Name="/copy")["Parameter"]["Value"] == "fs-2"


def test_repository(client, make, change):
    """A repository has its policies, and another tag mutability comes in place."""
    rules = '{"rules":[{"rulePriority":1,"selection":{"tagStatus":"untagged","countType":"sinceImagePushed",'
    rules += '"countUnit":"days","countNumber":365},"action":{"type":"expire"}}]}'
    repository = make(
        "AWS::ECR::Repository",
        RepositoryName="images",
        ImageTagMutability="MUTABLE",
        LifecyclePolicy={"LifecyclePolicyText": rules},
    )
    change(repository, ImageTagMutability="IMMUTABLE")

    (found,) = client("ecr").describe_repositories()["repositories"]
    assert found["imageTagMutability"] == "IMMUTABLE"
    assert client("ecr").get_lifecycle_policy(repositoryName="images")["lifecyclePolicyText"]
    assert repository.attributes["RepositoryUri"].endswith("/images")


def test_log_group(client, make, change):
    """Retention and key change in place; the ARN ends as CloudFormation's does."""
    (all_of_it,) = ALL["Statement"]
    use = {**all_of_it, "Principal": {"Service": "logs.us-east-2.amazonaws.com"}}
    policy = {"Statement": [all_of_it, use]}
    first, second = (make("AWS::KMS::Key", KeyPolicy=policy).attributes["Arn"] for _ in range(2))
    group = make("AWS::Logs::LogGroup", RetentionInDays=30, KmsKeyId=first)
    change(group, RetentionInDays=None, KmsKeyId=second)

    (found,) = client("logs").describe_log_groups()["logGroups"]
    assert found["kmsKeyId"] == second
    assert "retentionInDays" not in found
    assert group.attributes["Arn"].endswith(":*")


def test_topic_and_alarm(client, make, change):
    """A topic's attributes and subscriptions and an alarm's figures change in place."""
    topic = make("AWS::SNS::Topic", DisplayName="a", Subscription=[{"Endpoint": "a@b.c", "Protocol": "email"}])
    alarm = make(
        "AWS::CloudWatch::Alarm",
        AlarmActions=[topic.physical_id],
        ComparisonOperator="GreaterThanThreshold",
        EvaluationPeriods="1",
        MetricName="m",
        Namespace="n",
        Period=60,
        Statistic="Average",
        Threshold="5",
    )
    change(topic, DisplayName="b", Subscription=None)
    change(alarm, Threshold=6)

    assert client("sns").get_topic_attributes(TopicArn=topic.physical_id)["Attributes"]["DisplayName"] == "b"
    assert client("sns").list_subscriptions_by_topic(TopicArn=topic.physical_id)["Subscriptions"] == []
    assert client("cloudwatch").describe_alarms()["MetricAlarms"][0]["Threshold"] == 6
    assert alarm.attributes["Arn"].endswith(alarm.physical_id)


def test_metadata(make, drop):
    """The CDK's metadata make nothing, and so have no attribute."""
    metadata = make("AWS::CDK::Metadata", Analytics="v2")
    drop(metadata)

    assert metadata.attributes == {}


class TestTopic:
    DENY = {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Principal": "*", "Action": "sns:Publish"}]}

    def test_policy(self, client, make, change, drop):
        """A policy is set on the topics that it names, and taken from those that it no longer does."""
        one, two = (make("AWS::SNS::Topic", name) for name in ("One", "Two"))
        topics = [one.physical_id, two.physical_id]
        policy = make("AWS::SNS::TopicPolicy", Topics=topics, PolicyDocument=self.DENY)

        def denied(topic):
            attributes = client("sns").get_topic_attributes(TopicArn=topic.physical_id)["Attributes"]
            return "Deny" in attributes["Policy"]

        assert denied(one)
        assert denied(two)
        change(policy, Topics=topics[:1])
        assert denied(one)
        assert not denied(two)
        drop(policy)
        assert not denied(one)
        drop(one)
        drop(policy)

    def test_subscription(self, client, make, drop):
        """Ref is the subscription's ARN."""
        topic = make("AWS::SNS::Topic", "Notices")
        endpoint = {"Protocol": "email", "Endpoint": "ml@example.com"}
        subscription = make("AWS::SNS::Subscription", TopicArn=topic.physical_id, **endpoint)

        (found,) = client("sns").list_subscriptions()["Subscriptions"]
        assert (found["SubscriptionArn"], found["Endpoint"]) == (subscription.physical_id, "ml@example.com")
        drop(subscription)
        assert client("sns").list_subscriptions()["Subscriptions"] == []
