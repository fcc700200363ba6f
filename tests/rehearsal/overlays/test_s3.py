"""What S3 refuses of callers of its API, and what it must take."""

import json

import pytest
from botocore.exceptions import ClientError

HERE = {"CreateBucketConfiguration": {"LocationConstraint": "us-east-2"}}
NAME = "training-data"


@pytest.fixture
def s3(client):
    made = client("s3")
    made.create_bucket(Bucket=NAME, **HERE)
    return made


def put_policy(s3, **members: object):
    """Puts a policy of one statement on the bucket."""
    statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:*", "Resource": f"arn:aws:s3:::{NAME}/*", **members}
    s3.put_bucket_policy(Bucket=NAME, Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))


def put_rule(s3, **members: object):
    """Puts one lifecycle rule on the bucket."""
    rule = {"ID": "one", "Status": "Enabled", "Filter": {"Prefix": "runs/"}, **members}
    s3.put_bucket_lifecycle_configuration(Bucket=NAME, LifecycleConfiguration={"Rules": [rule]})


class TestNames:
    @pytest.mark.parametrize("name", ["Training", "10.0.0.1", "a..b", "sthree-data", "data-s3alias"])
    def test_refused(self, client, name):
        """A name that no bucket may have is refused by the API itself."""
        with pytest.raises(ClientError, match="InvalidBucketName"):
            client("s3").create_bucket(Bucket=name, **HERE)

    def test_object_of_any_name(self, s3):
        """Objects have names of their own."""
        s3.put_object(Bucket=NAME, Key="Runs/..", Body=b"x")

        assert s3.get_object(Bucket=NAME, Key="Runs/..")["Body"].read() == b"x"


class TestPolicies:
    @pytest.mark.parametrize(
        "members",
        [
            {},
            {"Resource": "*"},
            {"Resource": "arn:aws:s3:::*"},
            {"Principal": {"AWS": "arn:aws:iam::111122223333:role/of-somebody"}},
            {"Principal": {"AWS": "arn:aws:iam::123456789012:root"}},
            {"Principal": {"Service": "logging.s3.amazonaws.com"}},
        ],
        ids=str,
    )
    def test_taken(self, s3, members):
        """Patterns may be of the bucket; a role in somebody's account may be there."""
        put_policy(s3, **members)

        assert s3.get_bucket_policy(Bucket=NAME)["Policy"]

    def test_public_with_a_condition(self, s3):
        """A bucket that keeps the public out takes a policy for everybody who meets a condition."""
        s3.put_public_access_block(Bucket=NAME, PublicAccessBlockConfiguration={"BlockPublicPolicy": True})
        put_policy(s3, Condition={"StringEquals": {"aws:PrincipalOrgID": "o-1"}})

        with pytest.raises(ClientError, match=r"AccessDenied.*blocked by the BlockPublicPolicy"):
            put_policy(s3)

    def test_role_that_is_not_there(self, s3):
        """In the account that is made up a role that nobody has made is none."""
        with pytest.raises(ClientError, match=r"MalformedPolicy.*Invalid principal in policy"):
            put_policy(s3, Principal={"AWS": "arn:aws:iam::123456789012:role/nobody"})


class TestLifecycle:
    def test_taken(self, s3):
        """Days in order are taken; no object has to be thirty days old before it moves to an infrequent class."""
        moves = [{"StorageClass": "STANDARD_IA", "Days": 5}, {"StorageClass": "GLACIER", "Days": 35}]
        put_rule(s3, Transitions=moves, Expiration={"Days": 36})

        (rule,) = s3.get_bucket_lifecycle_configuration(Bucket=NAME)["Rules"]
        assert rule["Expiration"]["Days"] == 36

    def test_refused(self, s3):
        """The filter's prefix is in S3's words."""
        with pytest.raises(ClientError, match=r"InvalidArgument.*\(prefix=runs/\)' must be greater than"):
            put_rule(s3, Transitions=[{"StorageClass": "GLACIER", "Days": 35}], Expiration={"Days": 35})
