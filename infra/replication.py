"""How S3 copies checkpoints to a bucket of another region: the role that it takes, and the rule that it follows."""

from aws_cdk import CfnResource
from constructs import Construct

from infra.resource import PARTITION, REGION, Properties, Value, assumed_by, policy, resource
from trnstack.plan.model import ReplicationPlan

_READ = ["s3:GetObjectVersionForReplication", "s3:GetObjectVersionTagging"]
_READ_LOCKS = ["s3:GetObjectLegalHold", "s3:GetObjectRetention"]


def replication_role(
    scope: Construct,
    construct_id: str,
    *,
    bucket_name: Value,
    key_arn: str | None,
    replication: ReplicationPlan,
    locked: bool,
    retain: bool,
) -> CfnResource:
    """Defines the role by which S3 reads a bucket and writes copies of its objects to another one.

    It names the bucket by its name, since the bucket's own configuration names the role. It outlives its stack with the
    bucket, which would be copied nowhere without it. Both keys are used by way of S3 in their own regions alone.

    Args:
        scope: The construct that it belongs to.
        construct_id: Its id there.
        bucket_name: The bucket that is copied.
        key_arn: The key that encrypts it; None for S3's own.
        replication: Where copies go.
        locked: Whether its objects are locked, so that the locks are copied too.
        retain: Whether it outlives its stack.

    Source: S3 user guide, "Setting up permissions for live replication" and "Replicating encrypted objects".
    """
    source = ["arn:", PARTITION, ":s3:::", bucket_name]
    bucket, objects = {"Fn::Join": ["", source]}, {"Fn::Join": ["", [*source, "/*"]]}
    copies = {"Fn::Join": ["", ["arn:", PARTITION, f":s3:::{replication.bucket_name}/*"]]}
    statements: list[Properties] = [
        {"Action": ["s3:GetReplicationConfiguration", "s3:ListBucket"], "Resource": bucket},
        {"Action": [*_READ, *(_READ_LOCKS if locked else ())], "Resource": objects},
        {"Action": ["s3:ReplicateObject", "s3:ReplicateTags"], "Resource": copies},
    ]
    if key_arn and replication.kms_key_arn:
        there = f"s3.{replication.region}.amazonaws.com"
        statements += [
            {"Action": "kms:Decrypt", "Resource": key_arn, "Condition": _by_way_of(_s3_here())},
            {
                "Action": ["kms:Encrypt", "kms:GenerateDataKey"],
                "Resource": replication.kms_key_arn,
                "Condition": _by_way_of(there),
            },
        ]
    named = (
        bucket_name["Fn::Sub"].replace("${AWS::AccountId}", "<AWS::AccountId>")
        if isinstance(bucket_name, dict)
        else bucket_name
    )
    every = "S3 copies every object of the one bucket to the other"
    rule = "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::{}/*]"
    properties = {
        "AssumeRolePolicyDocument": assumed_by("s3.amazonaws.com"),
        "Policies": [policy("replicate", statements)],
    }
    return resource(
        scope,
        construct_id,
        "AWS::IAM::Role",
        properties,
        retain=retain,
        acknowledge={rule.format(named): every, rule.format(replication.bucket_name): every},
    )


def replication_configuration(replication: ReplicationPlan, *, role_arn: str) -> Properties:
    """Returns the rule by which every new object is copied. Deletions are not: a slip here leaves the copies there.

    Source: S3 API reference, ReplicationRule.
    """
    key_arn = replication.kms_key_arn
    destination: dict[str, object] = {
        "Bucket": {"Fn::Join": ["", ["arn:", PARTITION, f":s3:::{replication.bucket_name}"]]}
    }
    rule: dict[str, object] = {
        "Id": "copy",
        "Status": "Enabled",
        "Priority": 1,
        "Filter": {"Prefix": ""},
        "DeleteMarkerReplication": {"Status": "Disabled"},
    }
    if key_arn:
        rule["SourceSelectionCriteria"] = {"SseKmsEncryptedObjects": {"Status": "Enabled"}}
        destination["EncryptionConfiguration"] = {"ReplicaKmsKeyID": key_arn}
    return {"Role": role_arn, "Rules": [{**rule, "Destination": destination}]}


def _s3_here() -> Value:
    return {"Fn::Join": ["", ["s3.", REGION, ".amazonaws.com"]]}


def _by_way_of(service: Value) -> Properties:
    return {"StringEquals": {"kms:ViaService": service}}
