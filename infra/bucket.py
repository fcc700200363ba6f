"""The checkpoint bucket, and the bucket that logs who reads and writes it."""

from typing import Any

from aws_cdk import CfnResource
from constructs import Construct

from infra.replication import replication_configuration, replication_role
from infra.resource import ACCOUNT_ID, PARTITION, Properties, Value, attribute, resource
from trnstack.plan.model import BucketPlan, ObjectLockPlan

#: Parts of uploads that a dying node left behind.
ABORT_MULTIPART_DAYS = 7
_NOT_PUBLIC = {
    "BlockPublicAcls": True,
    "BlockPublicPolicy": True,
    "IgnorePublicAcls": True,
    "RestrictPublicBuckets": True,
}
_OWNER = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}


class CheckpointBucket(Construct):
    """Defines the checkpoint bucket with its policy and access log.

    Attributes:
        name: The bucket's name.
        policy: Its policy, which must stand before FSx is linked to the bucket.
    """

    def __init__(self, scope: Construct, construct_id: str, *, bucket: BucketPlan, key_arn: str) -> None:
        super().__init__(scope, construct_id)
        log = self._access_log(bucket)
        lock = bucket.object_lock
        made = resource(
            self,
            "Bucket",
            "AWS::S3::Bucket",
            {
                "BucketName": _named(bucket.name),
                "BucketEncryption": _encryption(bucket, key_arn),
                "VersioningConfiguration": {"Status": "Enabled"} if bucket.versioned else None,
                "LifecycleConfiguration": {"Rules": _lifecycle(bucket)},
                "ReplicationConfiguration": self._replication(bucket, key_arn),
                "ObjectLockEnabled": True if lock else None,
                "ObjectLockConfiguration": _object_lock(lock) if lock else None,
                "LoggingConfiguration": {"DestinationBucketName": log.ref, "LogFilePrefix": "checkpoints/"},
                "OwnershipControls": _OWNER,
                "PublicAccessBlockConfiguration": _NOT_PUBLIC,
            },
            retain=bucket.retain,
        )
        self.name = made.ref
        right_key = _wrong_keys_denied(attribute(made, "Arn"), key_arn) if bucket.encryption == "kms" else []
        self.policy = self._policy("Policy", made, right_key, retain=bucket.retain)

    def _replication(self, bucket: BucketPlan, key_arn: str) -> Properties | None:
        other = bucket.replication
        if other is None:
            return None
        role = replication_role(
            self,
            "ReplicationRole",
            bucket_name=_named(bucket.name),
            key_arn=key_arn if bucket.encryption == "kms" else None,
            replication=other,
            locked=bucket.object_lock is not None,
            retain=bucket.retain,
        )
        return replication_configuration(other, role_arn=attribute(role, "Arn"))

    def _access_log(self, bucket: BucketPlan) -> CfnResource:
        expire = {"Id": "expire", "Status": "Enabled", "ExpirationInDays": bucket.access_log_expiration_days}
        # S3 delivers access logs to buckets with S3's own keys only.
        log = resource(
            self,
            "AccessLog",
            "AWS::S3::Bucket",
            {
                "BucketName": _named(bucket.access_log_name),
                "BucketEncryption": _rules({"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}),
                "LifecycleConfiguration": {"Rules": [expire]},
                "OwnershipControls": _OWNER,
                "PublicAccessBlockConfiguration": _NOT_PUBLIC,
            },
            retain=bucket.retain,
        )
        deliver = {
            "Sid": "S3DeliversAccessLogs",
            "Effect": "Allow",
            "Principal": {"Service": "logging.s3.amazonaws.com"},
            "Action": "s3:PutObject",
            "Resource": _within(attribute(log, "Arn"), "/checkpoints/*"),
            "Condition": {
                "ArnLike": {"aws:SourceArn": _arn(bucket.name)},
                "StringEquals": {"aws:SourceAccount": ACCOUNT_ID},
            },
        }
        self._policy("AccessLogPolicy", log, [deliver], retain=bucket.retain)
        return log

    def _policy(
        self, construct_id: str, bucket: CfnResource, statements: list[Properties], *, retain: bool
    ) -> CfnResource:
        arn = attribute(bucket, "Arn")
        tls_only = {
            "Sid": "TlsOnly",
            "Effect": "Deny",
            "Principal": {"AWS": "*"},
            "Action": "s3:*",
            "Resource": [arn, _within(arn, "/*")],
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
        document = {"Version": "2012-10-17", "Statement": [tls_only, *statements]}
        properties = {"Bucket": bucket.ref, "PolicyDocument": document}
        return resource(self, construct_id, "AWS::S3::BucketPolicy", properties, retain=retain)


def _named(name: str) -> Value:
    return {"Fn::Sub": name.replace("ACCOUNT", "${AWS::AccountId}")} if "ACCOUNT" in name else name


def _object_lock(lock: ObjectLockPlan) -> Properties:
    retention = {"Mode": lock.mode, "Days": lock.days}
    return {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": retention}}


def _arn(name: str) -> Value:
    return {"Fn::Join": ["", ["arn:", PARTITION, ":s3:::", _named(name)]]}


def _within(arn: Value, keys: str) -> Value:
    return {"Fn::Join": ["", [arn, keys]]}


def _rules(rule: Properties) -> Any:
    return {"ServerSideEncryptionConfiguration": [rule]}


def _encryption(bucket: BucketPlan, key_arn: str) -> Any:
    if bucket.encryption == "s3":
        return _rules({"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}})
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key_arn}
    return _rules({"ServerSideEncryptionByDefault": default, "BucketKeyEnabled": True})


def _lifecycle(bucket: BucketPlan) -> list[Properties]:
    """Returns what S3 clears away by itself: never a current version.

    Old versions are still there after versions were switched off, and go by the same rule; a bucket that never had any
    is not concerned by it.

    Source: S3 API reference, NoncurrentVersionExpiration: "versioning enabled (or suspended)"; S3 user guide, "Adding
    objects to versioning-suspended buckets": older versions stay.
    """
    abort = {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": ABORT_MULTIPART_DAYS}}
    old = {"NoncurrentVersionExpiration": {"NoncurrentDays": bucket.noncurrent_expiration_days}}
    rules: list[Properties] = [
        {"Id": "abort-unfinished-uploads", "Status": "Enabled", **abort},
        {"Id": "expire-old-versions", "Status": "Enabled", **old, "ExpiredObjectDeleteMarker": True},
    ]
    if bucket.infrequent_access_after_days is not None:
        move = {"StorageClass": "STANDARD_IA", "TransitionInDays": bucket.infrequent_access_after_days}
        rules.append({"Id": "infrequent-access", "Status": "Enabled", "Transitions": [move]})
    return rules


def _wrong_keys_denied(bucket_arn: Value, key_arn: str) -> list[Properties]:
    """Returns statements that refuse an upload which names another key, KMS without a key, or none of KMS.

    An upload that names nothing gets the bucket's default key and passes; FSx exports that way. One that names KMS and
    no key would get AWS's own key of the account and not the bucket's; one with a key of the uploader's could be read
    by nobody else.

    Source: S3 API reference, PutObject, ``x-amz-server-side-encryption-aws-kms-key-id``; service authorization
    reference, "Condition keys for Amazon S3".
    """
    put = {
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Action": "s3:PutObject",
        "Resource": _within(bucket_arn, "/*"),
    }
    algorithm, key = "s3:x-amz-server-side-encryption", "s3:x-amz-server-side-encryption-aws-kms-key-id"
    customer = "s3:x-amz-server-side-encryption-customer-algorithm"
    return [
        {
            "Sid": "NoOtherKey",
            **put,
            "Condition": {"StringNotEquals": {key: key_arn}, "Null": {key: "false"}},
        },
        {
            "Sid": "NoOtherEncryption",
            **put,
            "Condition": {"StringNotEquals": {algorithm: "aws:kms"}, "Null": {algorithm: "false"}},
        },
        {
            "Sid": "NoUnnamedKey",
            **put,
            "Condition": {"StringEquals": {algorithm: "aws:kms"}, "Null": {key: "true"}},
        },
        {
            "Sid": "NoCustomerKey",
            **put,
            "Condition": {"Null": {customer: "false"}},
        },
    ]
