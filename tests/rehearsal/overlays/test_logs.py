"""The keys of log groups: CloudWatch Logs must be allowed to use them."""

import json

import pytest
from botocore.exceptions import ClientError

ACCOUNT, REGION = "123456789012", "us-east-2"
ROOT = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "kms:*", "Resource": "*"}
GROUP = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:runs"
CONTEXT = "kms:EncryptionContext:aws:logs:arn"


@pytest.fixture
def key(client):
    """Makes a key that lets a service use it, under a condition, and gives its ARN."""

    def make(service=f"logs.{REGION}.amazonaws.com", condition=None):
        use = {**ROOT, "Principal": {"Service": service}, **({"Condition": condition} if condition else {})}
        document = json.dumps({"Version": "2012-10-17", "Statement": [ROOT, use]})
        return client("kms").create_key(Policy=document)["KeyMetadata"]["Arn"]

    return make


@pytest.mark.parametrize(
    "condition",
    [
        None,
        {"ArnEquals": {CONTEXT: GROUP}},
        {"ArnLike": {CONTEXT: [f"arn:aws:logs:{REGION}:{ACCOUNT}:*"]}},
        {"StringEquals": {"kms:ViaService": "logs"}},
    ],
)
def test_taken(client, key, condition):
    """A key that lets CloudWatch Logs use it for the group is taken, at creation and afterwards."""
    logs, arn = client("logs"), key(condition=condition)
    logs.create_log_group(logGroupName="runs", kmsKeyId=arn)
    logs.disassociate_kms_key(logGroupName="runs")
    logs.associate_kms_key(logGroupName="runs", kmsKeyId=arn)

    (found,) = logs.describe_log_groups()["logGroups"]
    assert found["kmsKeyId"] == arn


@pytest.mark.parametrize(
    "given",
    [
        {"service": "sns.amazonaws.com"},
        {"service": "logs.us-west-2.amazonaws.com"},
        {"condition": {"ArnEquals": {CONTEXT: f"{GROUP}-of-another"}}},
    ],
    ids=str,
)
def test_refused(client, key, given):
    """A key that does not let it is refused, in words that name the group."""
    logs, arn = client("logs"), key(**given)
    words = rf"AccessDeniedException.*is not allowed to be used with Arn '{GROUP}'"
    with pytest.raises(ClientError, match=words):
        logs.create_log_group(logGroupName="runs", kmsKeyId=arn)
    logs.create_log_group(logGroupName="runs")
    with pytest.raises(ClientError, match=words):
        logs.associate_kms_key(logGroupName="runs", kmsKeyId=arn)


def test_no_key(client):
    """A key that is not there can't be used; of somebody's account it can't be told."""
    logs = client("logs")
    with pytest.raises(ClientError, match="AccessDeniedException"):
        logs.create_log_group(logGroupName="runs", kmsKeyId=f"arn:aws:kms:{REGION}:{ACCOUNT}:key/none")
    logs.create_log_group(logGroupName="runs", kmsKeyId=f"arn:aws:kms:{REGION}:111122223333:key/theirs")

    assert len(logs.describe_log_groups()["logGroups"]) == 1


def test_no_group(client, key):
    """A group that is not there has no key."""
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        client("logs").associate_kms_key(logGroupName="none", kmsKeyId=key())
