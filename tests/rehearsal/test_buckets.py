"""Bucket policies are judged by their conditions, as S3 judges them."""

import json

import pytest
from botocore.exceptions import ClientError

NAME = "judged"
ALGORITHM, KEY = "s3:x-amz-server-side-encryption", "s3:x-amz-server-side-encryption-aws-kms-key-id"
LET = "let through"
RIGHT = "arn:aws:kms:us-east-2:123456789012:key/right"


def denied(**condition):
    """Returns a policy that denies uploads under conditions."""
    statement = {
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Action": "s3:PutObject",
        "Resource": f"arn:aws:s3:::{NAME}/*",
        **({"Condition": condition} if condition else {}),
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture
def upload(client):
    """Returns what uploads an object under a policy, and tells whether it was let through, or S3's answer."""
    s3 = client("s3")
    s3.create_bucket(Bucket=NAME, CreateBucketConfiguration={"LocationConstraint": "us-east-2"})

    def attempt(policy, **named):
        s3.put_bucket_policy(Bucket=NAME, Policy=policy)
        try:
            s3.put_object(Bucket=NAME, Key="one", Body=b"after", **named)
        except ClientError as error:
            return error.response["Error"]["Code"]
        return LET

    return attempt


class TestConditions:
    def test_none(self, upload):
        """What is denied without a condition is denied."""
        assert upload(denied()) == "403"

    @pytest.mark.parametrize(("secure", "passes"), [("false", LET), (False, LET), ("true", "403"), (True, "403")])
    def test_tls(self, upload, secure, passes):
        """Requests count as encrypted, however the policy spells it."""
        assert upload(denied(Bool={"aws:SecureTransport": secure})) == passes

    @pytest.mark.parametrize(
        ("named", "passes"),
        [
            ({}, LET),
            ({"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": RIGHT}, LET),
            ({"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": f"{RIGHT}-not"}, "403"),
        ],
    )
    def test_of_a_header(self, upload, named, passes):
        """All conditions of a statement have to be met by what the upload names."""
        policy = denied(StringNotEquals={KEY: [RIGHT]}, Null={KEY: "false"})

        assert upload(policy, **named) == passes

    @pytest.mark.parametrize(("named", "passes"), [({}, LET), ({"ServerSideEncryption": "AES256"}, "403")])
    def test_equal(self, upload, named, passes):
        """A header that is not there equals nothing."""
        assert upload(denied(StringEquals={ALGORITHM: "AES256"}), **named) == passes

    @pytest.mark.parametrize(
        "condition", [{"StringLike": {ALGORITHM: "x*"}}, {"StringEquals": {"aws:PrincipalArn": "somebody"}}]
    )
    def test_unknown(self, upload, condition):
        """What nobody here can judge keeps no statement from denying."""
        assert upload(denied(**condition)) == "403"
