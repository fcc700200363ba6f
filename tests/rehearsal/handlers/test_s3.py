"""Buckets and their policies."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError

ENCRYPTION = {
    "ServerSideEncryptionConfiguration": [
        {
            "BucketKeyEnabled": "true",
            "ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "arn:key"},
        }
    ]
}
BLOCKS = dict.fromkeys(("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), "true")


class TestBucket:
    def test_every_setting_is_passed_on(self, client, make):
        """Encryption, versioning, blocks, ownership and tags of the template stand on the bucket."""
        bucket = make(
            "AWS::S3::Bucket",
            BucketName="training-data",
            AccessControl="Private",
            BucketEncryption=ENCRYPTION,
            VersioningConfiguration={"Status": "Enabled"},
            PublicAccessBlockConfiguration=BLOCKS,
            OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            Tags=[{"Key": "a", "Value": "b"}],
        )
        s3, name = client("s3"), {"Bucket": bucket.physical_id}

        (rule,) = s3.get_bucket_encryption(**name)["ServerSideEncryptionConfiguration"]["Rules"]
        assert rule["BucketKeyEnabled"] is True
        assert rule["ApplyServerSideEncryptionByDefault"]["KMSMasterKeyID"] == "arn:key"
        assert s3.get_bucket_versioning(**name)["Status"] == "Enabled"
        assert all(s3.get_public_access_block(**name)["PublicAccessBlockConfiguration"].values())
        assert s3.get_bucket_tagging(**name)["TagSet"] == [{"Key": "team", "Value": "ml"}, {"Key": "a", "Value": "b"}]
        assert bucket.attributes["Arn"] == "arn:aws:s3:::training-data"

    def test_lifecycle_in_the_api_form(self, client, make):
        """Lifecycle rules are spelled as S3's API spells them."""
        rules = [
            {"Id": "abort", "Status": "Enabled", "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}},
            {"Id": "old", "Status": "Enabled", "NoncurrentVersionExpiration": {"NoncurrentDays": "30"}},
            {"Id": "tmp", "Status": "Enabled", "Prefix": "tmp/", "ExpirationInDays": 3},
            {"Id": "cold", "Status": "Enabled", "Transitions": [{"StorageClass": "GLACIER", "TransitionInDays": 9}]},
        ]
        bucket = make("AWS::S3::Bucket", LifecycleConfiguration={"Rules": rules})

        found = client("s3").get_bucket_lifecycle_configuration(Bucket=bucket.physical_id)["Rules"]
        abort, old, tmp, cold = found
        assert abort["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
        assert old["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}
        assert (tmp["Filter"], tmp["Expiration"]) == ({"Prefix": "tmp/"}, {"Days": 3})
        assert cold["Transitions"] == [{"Days": 9, "StorageClass": "GLACIER"}]

    @pytest.mark.parametrize(
        ("properties", "path"),
        [
            ({"WebsiteConfiguration": {}}, "WebsiteConfiguration"),
            ({"LifecycleConfiguration": {"Rules": [{"Bogus": 1}]}}, r"LifecycleConfiguration\.Rules\.Bogus"),
        ],
    )
    def test_unknown_property(self, make, properties, path):
        """What can't be passed on is refused by name."""
        with pytest.raises(ResourceError, match=f"unsupported property {path}"):
            make("AWS::S3::Bucket", **properties)

    def test_generated_name_is_lower_case_and_new_each_time(self, make):
        """A bucket without a name gets one of its stack and logical id; a replacement gets another."""
        first = make("AWS::S3::Bucket", "DataBucket")
        second = make("AWS::S3::Bucket", "DataBucket")

        assert first.physical_id.startswith("demo-databucket-")
        assert first.physical_id != second.physical_id

    def test_removed_setting(self, client, make, change):
        """A setting that the template no longer gives is taken away."""
        bucket = make("AWS::S3::Bucket", PublicAccessBlockConfiguration=BLOCKS)

        change(bucket, PublicAccessBlockConfiguration=None)

        with pytest.raises(ClientError, match="NoSuchPublicAccessBlockConfiguration"):
            client("s3").get_public_access_block(Bucket=bucket.physical_id)

    def test_with_objects_it_stays(self, client, make, drop):
        """A bucket that is not empty is not deleted."""
        bucket = make("AWS::S3::Bucket")
        client("s3").put_object(Bucket=bucket.physical_id, Key="k", Body=b"x")

        with pytest.raises(ClientError, match="BucketNotEmpty"):
            drop(bucket)

    def test_gone_already(self, client, make, drop):
        """Deleting what is gone is no error."""
        bucket = make("AWS::S3::Bucket")
        drop(bucket)
        drop(bucket)

        assert client("s3").list_buckets()["Buckets"] == []


def test_bucket_policy(client, make, drop):
    """The policy stands on the bucket, which is what Ref gives, and goes when it is deleted."""
    bucket = make("AWS::S3::Bucket", BucketName="training-data")
    statement = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::training-data"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    policy = make("AWS::S3::BucketPolicy", Bucket=bucket.physical_id, PolicyDocument=document)

    assert policy.physical_id == "training-data"
    assert "Deny" in client("s3").get_bucket_policy(Bucket="training-data")["Policy"]
    drop(policy)
    with pytest.raises(ClientError, match="NoSuchBucketPolicy"):
        client("s3").get_bucket_policy(Bucket="training-data")
