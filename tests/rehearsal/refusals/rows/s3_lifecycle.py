"""What S3 refuses of a bucket's lifecycle rules."""

from typing import Any

from tests.rehearsal.refusals.harness import Resources, Row
from tests.rehearsal.refusals.rows.s3 import MEASURED, bucket

_TAG, _OLD = {"Key": "kind", "Value": "run"}, {"StorageClass": "GLACIER", "TransitionInDays": 3}


def rules(*given: dict[str, Any]) -> Resources:
    """A bucket with lifecycle rules, which are all in force."""
    return bucket(LifecycleConfiguration={"Rules": [{"Status": "Enabled", **one} for one in given]})


def moves(*given: tuple[str, int], **members: Any) -> dict[str, Any]:
    """A rule that moves objects to classes, each after some days."""
    return {"Transitions": [{"StorageClass": name, "TransitionInDays": days} for name, days in given], **members}


def refused_rules(
    name: str,
    good: Resources,
    bad: Resources,
    words: str,
    source: str,
    *,
    code: str = "InvalidArgument",
    uncounted: str = "",
) -> Row:
    """Gives a row of a bucket's lifecycle rules."""
    return Row(
        name=f"bucket-{name}",
        good=good,
        bad=bad,
        refused="Bucket",
        code=code,
        words=words,
        source=source,
        uncounted=uncounted,
    )


ROWS = (
    refused_rules(
        "archived-too-early",
        rules(moves(("STANDARD_IA", 30), ("GLACIER", 60))),
        rules(moves(("STANDARD_IA", 30), ("GLACIER", 45))),
        "'Days' in the 'Transition' action for StorageClass 'GLACIER' must be 30 days more than the 'Transition'",
        f"{MEASURED}lifecycle-days-order",
    ),
    refused_rules(
        "expired-before-it-moves",
        rules(moves(("GLACIER", 60), ExpirationInDays=90)),
        rules(moves(("GLACIER", 60), ExpirationInDays=30)),
        "'Days' in the Expiration action for filter '(prefix=)' must be greater than 'Days' in the Transition action",
        f"{MEASURED}lifecycle-days-order",
    ),
    refused_rules(
        "two-rules-of-one-name",
        rules({"Id": "a", "ExpirationInDays": 3}, {"Id": "b", "ExpirationInDays": 4, "Prefix": "b/"}),
        rules({"Id": "a", "ExpirationInDays": 3}, {"Id": "a", "ExpirationInDays": 4, "Prefix": "b/"}),
        "Rule ID must be unique. Found same ID for more than one rule",
        f"{MEASURED}lifecycle-rule-id-duplicate",
    ),
    refused_rules(
        "moved-twice-alike",
        rules(moves(("GLACIER", 3))),
        rules(moves(("GLACIER", 3), ("GLACIER", 9))),
        "'StorageClass' must be different for 'Transition' actions in same 'Rule' with filter '(prefix=)'",
        f"{MEASURED}lifecycle-transition-storage-class-duplicate, whose code is not told",
        code="InvalidRequest",
    ),
    refused_rules(
        "moved-by-days-and-expired-by-date",
        rules(moves(("GLACIER", 3), ExpirationInDays=9)),
        rules(moves(("GLACIER", 3), ExpirationDate="2028-01-01T00:00:00Z")),
        "Found mixed 'Date' and 'Days' based Expiration and Transition actions in lifecycle rule",
        f"{MEASURED}lifecycle-date-days-mix, whose code is not told",
        code="InvalidRequest",
    ),
    refused_rules(
        "expired-at-noon",
        rules({"ExpirationDate": "2028-01-01T00:00:00Z"}),
        rules({"ExpirationDate": "2028-01-01T12:00:00Z"}),
        "'Date' must be at midnight GMT",
        f"{MEASURED}lifecycle-date-midnight-utc; noobaa/noobaa-core issue 8870",
    ),
    refused_rules(
        "aborted-by-tags",
        rules({"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}}),
        rules({"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}, "TagFilters": [_TAG]}),
        "AbortIncompleteMultipartUpload cannot be specified with Tags.",
        f"{MEASURED}lifecycle-abort-mpu-with-tag-filter; noobaa/noobaa-core issue 8870",
        code="InvalidRequest",
    ),
    refused_rules(
        "expired-by-a-tag-twice",
        rules({"ExpirationInDays": 1, "TagFilters": [_TAG, {"Key": "other", "Value": "x"}]}),
        rules({"ExpirationInDays": 1, "TagFilters": [_TAG, {**_TAG, "Value": "x"}]}),
        "Duplicate Tag Keys are not allowed.",
        f"{MEASURED}lifecycle-tag-key-duplicate; localstack/localstack, test_put_bucket_lifecycle_conf_exc",
        code="InvalidRequest",
    ),
    refused_rules(
        "expired-by-sizes-of-nothing",
        rules({"ExpirationInDays": 1, "ObjectSizeGreaterThan": "5", "ObjectSizeLessThan": "6"}),
        rules({"ExpirationInDays": 1, "ObjectSizeGreaterThan": "6", "ObjectSizeLessThan": "6"}),
        "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.",
        f"{MEASURED}lifecycle-object-size-order, whose code is not told",
        code="InvalidRequest",
    ),
    refused_rules(
        "of-markers-and-days",
        rules({"ExpiredObjectDeleteMarker": True}),
        rules({"ExpiredObjectDeleteMarker": True, "ExpirationInDays": 1}),
        "The XML you provided was not well-formed or did not validate against our published schema",
        f"{MEASURED}lifecycle-delete-marker-exclusive; localstack/localstack, test_put_bucket_lifecycle_conf_exc",
        code="MalformedXML",
        uncounted="moto refuses it too",
    ),
    refused_rules(
        "of-old-versions-out-of-order",
        rules({"NoncurrentVersionExpirationInDays": 9, "NoncurrentVersionTransitions": [_OLD]}),
        rules({"NoncurrentVersionExpirationInDays": 3, "NoncurrentVersionTransitions": [_OLD]}),
        "'NoncurrentDays' in the NoncurrentVersionExpiration action must be greater than 'NoncurrentDays' in the",
        "go-to-k/cdkd pull request 1426",
    ),
)
