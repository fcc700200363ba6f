"""What S3 refuses of a bucket's policy."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, changed, ref, resource
from tests.rehearsal.refusals.rows.s3 import MEASURED, NAME, bucket

_ROLE = "arn:aws:iam::123456789012:role/nobody"


def policy(block: dict[str, Any] | None = None, **members: Any) -> Resources:
    """A bucket with a policy of one statement."""
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": f"arn:aws:s3:::{NAME}/*",
        **members,
    }
    kept = {name: part for name, part in statement.items() if part is not None}
    document = {"Version": "2012-10-17", "Statement": [kept]}
    return {
        **bucket(BucketName=NAME, PublicAccessBlockConfiguration=block),
        "Policy": resource("AWS::S3::BucketPolicy", Bucket=ref("Bucket"), PolicyDocument=document),
    }


def refused_policy(
    name: str, words: str, source: str, *, code: str = "MalformedPolicy", block: Any = None, **mistake: Any
) -> Row:
    """Gives a row of a bucket's policy."""
    good, bad = policy(block), policy(block, **mistake)
    return Row(
        name=f"bucket-policy-{name}", good=good, bad=bad, refused="Policy", code=code, words=words, source=source
    )


def document() -> dict[str, Any]:
    """The policy of a bucket, as it stands in its template."""
    made: dict[str, Any] = policy()["Policy"]["Properties"]["PolicyDocument"]
    return made


ROWS = (
    refused_policy(
        "about-another-bucket",
        "Policy has invalid resource",
        "aws-samples/aws-serverless-appsync-app issue 4",
        Resource="arn:aws:s3:::another-bucket/*",
    ),
    refused_policy(
        "for-a-role-that-is-not-there",
        "Invalid principal in policy",
        "aws-samples/aws-batch-architecture-for-alphafold issue 1",
        Principal={"AWS": _ROLE},
    ),
    refused_policy(
        "for-nobody",
        "Missing required field Principal",
        f"{MEASURED}bucket-policy-principal",
        Principal=None,
    ),
    refused_policy(
        "for-everybody",
        "because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access.",
        f"S3 user guide, Blocking public access to your Amazon S3 storage; {MEASURED}policy-public-with-block-public-"
        "policy",
        code="AccessDenied",
        block={"BlockPublicPolicy": True},
        Effect="Allow",
    ),
    refused_policy(
        "for-everybody-on-a-new-bucket",
        "because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access.",
        "S3 user guide, Default settings for new S3 buckets FAQ; localstack/localstack, "
        "tests/aws/services/s3/test_s3_api.snapshot.json, what a new bucket blocks",
        code="AccessDenied",
        Effect="Allow",
    ),
    refused_policy(
        "for-everybody-over-tls",
        "because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access.",
        "S3 user guide, Blocking public access to your Amazon S3 storage, The meaning of public",
        code="AccessDenied",
        Effect="Allow",
        Condition={"Bool": {"aws:SecureTransport": "true"}},
    ),
    refused_policy("with-a-wrong-effect", "Invalid effect: deny", "versity/versitygw issue 647", Effect="deny"),
    refused_policy(
        "with-an-action-of-no-service", "Policy has invalid action", "versity/versitygw issue 650", Action="GetObject"
    ),
    refused_policy(
        "on-objects-of-a-bucket-alone",
        "Action does not apply to any resource(s) in statement",
        f"{MEASURED}bucket-policy-action-resource; versity/versitygw issue 645",
        Resource=f"arn:aws:s3:::{NAME}",
    ),
    refused_policy(
        "without-action",
        "Missing required field Action",
        "S3 user guide, Policies and permissions in Amazon S3; the words are inferred",
        Action=None,
    ),
    refused_policy(
        "without-resource",
        "Missing required field Resource",
        "S3 user guide, Policies and permissions in Amazon S3; the words are inferred",
        Resource=None,
    ),
    refused_policy(
        "of-unknown-elements",
        "Unknown field Principals",
        "IAM user guide, Grammar of the IAM JSON policy language; the words are inferred",
        Principals="*",
    ),
    Row(
        name="bucket-policy-of-a-wrong-version",
        good=policy(),
        bad=changed(policy(), "Policy", PolicyDocument={**document(), "Version": "2012-10-18"}),
        refused="Policy",
        code="MalformedPolicy",
        words="The policy must contain a valid version string",
        source=f"{MEASURED}bucket-policy-version",
    ),
    Row(
        name="bucket-policy-of-nothing",
        good=policy(),
        bad=changed(policy(), "Policy", PolicyDocument={**document(), "Statement": []}),
        refused="Policy",
        code="MalformedPolicy",
        words="Could not parse the policy: Statement is empty!",
        source="versity/versitygw issue 646",
    ),
)
