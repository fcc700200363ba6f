"""What S3 refuses of buckets."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, resource

MEASURED = "badmintoncryer/cdk-preflight, rules/s3, pf-s3-"
NAME = "training-data-of-refusals"


def bucket(**properties: Any) -> Resources:
    """A bucket."""
    return {"Bucket": resource("AWS::S3::Bucket", **properties)}


def refused_name(name: str, given: str) -> Row:
    """Gives a row of a bucket's name, which its schema lets pass."""
    return Row(
        name=f"bucket-name-{name}",
        good=bucket(BucketName=NAME),
        bad=bucket(BucketName=given),
        refused="Bucket",
        code="InvalidBucketName",
        words="The specified bucket is not valid.",
        source=f"S3 user guide, General purpose bucket naming rules; {MEASURED}bucket-name-{name}",
    )


def refused_bucket(
    name: str, code: str, words: str, source: str, *, good: Resources, bad: Resources, uncounted: str = ""
) -> Row:
    """Gives a row of a bucket's properties."""
    return Row(
        name=f"bucket-{name}",
        good=bucket(**good),
        bad=bucket(**bad),
        refused="Bucket",
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
    )


def encrypted(algorithm: str) -> dict[str, Any]:
    """The properties of a bucket that is encrypted with a key, by an algorithm."""
    default = {"SSEAlgorithm": algorithm, "KMSMasterKeyID": "arn:aws:kms:us-east-2:123456789012:key/1"}
    rule = {"ServerSideEncryptionByDefault": default}
    return {"BucketEncryption": {"ServerSideEncryptionConfiguration": [rule]}}


_OWNED = {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}
_PUBLIC = {"AccessControl": "PublicRead", "OwnershipControls": _OWNED}
_VERSIONS = {"VersioningConfiguration": {"Status": "Enabled"}}
_TOLD = {"Event": "s3:ObjectCreated:*", "Topic": "arn:aws:sns:us-east-2:123456789012:nobody"}
_THEIRS = {"Event": "s3:ObjectCreated:*", "Topic": "arn:aws:sns:us-east-2:111122223333:theirs"}
_COPIES = {
    "Role": "arn:aws:iam::123456789012:role/copy",
    "Rules": [{"Status": "Enabled", "Destination": {"Bucket": "arn:aws:s3:::copies"}}],
}

ROWS = (
    refused_bucket(
        "with-a-list-that-is-off",
        "InvalidBucketAclWithObjectOwnership",
        "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
        "aws-cloudformation/cloudformation-coverage-roadmap issue 1606",
        good={"AccessControl": "LogDeliveryWrite", "OwnershipControls": _OWNED},
        bad={"AccessControl": "LogDeliveryWrite"},
    ),
    refused_bucket(
        "public-that-blocks-it",
        "InvalidBucketAclWithBlockPublicAccessError",
        "Bucket cannot have public ACLs set with BlockPublicAccess enabled",
        f"{MEASURED}acl-public-blocked, whose code is not told",
        good={**_PUBLIC, "PublicAccessBlockConfiguration": {"BlockPublicAcls": False}},
        bad=_PUBLIC,
    ),
    Row(
        name="bucket-given-a-list-that-is-off",
        good=bucket(),
        bad=bucket(AccessControl="LogDeliveryWrite"),
        refused="Bucket",
        code="AccessControlListNotSupported",
        words="The bucket does not allow ACLs",
        source="S3 user guide, Object Ownership, Troubleshooting",
        update=True,
    ),
    refused_bucket(
        "logged-to-nowhere",
        "InvalidTargetBucketForLogging",
        "The target bucket for logging does not exist",
        "localstack/localstack, tests/aws/services/s3/test_s3.snapshot.json, test_put_bucket_logging_wrong_target",
        good={"LoggingConfiguration": {"LogFilePrefix": "logs/"}},
        bad={"LoggingConfiguration": {"DestinationBucketName": "a-bucket-that-is-nowhere"}},
        uncounted="moto refuses it too",
    ),
    refused_bucket(
        "locked-without-versions",
        "InvalidBucketState",
        "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration",
        f"{MEASURED}objectlock-requires-versioning",
        good={**_VERSIONS, "ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}},
        bad={"ObjectLockConfiguration": {"ObjectLockEnabled": "Enabled"}},
        uncounted="moto refuses it too",
    ),
    refused_bucket(
        "locked-with-suspended-versions",
        "InvalidBucketState",
        "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.",
        f"{MEASURED}objectlock-versioning-suspended",
        good={**_VERSIONS, "ObjectLockEnabled": True},
        bad={"VersioningConfiguration": {"Status": "Suspended"}, "ObjectLockEnabled": True},
    ),
    refused_bucket(
        "encrypted-with-a-key-for-nothing",
        "InvalidArgument",
        "a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse",
        f"{MEASURED}encryption-kms-key-with-aes256; localstack/localstack, test_s3_default_bucket_encryption_exc",
        good=encrypted("aws:kms"),
        bad=encrypted("AES256"),
    ),
    refused_bucket(
        "fast-with-a-dot",
        "InvalidRequest",
        "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names",
        f"{MEASURED}accelerate-dotted-name, whose code is not told",
        good={"BucketName": NAME, "AccelerateConfiguration": {"AccelerationStatus": "Enabled"}},
        bad={"BucketName": "training.data", "AccelerateConfiguration": {"AccelerationStatus": "Enabled"}},
        uncounted="moto refuses it in other words",
    ),
    refused_bucket(
        "that-tells-nobody",
        "InvalidArgument",
        "Unable to validate the following destination configurations",
        "serverless/serverless issue 10247",
        good={"NotificationConfiguration": {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}},
        bad={"NotificationConfiguration": {"TopicConfigurations": [_TOLD]}},
    ),
    refused_bucket(
        "that-tells-twice",
        "InvalidArgument",
        "Configurations overlap. Configurations on the same bucket cannot share a common event type.",
        "minio/minio issue 2472, an answer of S3; hashicorp/terraform-provider-aws issue 765",
        good={"NotificationConfiguration": {"TopicConfigurations": [_THEIRS]}},
        bad={
            "NotificationConfiguration": {
                "TopicConfigurations": [_THEIRS, {**_THEIRS, "Event": "s3:ObjectCreated:Put"}]
            }
        },
    ),
    refused_bucket(
        "that-is-a-website-twice",
        "InvalidRequest",
        "should not be specified if RedirectAllRequestsTo is specified",
        f"{MEASURED}website-redirect-exclusive",
        good={"WebsiteConfiguration": {"IndexDocument": "index.html"}},
        bad={"WebsiteConfiguration": {"IndexDocument": "a", "RedirectAllRequestsTo": {"HostName": "example.com"}}},
        uncounted="CloudFormation's handler refuses it, not S3",
    ),
    refused_bucket(
        "copied-without-versions",
        "InvalidRequest",
        "VersioningConfiguration Status must be 'Enabled' to specify ReplicationConfiguration",
        f"{MEASURED}replication-requires-versioning",
        good=_VERSIONS,
        bad={"ReplicationConfiguration": _COPIES},
        uncounted="CloudFormation's handler refuses it, not S3",
    ),
    refused_name("ip-address", "192.168.0.1"),
    refused_name("reserved-prefix", "sthree-training-data"),
    refused_name("reserved-suffix", "training-data-s3alias"),
)
