"""An update of several calls that is refused at any one of them is led back to what stood before."""

import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers import handler_for
from tests.rehearsal.handlers.test_iam import AWS_POLICY, READ, TRUST, WRITE

KEY_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
            "Action": ["kms:*"],
            "Resource": "*",
        }
    ],
}
REPOSITORY_POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "ecr:BatchGetImage"}],
}
LIFECYCLE = {
    "rules": [
        {
            "rulePriority": 1,
            "selection": {"tagStatus": "untagged", "countType": "imageCountMoreThan", "countNumber": 3},
            "action": {"type": "expire"},
        }
    ]
}
CALLER = {"CidrIp": "10.0.0.0/8", "IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}


def reads(service, *operations, **parameters):
    """Gives what several operations answer, without what every answer has of its own."""

    def look(client, resource):
        found = []
        for operation in operations:
            asked = {name: text.format(resource.physical_id) for name, text in parameters.items()}
            try:
                answer = getattr(client(service), operation)(**asked)
            except ClientError as error:
                found.append(error.response["Error"]["Code"])
            else:
                found.append({name: value for name, value in answer.items() if name != "ResponseMetadata"})
        return json.loads(json.dumps(found, default=str))

    return look


def of_role(client, resource):
    iam, role = client("iam"), {"RoleName": resource.physical_id}
    names = iam.list_role_policies(**role)["PolicyNames"]
    found = iam.get_role(**role)["Role"]
    return [
        [found.get(name) for name in ("AssumeRolePolicyDocument", "MaxSessionDuration", "Description")],
        sorted(one["PolicyArn"] for one in iam.list_attached_role_policies(**role)["AttachedPolicies"]),
        {name: iam.get_role_policy(**role, PolicyName=name)["PolicyDocument"] for name in names},
    ]


def of_key(client, resource):
    kms, key = client("kms"), {"KeyId": resource.physical_id}
    return [
        kms.describe_key(**key)["KeyMetadata"]["Enabled"],
        kms.get_key_rotation_status(**key)["KeyRotationEnabled"],
        json.loads(kms.get_key_policy(**key, PolicyName="default")["Policy"]),
    ]


def of_group(client, resource):
    (group,) = client("ec2").describe_security_groups(GroupIds=[resource.physical_id])["SecurityGroups"]
    return [group["IpPermissions"], group["IpPermissionsEgress"]]


def of_topic(client, resource):
    sns, topic = client("sns"), {"TopicArn": resource.physical_id}
    found = sns.list_subscriptions_by_topic(**topic)["Subscriptions"]
    return [sns.get_topic_attributes(**topic)["Attributes"]["DisplayName"], sorted(one["Endpoint"] for one in found)]


def of_vpc(client, resource):
    asked = {"EnableDnsSupport": "enableDnsSupport", "EnableDnsHostnames": "enableDnsHostnames"}
    return [
        client("ec2").describe_vpc_attribute(VpcId=resource.physical_id, Attribute=name)[member]
        for member, name in asked.items()
    ]


def of_bucket(client, resource):
    look = reads(
        "s3",
        "get_bucket_lifecycle_configuration",
        "get_bucket_encryption",
        "get_bucket_tagging",
        "get_public_access_block",
        Bucket="{}",
    )
    return look(client, resource)


#: A type, what it was, what it becomes by several calls, and how it is looked at.
CASES = [
    (
        "AWS::IAM::Role",
        {"AssumeRolePolicyDocument": TRUST, "Policies": [{"PolicyName": "read", "PolicyDocument": READ}]},
        {
            "AssumeRolePolicyDocument": {**TRUST, "Statement": [{**TRUST["Statement"][0], "Sid": "New"}]},
            "Policies": [{"PolicyName": "write", "PolicyDocument": WRITE}],
            "ManagedPolicyArns": [AWS_POLICY],
            "MaxSessionDuration": 7200,
            "Description": "new",
        },
        of_role,
    ),
    (
        "AWS::KMS::Key",
        {"KeyPolicy": KEY_POLICY, "EnableKeyRotation": False},
        {
            "KeyPolicy": {**KEY_POLICY, "Statement": [{**KEY_POLICY["Statement"][0], "Sid": "New"}]},
            "EnableKeyRotation": True,
            "Enabled": False,
            "Description": "new",
        },
        of_key,
    ),
    (
        "AWS::Logs::LogGroup",
        {"LogGroupName": "/demo", "RetentionInDays": 7},
        {"LogGroupName": "/demo", "RetentionInDays": 30, "Tags": [{"Key": "a", "Value": "b"}]},
        reads("logs", "describe_log_groups", logGroupNamePrefix="{}"),
    ),
    (
        "AWS::ECR::Repository",
        {"RepositoryName": "demo", "ImageTagMutability": "MUTABLE"},
        {
            "RepositoryName": "demo",
            "ImageTagMutability": "IMMUTABLE",
            "LifecyclePolicy": {"LifecyclePolicyText": json.dumps(LIFECYCLE)},
            "RepositoryPolicyText": REPOSITORY_POLICY,
        },
        reads("ecr", "get_lifecycle_policy", "get_repository_policy", repositoryName="{}"),
    ),
    (
        "AWS::EC2::SecurityGroup",
        {"GroupDescription": "demo", "SecurityGroupIngress": [CALLER]},
        {
            "GroupDescription": "demo",
            "SecurityGroupIngress": [{**CALLER, "CidrIp": "10.1.0.0/16"}],
            "SecurityGroupEgress": [{**CALLER, "CidrIp": "10.2.0.0/16"}],
        },
        of_group,
    ),
    (
        "AWS::EC2::VPC",
        {"CidrBlock": "10.3.0.0/16"},
        {"CidrBlock": "10.3.0.0/16", "EnableDnsHostnames": True, "EnableDnsSupport": False},
        of_vpc,
    ),
    (
        "AWS::SNS::Topic",
        {"DisplayName": "old", "Subscription": [{"Protocol": "email", "Endpoint": "a@example.com"}]},
        {"DisplayName": "new", "Subscription": [{"Protocol": "email", "Endpoint": "b@example.com"}]},
        of_topic,
    ),
    (
        "AWS::S3::Bucket",
        {"BucketName": "demo-half-made", "PublicAccessBlockConfiguration": {"BlockPublicAcls": True}},
        {
            "BucketName": "demo-half-made",
            "LifecycleConfiguration": {"Rules": [{"Status": "Enabled", "ExpirationInDays": 3}]},
            "Tags": [{"Key": "a", "Value": "b"}],
            "PublicAccessBlockConfiguration": {"BlockPublicAcls": False},
        },
        of_bucket,
    ),
]


class Refusals:
    """Refuses the call of a number among those that change anything, once."""

    def __init__(self, number):
        self.left, self.refused = number, None

    def __call__(self, model, **_):
        if model.name.startswith(("Describe", "Get", "List", "Head")) or self.refused:
            return
        self.left -= 1
        if self.left == 0:
            self.refused = model.name
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "refused"}}, model.name)


@pytest.mark.parametrize(("resource_type", "old", "new", "look"), CASES, ids=[case[0] for case in CASES])
def test_led_back(client, scope, make, resource_type, old, new, look):
    """Whichever call is refused, what the calls before it did is undone, and a later update ends as it should."""
    handler = handler_for(resource_type)
    service = resource_type.split("::")[1].lower()
    events = client(service).meta.events
    resource = make(resource_type, **old)
    before, refused = look(client, resource), []
    for number in range(1, 12):
        refusals = Refusals(number)
        events.register("before-call", refusals)
        try:
            handler.update(scope, resource, new)
        except ClientError:
            refused.append(refusals.refused)
        finally:
            events.unregister("before-call", refusals)
        if refusals.refused is None:
            break
        handler.update(scope, resource, old)
        resource.properties = old
        assert look(client, resource) == before, f"{refused[-1]} was refused"

    assert len(refused) > 1
    assert look(client, resource) != before
