"""Buckets and their policies."""

import pytest
from botocore.exceptions import ClientError

from rehearsal.handlers.base import ResourceError
from rehearsal.handlers.s3_copies import check_copies
from rehearsal.handlers.s3_names import bucket_attributes
from rehearsal.handlers.s3_notifications import notifications

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
            ({"AnalyticsConfigurations": []}, "AnalyticsConfigurations"),
            (
                {"LifecycleConfiguration": {"Rules": [{"Bogus": 1, "ExpirationInDays": 1}]}},
                r"LifecycleConfiguration\.Rules\.Bogus",
            ),
            ({"NotificationConfiguration": {"Bogus": []}}, r"NotificationConfiguration\.Bogus"),
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

    def test_older_spellings(self, client, make):
        """A rule may still say one move alone, and how big an object must be to be moved is said beside the rules."""
        rule = {
            "Status": "Enabled",
            "Transition": {"StorageClass": "GLACIER", "TransitionInDays": 9},
            "NoncurrentVersionTransition": {"StorageClass": "GLACIER", "TransitionInDays": 3},
            "NoncurrentVersionExpirationInDays": 5,
        }
        configuration = {"Rules": [rule], "TransitionDefaultMinimumObjectSize": "varies_by_storage_class"}
        bucket = make("AWS::S3::Bucket", LifecycleConfiguration=configuration)

        (found,) = client("s3").get_bucket_lifecycle_configuration(Bucket=bucket.physical_id)["Rules"]
        assert found["Transitions"] == [{"Days": 9, "StorageClass": "GLACIER"}]
        assert found["NoncurrentVersionTransitions"] == [{"NoncurrentDays": 3, "StorageClass": "GLACIER"}]

    @pytest.mark.parametrize(
        ("rule", "words"),
        [
            ({"Prefix": "a/"}, r"At least one of \[ExpirationDate,.*\] needs to be specified"),
            (
                {"Transition": {"StorageClass": "GLACIER"}, "Transitions": [{"StorageClass": "GLACIER"}]},
                "Both Transition and Transitions cannot be specified",
            ),
        ],
    )
    def test_rules_that_say_nothing_or_all(self, make, rule, words):
        """CloudFormation refuses a rule that does nothing, or that says the same in two ways."""
        with pytest.raises(ResourceError, match=words):
            make("AWS::S3::Bucket", LifecycleConfiguration={"Rules": [{"Status": "Enabled", **rule}]})

    def test_logs_go_into_the_bucket_itself(self, client, make):
        """A bucket whose template names no other keeps its access logs."""
        bucket = make("AWS::S3::Bucket", LoggingConfiguration={"LogFilePrefix": "logs/"})

        found = client("s3").get_bucket_logging(Bucket=bucket.physical_id)["LoggingEnabled"]
        assert (found["TargetBucket"], found["TargetPrefix"]) == (bucket.physical_id, "logs/")


class TestNames:
    @pytest.mark.parametrize(
        ("partition", "region", "website", "suffix"),
        [
            ("aws", "us-east-1", "s3-website-us-east-1.amazonaws.com", "amazonaws.com"),
            ("aws", "us-west-2", "s3-website-us-west-2.amazonaws.com", "amazonaws.com"),
            ("aws", "us-east-2", "s3-website.us-east-2.amazonaws.com", "amazonaws.com"),
            ("aws", "ap-southeast-6", "s3-website.ap-southeast-6.amazonaws.com", "amazonaws.com"),
            ("aws-us-gov", "us-gov-west-1", "s3-website-us-gov-west-1.amazonaws.com", "amazonaws.com"),
            ("aws-cn", "cn-north-1", "s3-website.cn-north-1.amazonaws.com.cn", "amazonaws.com.cn"),
            ("aws-eusc", "eusc-de-east-1", "s3-website.eusc-de-east-1.amazonaws.eu", "amazonaws.eu"),
        ],
    )
    def test_of_each_region(self, partition, region, website, suffix):
        """The older regions' websites have a dash, the others a dot; partitions have names of their own."""
        found = bucket_attributes("b", partition=partition, region=region)

        assert found == {
            "Arn": f"arn:{partition}:s3:::b",
            "DomainName": f"b.s3.{suffix}",
            "RegionalDomainName": f"b.s3.{region}.{suffix}",
            "DualStackDomainName": f"b.s3.dualstack.{region}.{suffix}",
            "WebsiteURL": f"http://b.{website}",
        }

    def test_of_a_bucket(self, make):
        """A bucket has them all, a website or not."""
        bucket = make("AWS::S3::Bucket", BucketName="training-data")

        assert bucket.attributes["WebsiteURL"] == "http://training-data.s3-website.us-east-2.amazonaws.com"


class TestAccess:
    OWNED = {"Rules": [{"ObjectOwnership": "ObjectWriter"}]}
    ENFORCED = {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}

    @staticmethod
    def granted(client, bucket):
        grants = client("s3").get_bucket_acl(Bucket=bucket.physical_id)["Grants"]
        return [grant["Grantee"]["URI"].rpartition("/")[2] for grant in grants if "URI" in grant["Grantee"]]

    def test_list_with_its_owner(self, client, make):
        """A list comes with the ownership that allows it."""
        bucket = make("AWS::S3::Bucket", AccessControl="LogDeliveryWrite", OwnershipControls=self.OWNED)

        assert "LogDelivery" in self.granted(client, bucket)

    def test_public_list(self, client, make):
        """A public list is put when what blocks it has been said."""
        properties = {"AccessControl": "PublicRead", "OwnershipControls": self.OWNED}
        with pytest.raises(ClientError, match="InvalidBucketAclWithBlockPublicAccessError"):
            make("AWS::S3::Bucket", **properties)
        bucket = make("AWS::S3::Bucket", PublicAccessBlockConfiguration={"BlockPublicAcls": False}, **properties)

        assert self.granted(client, bucket) == ["AllUsers"]

    def test_list_goes_before_the_ownership(self, client, make, change):
        """An update that takes the list away may switch lists off."""
        bucket = make("AWS::S3::Bucket", AccessControl="LogDeliveryWrite", OwnershipControls=self.OWNED)
        change(bucket, AccessControl=None, OwnershipControls=self.ENFORCED)

        assert self.granted(client, bucket) == []

    def test_private(self, client, make, change):
        """A private list says what a bucket without lists is anyway."""
        bucket = make("AWS::S3::Bucket", AccessControl="Private")
        change(bucket, AccessControl=None)
        change(bucket, AccessControl="Private")

        assert self.granted(client, bucket) == []

    def test_list_later(self, make, change):
        """A list that is put on a bucket without lists is refused."""
        bucket = make("AWS::S3::Bucket")
        with pytest.raises(ClientError, match="AccessControlListNotSupported"):
            change(bucket, AccessControl="LogDeliveryWrite")


class TestWebsite:
    def test_documents_and_rules(self, client, make, change):
        """Documents and rules are spelled as S3's API spells them, and go again."""
        rule = {
            "RedirectRule": {"HostName": "example.com", "ReplaceKeyWith": "a"},
            "RoutingRuleCondition": {"KeyPrefixEquals": "old/"},
        }
        documents = {"IndexDocument": "index.html", "ErrorDocument": "error.html"}
        bucket = make("AWS::S3::Bucket", WebsiteConfiguration={**documents, "RoutingRules": [rule]})
        found = client("s3").get_bucket_website(Bucket=bucket.physical_id)

        assert found["IndexDocument"] == {"Suffix": "index.html"}
        assert found["ErrorDocument"] == {"Key": "error.html"}
        assert found["RoutingRules"][0]["Condition"] == {"KeyPrefixEquals": "old/"}
        change(bucket, WebsiteConfiguration=None)
        with pytest.raises(ClientError, match="NoSuchWebsiteConfiguration"):
            client("s3").get_bucket_website(Bucket=bucket.physical_id)

    def test_everything_elsewhere(self, client, make):
        """A bucket may send all its visitors elsewhere."""
        bucket = make("AWS::S3::Bucket", WebsiteConfiguration={"RedirectAllRequestsTo": {"HostName": "example.com"}})

        found = client("s3").get_bucket_website(Bucket=bucket.physical_id)
        assert found["RedirectAllRequestsTo"] == {"HostName": "example.com"}

    @pytest.mark.parametrize(
        ("configuration", "words"),
        [
            (
                {"RedirectAllRequestsTo": {"HostName": "a"}, "IndexDocument": "b"},
                "should not be specified if RedirectAllRequestsTo is specified",
            ),
            ({"RoutingRules": [{"RedirectRule": {"HostName": "a"}}]}, "Property IndexDocument cannot be empty"),
            (
                {
                    "IndexDocument": "a",
                    "RoutingRules": [{"RedirectRule": {"ReplaceKeyWith": "a", "ReplaceKeyPrefixWith": "b"}}],
                },
                "Both ReplaceKeyWith and ReplaceKeyPrefixWith cannot be specified",
            ),
        ],
    )
    def test_refused(self, make, configuration, words):
        """CloudFormation refuses what does not go together."""
        with pytest.raises(ResourceError, match=words):
            make("AWS::S3::Bucket", WebsiteConfiguration=configuration)


class TestNotifications:
    def test_topic(self, client, make):
        """A topic that lets S3 in is told of events under a prefix."""
        topic = make("AWS::SNS::Topic", "Topic").physical_id
        allow = {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sns:Publish"}
        document = {"Version": "2012-10-17", "Statement": [{**allow, "Resource": topic}]}
        make("AWS::SNS::TopicPolicy", "Policy", Topics=[topic], PolicyDocument=document)
        told = {
            "Event": "s3:ObjectCreated:*",
            "Topic": topic,
            "Filter": {"S3Key": {"Rules": [{"Name": "prefix", "Value": "runs/"}]}},
        }
        bucket = make("AWS::S3::Bucket", NotificationConfiguration={"TopicConfigurations": [told]})

        (found,) = client("s3").get_bucket_notification_configuration(Bucket=bucket.physical_id)["TopicConfigurations"]
        assert (found["TopicArn"], found["Events"]) == (topic, ["s3:ObjectCreated:*"])
        assert found["Filter"]["Key"]["FilterRules"][0]["Value"] == "runs/"

    @pytest.mark.parametrize("enabled", [{}, {"EventBridgeEnabled": "true"}])
    def test_event_bridge(self, enabled):
        """EventBridge is told of everything, unless the template says otherwise."""
        assert notifications({"EventBridgeConfiguration": enabled}) == {"EventBridgeConfiguration": {}}
        assert notifications({"EventBridgeConfiguration": {"EventBridgeEnabled": False}}) == {}


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

    def test_metrics_alone(self, client, replicated, change):
        """Metrics need no Replication Time Control."""
        bucket = replicated(VERSIONED)
        whole = bucket.properties["ReplicationConfiguration"]
        rule = whole["Rules"][0]
        metered = {**rule, "Destination": {**rule["Destination"], "Metrics": {"Status": "Enabled"}}}
        change(bucket, ReplicationConfiguration={**whole, "Rules": [metered]})

        found = client("s3").get_bucket_replication(Bucket=bucket.physical_id)["ReplicationConfiguration"]
        assert found["Rules"][0]["Destination"]["Metrics"] == {"Status": "Enabled"}

    def test_rule_goes(self, client, replicated, change):
        """A rule that the template no longer gives is taken away."""
        bucket = replicated(VERSIONED)
        change(bucket, ReplicationConfiguration=None)

        with pytest.raises(ClientError, match="ReplicationConfigurationNotFound"):
            client("s3").get_bucket_replication(Bucket=bucket.physical_id)

    @pytest.mark.parametrize(
        ("members", "words"),
        [
            ({"Priority": None}, "Priority must be specified"),
            (
                {
                    "Filter": {"TagFilter": {"Key": "a", "Value": "b"}},
                    "DeleteMarkerReplication": {"Status": "Enabled"},
                },
                "Delete marker replication is not supported if any Tag filter",
            ),
            ({"Destination": {"Bucket": "arn:aws:s3:::copies"}}, "ReplicaKmsKeyID must be specified"),
            ({"Destination": {"Bucket": "copies"}, "SourceSelectionCriteria": None}, "Invalid bucket ARN"),
            (
                {
                    "Destination": {
                        "Bucket": "arn:aws:s3:::copies",
                        "ReplicationTime": {"Status": "Enabled", "Time": {"Minutes": 15}},
                    },
                    "SourceSelectionCriteria": None,
                },
                "both ReplicationTime and Metrics or neither",
            ),
        ],
        ids=str,
    )
    def test_rules(self, make, replicated, members, words):
        """S3 takes no rule whose parts don't go together."""
        whole = replicated(VERSIONED).properties["ReplicationConfiguration"]
        changed = {**whole["Rules"][0], **members}
        rule = {name: value for name, value in changed.items() if value is not None}
        with pytest.raises(ResourceError, match=words):
            make("AWS::S3::Bucket", ReplicationConfiguration={**whole, "Rules": [rule]}, **VERSIONED)
        with pytest.raises(ResourceError, match=r"Found duplicate priority 1\."):
            make("AWS::S3::Bucket", ReplicationConfiguration={**whole, "Rules": whole["Rules"] * 2}, **VERSIONED)

    def test_versions_that_go(self, replicated, change):
        """A bucket that is copied can't stop keeping versions."""
        bucket = replicated(VERSIONED)
        with pytest.raises(ResourceError, match="VersioningConfiguration Status must be 'Enabled'"):
            change(bucket, VersioningConfiguration=None)

    @pytest.mark.parametrize(
        ("copies", "properties", "message"),
        [
            (None, {}, "must exist"),
            ({}, {}, "must have versioning enabled"),
            (VERSIONED, {"VersioningConfiguration": {"Status": "Suspended"}}, "VersioningConfiguration Status must be"),
            (VERSIONED, LOCKED, "must have Object Lock enabled"),
        ],
    )
    def test_refused(self, replicated, copies, properties, message):
        """S3 takes no rule that could not be followed."""
        with pytest.raises(ResourceError, match=message):
            replicated(copies, **properties)

    def test_told_as_it_is(self, replicated):
        """A look at the other bucket that is refused is told as it was, since the bucket may well be there."""

        class Denied:
            def get_bucket_versioning(self, **_: object):
                raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "GetBucketVersioning")

        with pytest.raises(ClientError, match="AccessDenied"):
            check_copies(Denied(), replicated(VERSIONED).properties, account="123456789012")

    def test_locked_to_locked(self, client, replicated):
        """A locked bucket is copied to a locked one, and the default lock stands."""
        bucket = replicated(LOCKED, **LOCKED)
        found = client("s3").get_object_lock_configuration(Bucket=bucket.physical_id)["ObjectLockConfiguration"]

        retention = found["Rule"]["DefaultRetention"]
        assert (retention["Mode"], retention["Days"]) == ("GOVERNANCE", 1)
