"""What S3 refuses of buckets, their policies and their lifecycle rules."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row, ref, resource

_MEASURED = "badmintoncryer/cdk-preflight, rules/s3, pf-s3-"
_NAME = "training-data-of-refusals"
_ROLE = "arn:aws:iam::123456789012:role/nobody"


def bucket(**properties: Any) -> Resources:
    """A bucket."""
    return {"Bucket": resource("AWS::S3::Bucket", **properties)}


def rules(*given: dict[str, Any]) -> Resources:
    """A bucket with lifecycle rules, which are all in force."""
    return bucket(LifecycleConfiguration={"Rules": [{"Status": "Enabled", **one} for one in given]})


def policy(block: dict[str, Any] | None = None, **members: Any) -> Resources:
    """A bucket with a policy of one statement."""
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": f"arn:aws:s3:::{_NAME}/*",
        **members,
    }
    kept = {name: part for name, part in statement.items() if part is not None}
    document = {"Version": "2012-10-17", "Statement": [kept]}
    return {
        **bucket(BucketName=_NAME, PublicAccessBlockConfiguration=block),
        "Policy": resource("AWS::S3::BucketPolicy", Bucket=ref("Bucket"), PolicyDocument=document),
    }


def moves(*given: tuple[str, int], **members: Any) -> dict[str, Any]:
    """A rule that moves objects to classes, each after some days."""
    return {"Transitions": [{"StorageClass": name, "TransitionInDays": days} for name, days in given], **members}


def refused_rules(name: str, good: Resources, bad: Resources, words: str, source: str) -> Row:
    """Gives a row of a bucket's lifecycle rules."""
    return Row(
        name=f"bucket-{name}", good=good, bad=bad, refused="Bucket", code="InvalidArgument", words=words, source=source
    )


def refused_policy(
    name: str, words: str, source: str, *, code: str = "MalformedPolicy", block: Any = None, **mistake: Any
) -> Row:
    """Gives a row of a bucket's policy."""
    good, bad = policy(block), policy(block, **mistake)
    return Row(
        name=f"bucket-policy-{name}", good=good, bad=bad, refused="Policy", code=code, words=words, source=source
    )


def refused_name(name: str, given: str) -> Row:
    """Gives a row of a bucket's name, which its schema lets pass."""
    return Row(
        name=f"bucket-name-{name}",
        good=bucket(BucketName=_NAME),
        bad=bucket(BucketName=given),
        refused="Bucket",
        code="InvalidBucketName",
        words="The specified bucket is not valid.",
        source=f"S3 user guide, General purpose bucket naming rules; {_MEASURED}bucket-name-{name}",
    )


ROWS = (
    refused_rules(
        "archived-too-early",
        rules(moves(("STANDARD_IA", 30), ("GLACIER", 60))),
        rules(moves(("STANDARD_IA", 30), ("GLACIER", 45))),
        "'Days' in the 'Transition' action for StorageClass 'GLACIER' must be 30 days more than the 'Transition'",
        f"{_MEASURED}lifecycle-days-order",
    ),
    refused_rules(
        "expired-before-it-moves",
        rules(moves(("GLACIER", 60), ExpirationInDays=90)),
        rules(moves(("GLACIER", 60), ExpirationInDays=30)),
        "'Days' in the Expiration action for filter '(prefix=)' must be greater than 'Days' in the Transition action",
        f"{_MEASURED}lifecycle-days-order",
    ),
    refused_rules(
        "two-rules-of-one-name",
        rules({"Id": "a", "ExpirationInDays": 3}, {"Id": "b", "ExpirationInDays": 4, "Prefix": "b/"}),
        rules({"Id": "a", "ExpirationInDays": 3}, {"Id": "a", "ExpirationInDays": 4, "Prefix": "b/"}),
        "Rule ID must be unique. Found same ID for more than one rule",
        f"{_MEASURED}lifecycle-rule-id-duplicate",
    ),
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
        f"{_MEASURED}bucket-policy-principal",
        Principal=None,
    ),
    refused_policy(
        "for-everybody",
        "because public policies are blocked by the BlockPublicPolicy block public access setting.",
        f"S3 user guide, Blocking public access to your Amazon S3 storage; {_MEASURED}policy-public-with-block-public-"
        "policy",
        code="AccessDenied",
        block={"BlockPublicPolicy": True},
        Effect="Allow",
    ),
    refused_name("ip-address", "192.168.0.1"),
    refused_name("reserved-prefix", "sthree-training-data"),
    refused_name("reserved-suffix", "training-data-s3alias"),
)
