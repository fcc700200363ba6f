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

VERSIONED = {"VersioningConfiguration": {"Status": "Enabled"}}
LOCKED = {
    **VERSIONED,
    "ObjectLockEnabled": "true",
    "ObjectLockConfiguration": {
        "ObjectLockEnabled": "Enabled",
        "Rule": {"DefaultRetention": {"Mode": "GOVERNANCE", "Days": "1"}},
    },
}


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
        with pytest.raises(ResourceError, match=f"does not model property {path}"):
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


class TestCopies:
    @pytest.fixture
    def replicated(self, make):
        """Makes a bucket that is copied to another one, whose own settings are given."""

        def build(copies=None, **properties: object):
            if copies is not None:
                make("AWS::S3::Bucket", "Copies", BucketName="copies", **copies)
            rule = {
                "Id": "copy",
                "Status": "Enabled",
                "Priority": "1",
                "Filter": {"Prefix": ""},
                "DeleteMarkerReplication": {"Status": "Disabled"},
                "SourceSelectionCriteria": {"SseKmsEncryptedObjects": {"Status": "Enabled"}},
                "Destination": {
                    "Bucket": "arn:aws:s3:::copies",
                    "EncryptionConfiguration": {"ReplicaKmsKeyID": "arn:aws:kms:us-west-2:123456789012:key/1"},
                },
            }
            configuration = {"Role": "arn:aws:iam::123456789012:role/copy", "Rules": [rule]}
            return make("AWS::S3::Bucket", ReplicationConfiguration=configuration, **{**VERSIONED, **properties})

        return build

    def test_rule(self, client, replicated):
        """The rule stands on the bucket with role, destination and key."""
        bucket = replicated(VERSIONED)
        found = client("s3").get_bucket_replication(Bucket=bucket.physical_id)["ReplicationConfiguration"]

        assert found["Role"] == "arn:aws:iam::123456789012:role/copy"
        assert found["Rules"][0]["ID"] == "copy"
        assert found["Rules"][0]["Destination"]["Bucket"] == "arn:aws:s3:::copies"

    def test_rule_goes(self, client, replicated, change):
        """A rule that the template no longer gives is taken away."""
        bucket = replicated(VERSIONED)
        change(bucket, ReplicationConfiguration=None)

        with pytest.raises(ClientError, match="ReplicationConfigurationNotFound"):
            client("s3").get_bucket_replication(Bucket=bucket.physical_id)

    @pytest.mark.parametrize(
        ("copies", "properties", "message"),
        [
            (None, {}, "must exist"),
            ({}, {}, "must have versioning enabled"),
            (VERSIONED, {"VersioningConfiguration": {"Status": "Suspended"}}, "Versioning must be 'Enabled'"),
            (VERSIONED, LOCKED, "must have Object Lock enabled"),
        ],
    )
    def test_refused(self, replicated, copies, properties, message):
        """S3 takes no rule that could not be followed."""
        with pytest.raises(ResourceError, match=message):
            replicated(copies, **properties)

    def test_locked_to_locked(self, client, replicated):
        """A locked bucket is copied to a locked one, and the default lock stands."""
        bucket = replicated(LOCKED, **LOCKED)
        found = client("s3").get_object_lock_configuration(Bucket=bucket.physical_id)["ObjectLockConfiguration"]

        retention = found["Rule"]["DefaultRetention"]
        assert (retention["Mode"], retention["Days"]) == ("GOVERNANCE", 1)
