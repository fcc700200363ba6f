"""What S3 refuses of callers of its API, and what it must take."""

import json

import pytest
from botocore.exceptions import ClientError

from tests.rehearsal.assets import zipped

ACCOUNT, REGION = "123456789012", "us-east-2"
HERE = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}
NAME = "training-data"
OBJECTS = f"arn:aws:s3:::{NAME}/*"
WITHOUT = object()


@pytest.fixture
def s3(client):
    made = client("s3")
    made.create_bucket(Bucket=NAME, **HERE)
    return made


def policy(**members: object) -> str:
    """A policy of one statement, with other members of it; WITHOUT takes one away."""
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": ACCOUNT},
        "Action": "s3:GetObject",
        "Resource": OBJECTS,
        **members,
    }
    kept = {name: value for name, value in statement.items() if value is not WITHOUT}
    return json.dumps({"Version": "2012-10-17", "Statement": [kept]})


def put_policy(s3, **members: object):
    """Puts a policy of one statement on the bucket."""
    s3.put_bucket_policy(Bucket=NAME, Policy=policy(**members))


def put_rule(s3, **members: object):
    """Puts one lifecycle rule on the bucket."""
    rule = {"ID": "one", "Status": "Enabled", "Filter": {"Prefix": "runs/"}, **members}
    s3.put_bucket_lifecycle_configuration(Bucket=NAME, LifecycleConfiguration={"Rules": [rule]})


def own(s3, ownership="ObjectWriter", bucket=NAME):
    s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls={"Rules": [{"ObjectOwnership": ownership}]})


def block(s3, **members: bool):
    s3.put_public_access_block(Bucket=NAME, PublicAccessBlockConfiguration=members)


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


class TestNewBucket:
    def test_defaults(self, s3):
        """A new bucket has its access control lists switched off, and keeps the public out."""
        block = s3.get_public_access_block(Bucket=NAME)["PublicAccessBlockConfiguration"]
        (rule,) = s3.get_bucket_ownership_controls(Bucket=NAME)["OwnershipControls"]["Rules"]

        assert len(block) == 4
        assert all(block.values())
        assert rule == {"ObjectOwnership": "BucketOwnerEnforced"}

    def test_what_is_taken_away_stays_away(self, s3):
        """Neither comes back by itself."""
        s3.delete_public_access_block(Bucket=NAME)
        s3.delete_bucket_ownership_controls(Bucket=NAME)
        s3.put_object(Bucket=NAME, Key="a", Body=b"x")

        with pytest.raises(ClientError, match="NoSuchPublicAccessBlockConfiguration"):
            s3.get_public_access_block(Bucket=NAME)
        with pytest.raises(ClientError, match="OwnershipControlsNotFoundError"):
            s3.get_bucket_ownership_controls(Bucket=NAME)

    def test_another_owner_at_creation(self, s3):
        """The ownership that a creation asks for is what the bucket has."""
        s3.create_bucket(Bucket="logs-of-it", ObjectOwnership="ObjectWriter", ACL="log-delivery-write", **HERE)

        (rule,) = s3.get_bucket_ownership_controls(Bucket="logs-of-it")["OwnershipControls"]["Rules"]
        assert rule == {"ObjectOwnership": "ObjectWriter"}
        granted = [grant["Grantee"].get("URI", "") for grant in s3.get_bucket_acl(Bucket="logs-of-it")["Grants"]]
        assert any(uri.endswith("LogDelivery") for uri in granted)

    @pytest.mark.parametrize("acl", ["bucket-owner-read", "bucket-owner-full-control"])
    def test_lists_of_objects_at_creation(self, s3, acl):
        """A list that is meant for objects says nothing of a bucket."""
        s3.create_bucket(Bucket="kept-by-its-owner", ACL=acl, **HERE)

        assert len(s3.get_bucket_acl(Bucket="kept-by-its-owner")["Grants"]) == 1

    @pytest.mark.parametrize(
        ("asked", "code"),
        [
            ({"ACL": "log-delivery-write"}, "InvalidBucketAclWithObjectOwnership"),
            ({"ACL": "public-read"}, "InvalidBucketAclWithObjectOwnership"),
            ({"GrantRead": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'}, "InvalidBucketAclWithObjectOwner"),
            (
                {"ACL": "public-read", "ObjectOwnership": "ObjectWriter"},
                "InvalidBucketAclWithBlockPublicAccessError.*cannot have public ACLs",
            ),
            ({"ACL": "log-delivery-write", "ObjectOwnership": "BucketOwnerEnforced"}, "InvalidBucketAclWithObjectOwn"),
        ],
        ids=str,
    )
    def test_lists_at_creation(self, client, asked, code):
        """A list needs an owner that allows it, and can't be public yet; the bucket is not made."""
        with pytest.raises(ClientError, match=code):
            client("s3").create_bucket(Bucket=NAME, **asked, **HERE)

        assert client("s3").list_buckets()["Buckets"] == []


class TestLists:
    def test_switched_off(self, s3):
        """No list is taken where they are switched off."""
        with pytest.raises(ClientError, match=r"AccessControlListNotSupported.*does not allow ACLs"):
            s3.put_bucket_acl(Bucket=NAME, ACL="log-delivery-write")

    def test_public(self, s3):
        """A public list is taken when it is no longer blocked, and not before."""
        own(s3)
        s3.put_bucket_acl(Bucket=NAME, ACL="log-delivery-write")
        with pytest.raises(ClientError, match=r"AccessDenied.*prevented by the BlockPublicAcls setting"):
            s3.put_bucket_acl(Bucket=NAME, ACL="public-read")
        block(s3, BlockPublicAcls=False, BlockPublicPolicy=True)
        s3.put_bucket_acl(Bucket=NAME, ACL="public-read")

    def test_switched_off_again(self, s3):
        """Lists are switched off only when the bucket's own grants nothing to others."""
        own(s3)
        s3.put_bucket_acl(Bucket=NAME, ACL="log-delivery-write")
        with pytest.raises(ClientError, match="InvalidBucketAclWithObjectOwnership"):
            own(s3, "BucketOwnerEnforced")
        own(s3, "BucketOwnerPreferred")
        s3.put_bucket_acl(Bucket=NAME, ACL="private")
        own(s3, "BucketOwnerEnforced")


class TestPolicies:
    @pytest.mark.parametrize(
        "members",
        [
            {},
            {"Resource": "*"},
            {"Resource": "arn:aws:s3:::*"},
            {"Resource": f"arn:aws:s3:::{NAME}*"},
            {"Principal": {"AWS": "arn:aws:iam::111122223333:role/of-somebody"}},
            {"Principal": {"AWS": "arn:aws:iam::123456789012:root"}},
            {"Principal": {"AWS": "AROACKCEVSQ6C2EXAMPLE"}},
            {"Principal": {"Service": "logging.s3.amazonaws.com"}},
            {"Principal": {"CanonicalUser": "0" * 64}},
            {"Principal": {"AWS": "arn:aws:iam::cloudfront:user/CloudFront Origin Access Identity E2ABCDEF3GHIJK"}},
            {"Principal": WITHOUT, "NotPrincipal": {"AWS": ACCOUNT}, "Effect": "Deny"},
            {"Action": "s3:*", "Resource": f"arn:aws:s3:::{NAME}"},
            {"Action": "*", "Resource": OBJECTS},
            {"Action": ["s3:ListBucket", "s3:GetObject*"], "Resource": [OBJECTS, f"arn:aws:s3:::{NAME}"]},
            {"Action": ["s3:GetBucket*", "s3:List*"], "Resource": f"arn:aws:s3:::{NAME}"},
            {"Action": WITHOUT, "NotAction": "s3:GetObject"},
            {"Effect": "Deny", "Principal": "*", "Condition": {"Bool": {"aws:SecureTransport": False}}},
            {"Sid": "with a space"},
        ],
        ids=str,
    )
    def test_taken(self, s3, members):
        """Patterns may be of the bucket; a role in somebody's account may be there."""
        put_policy(s3, **members)

        assert s3.get_bucket_policy(Bucket=NAME)["Policy"] == policy(**members)

    @pytest.mark.parametrize(
        ("members", "words"),
        [
            ({"Effect": "allow"}, "Invalid effect: allow"),
            ({"Effect": WITHOUT}, "Missing required field Effect"),
            ({"Action": WITHOUT}, "Missing required field Action"),
            ({"Resource": WITHOUT}, "Missing required field Resource"),
            ({"Principal": WITHOUT}, "Missing required field Principal"),
            ({"Principals": "*"}, "Unknown field Principals"),
            ({"Action": "GetObject"}, "Policy has invalid action"),
            ({"Action": "ec2:RunInstances"}, "Policy has invalid action"),
            ({"Resource": "arn:aws:s3:::another/*"}, "Policy has invalid resource"),
            ({"Resource": NAME}, "Policy has invalid resource"),
            ({"Principal": {"AWS": "somebody"}}, "Invalid principal in policy"),
            ({"Principal": {"AWS": "arn:aws:iam::123456789012:role/nobody"}}, "Invalid principal in policy"),
            ({"Principal": {"Service": "s3.example.com"}}, "Invalid principal in policy"),
            ({"Resource": f"arn:aws:s3:::{NAME}"}, "Action does not apply to any resource"),
            ({"Action": ["s3:GetObject", "s3:ListBucket"]}, "Action does not apply to any resource"),
        ],
        ids=str,
    )
    def test_refused(self, s3, members, words):
        """What is of another grammar, or about something else, is refused in a sentence of its own."""
        with pytest.raises(ClientError, match=f"MalformedPolicy.*{words}"):
            put_policy(s3, **members)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "Policies must be valid JSON"),
            ("[]", "Policies must be valid JSON"),
            ("{}", "Missing required field Statement"),
            ('{"Statement": []}', "Statement is empty!"),
            (policy().replace("2012-10-17", "2012-10-18"), "must contain a valid version string"),
            (policy().replace('"Version"', '"version"'), "Unknown field version"),
        ],
    )
    def test_documents(self, s3, text, words):
        """A document that is no policy is refused."""
        with pytest.raises(ClientError, match=f"MalformedPolicy.*{words}"):
            s3.put_bucket_policy(Bucket=NAME, Policy=text)

    def test_without_a_version(self, s3):
        """A policy without a version is of the older one."""
        read = json.loads(policy())
        s3.put_bucket_policy(Bucket=NAME, Policy=json.dumps({"Statement": read["Statement"]}))


class TestPublicPolicies:
    @pytest.mark.parametrize(
        "condition",
        [
            {"StringEquals": {"aws:PrincipalOrgID": "o-1"}},
            {"StringEquals": {"aws:SourceVpce": ["vpce-1", "vpce-2"]}},
            {"IpAddress": {"aws:SourceIp": ["203.0.113.0/24", "10.0.0.0/8"]}},
            {"ArnLike": {"aws:SourceArn": f"arn:aws:cloudtrail:*:{ACCOUNT}:trail/*"}},
            {"ForAnyValue:StringEquals": {"AWS:SourceAccount": ACCOUNT}},
        ],
        ids=str,
    )
    def test_limited(self, s3, condition):
        """A policy for everybody who meets a condition on something fixed lets in no public."""
        put_policy(s3, Principal="*", Condition=condition)

    @pytest.mark.parametrize(
        "members",
        [
            {"Principal": "*"},
            {"Principal": {"AWS": ["*"]}},
            {"Principal": {"Federated": "graph.facebook.com"}},
            {"Principal": WITHOUT, "NotPrincipal": {"AWS": ACCOUNT}},
            {"Principal": "*", "Condition": {"Bool": {"aws:SecureTransport": True}}},
            {"Principal": "*", "Condition": {"StringLike": {"aws:SourceVpc": "vpc-*"}}},
            {"Principal": "*", "Condition": {"StringEqualsIfExists": {"aws:SourceVpc": "vpc-1"}}},
            {"Principal": "*", "Condition": {"StringNotEquals": {"aws:SourceVpc": "vpc-1"}}},
            {"Principal": "*", "Condition": {"IpAddress": {"aws:SourceIp": "0.0.0.0/1"}}},
            {"Principal": "*", "Condition": {"StringEquals": {"aws:PrincipalAccount": "${aws:SourceAccount}"}}},
        ],
        ids=str,
    )
    def test_public(self, s3, members):
        """Any other is public: a new bucket refuses it, and takes it when it no longer blocks such."""
        with pytest.raises(ClientError, match=r"AccessDenied.*prevented by the BlockPublicPolicy setting"):
            put_policy(s3, **members)
        block(s3, BlockPublicAcls=True)
        put_policy(s3, **members)


class TestLogging:
    @pytest.fixture
    def target(self, s3):
        s3.create_bucket(Bucket="access-logs", **HERE)
        return "access-logs"

    @staticmethod
    def log(s3, target, bucket=NAME):
        enabled = {"TargetBucket": target, "TargetPrefix": "of/"}
        s3.put_bucket_logging(Bucket=bucket, BucketLoggingStatus={"LoggingEnabled": enabled})

    def test_target_that_grants_nothing(self, s3, target):
        """S3 does not ask whether the logs can be written: the policy that lets it may come later."""
        self.log(s3, target)

        assert s3.get_bucket_logging(Bucket=NAME)["LoggingEnabled"]["TargetBucket"] == target
        s3.put_bucket_logging(Bucket=NAME, BucketLoggingStatus={})
        assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=NAME)

    def test_into_itself(self, s3):
        """A bucket's logs may go into itself."""
        self.log(s3, NAME)

        assert s3.get_bucket_logging(Bucket=NAME)["LoggingEnabled"]["TargetPrefix"] == "of/"

    def test_locked_target(self, s3):
        """A bucket with Object Lock is taken, though no logs come into it."""
        s3.create_bucket(Bucket="locked-logs", ObjectLockEnabledForBucket=True, **HERE)
        self.log(s3, "locked-logs")

    def test_nowhere(self, s3):
        """A bucket that is not there is none for logs."""
        with pytest.raises(ClientError, match=r"InvalidTargetBucketForLogging.*does not exist"):
            self.log(s3, "nowhere-at-all")

    def test_other_region(self, s3, services):
        """Logs don't leave the region."""
        services.transport.client("s3", ACCOUNT, "us-east-1").create_bucket(Bucket="far-away")
        with pytest.raises(ClientError, match=r"CrossLocationLoggingProhibitted.*Cross S3 location logging"):
            self.log(s3, "far-away")

    def test_other_account(self, s3, services):
        """Logs don't leave the account."""
        services.transport.client("s3", "111122223333", REGION).create_bucket(Bucket="not-ours", **HERE)
        with pytest.raises(ClientError, match=r"InvalidTargetBucketForLogging.*must be the same"):
            self.log(s3, "not-ours")


class TestSettings:
    def test_lock(self, s3):
        """A bucket with versions is locked for good, objects in it or not."""
        with pytest.raises(ClientError, match=r"InvalidBucketState.*Versioning must be 'Enabled'"):
            s3.put_object_lock_configuration(Bucket=NAME, ObjectLockConfiguration={"ObjectLockEnabled": "Enabled"})
        s3.put_bucket_versioning(Bucket=NAME, VersioningConfiguration={"Status": "Enabled"})
        s3.put_object(Bucket=NAME, Key="a", Body=b"x")
        retention = {"DefaultRetention": {"Mode": "COMPLIANCE", "Years": 1}}
        lock = {"ObjectLockEnabled": "Enabled", "Rule": retention}
        s3.put_object_lock_configuration(Bucket=NAME, ObjectLockConfiguration=lock)

        found = s3.get_object_lock_configuration(Bucket=NAME)["ObjectLockConfiguration"]
        assert found["Rule"]["DefaultRetention"]["Years"] == 1
        with pytest.raises(ClientError, match=r"InvalidBucketState.*versioning state cannot be changed"):
            s3.put_bucket_versioning(Bucket=NAME, VersioningConfiguration={"Status": "Suspended"})
        s3.put_bucket_versioning(Bucket=NAME, VersioningConfiguration={"Status": "Enabled"})

    @pytest.mark.parametrize("retention", [{"Mode": "GOVERNANCE"}, {"Mode": "GOVERNANCE", "Days": 1, "Years": 1}])
    def test_retention(self, s3, retention):
        """A retention is of days or of years."""
        lock = {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": retention}}
        s3.put_bucket_versioning(Bucket=NAME, VersioningConfiguration={"Status": "Enabled"})
        with pytest.raises(ClientError, match="MalformedXML"):
            s3.put_object_lock_configuration(Bucket=NAME, ObjectLockConfiguration=lock)

    def test_encryption(self, s3):
        """A key is of KMS's algorithms alone."""

        def encrypt(*rules):
            rules = [{"ApplyServerSideEncryptionByDefault": rule} for rule in rules]
            s3.put_bucket_encryption(Bucket=NAME, ServerSideEncryptionConfiguration={"Rules": rules})

        encrypt({"SSEAlgorithm": "AES256"})
        encrypt({"SSEAlgorithm": "aws:kms:dsse", "KMSMasterKeyID": "a-key"})
        with pytest.raises(ClientError, match=r"InvalidArgument.*a KMSMasterKeyID is not applicable"):
            encrypt({"SSEAlgorithm": "AES256", "KMSMasterKeyID": "a-key"})
        with pytest.raises(ClientError, match="MalformedXML"):
            encrypt({"SSEAlgorithm": "AES256"}, {"SSEAlgorithm": "AES256"})

    def test_acceleration(self, s3):
        """A name with a dot can't be sped up."""
        s3.create_bucket(Bucket="with.a.dot", **HERE)
        fast = {"AccelerateConfiguration": {"Status": "Enabled"}}
        s3.put_bucket_accelerate_configuration(Bucket=NAME, **fast)
        with pytest.raises(ClientError, match=r"InvalidRequest.*periods \(\.\) in their names"):
            s3.put_bucket_accelerate_configuration(Bucket="with.a.dot", **fast)


@pytest.mark.parametrize("rules", [[], ["ObjectWriter", "BucketOwnerPreferred"]])
def test_one_ownership(s3, rules):
    """A bucket's objects are owned in one way."""
    controls = {"Rules": [{"ObjectOwnership": rule} for rule in rules]}

    with pytest.raises(ClientError, match="MalformedXML"):
        s3.put_bucket_ownership_controls(Bucket=NAME, OwnershipControls=controls)


class TestLifecycle:
    @pytest.mark.parametrize(
        "members",
        [
            {
                "Transitions": [{"StorageClass": "STANDARD_IA", "Days": 5}, {"StorageClass": "GLACIER", "Days": 35}],
                "Expiration": {"Days": 36},
            },
            {
                "Transitions": [
                    {"StorageClass": "GLACIER_IR", "Days": 0},
                    {"StorageClass": "DEEP_ARCHIVE", "Days": 90},
                ]
            },
            {
                "Transitions": [{"StorageClass": "GLACIER", "Date": "2027-01-01T00:00:00Z"}],
                "Expiration": {"Date": "2028-01-01T00:00:00Z"},
            },
            {"Expiration": {"ExpiredObjectDeleteMarker": True}},
            {
                "NoncurrentVersionExpiration": {"NoncurrentDays": 31},
                "NoncurrentVersionTransitions": [{"NoncurrentDays": 30, "StorageClass": "GLACIER"}],
            },
            {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}},
            {
                "Filter": {"And": {"Prefix": "a/", "ObjectSizeGreaterThan": 5, "ObjectSizeLessThan": 6}},
                "Expiration": {"Days": 1},
            },
            {
                "Filter": {"And": {"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "1"}]}},
                "Expiration": {"Days": 1},
            },
        ],
        ids=str,
    )
    def test_taken(self, s3, members):
        """Days in order are taken; no object has to be thirty days old before it moves to an infrequent class."""
        put_rule(s3, **members)

        (rule,) = s3.get_bucket_lifecycle_configuration(Bucket=NAME)["Rules"]
        assert rule["ID"] == "one"

    @pytest.mark.parametrize(
        ("members", "words"),
        [
            (
                {"Transitions": [{"StorageClass": "GLACIER", "Days": 35}], "Expiration": {"Days": 35}},
                r"InvalidArgument.*\(prefix=runs/\)' must be greater than",
            ),
            (
                {"Transitions": [{"StorageClass": "STANDARD_IA", "Days": 90}, {"StorageClass": "GLACIER", "Days": 89}]},
                r"InvalidArgument.*'GLACIER' for filter '\(prefix=runs/\)' must be greater than 'Days' in the",
            ),
            (
                {"Transitions": [{"StorageClass": "GLACIER_IR", "Days": 0}, {"StorageClass": "GLACIER", "Days": 89}]},
                r"InvalidArgument.*'\(prefix=runs/\)' must be 90 days more than 'filter '\(prefix=runs/\)'' in the",
            ),
            (
                {"Transitions": [{"StorageClass": "GLACIER", "Days": 3}, {"StorageClass": "GLACIER", "Days": 9}]},
                "InvalidRequest.*'StorageClass' must be different",
            ),
            (
                {
                    "Transitions": [{"StorageClass": "GLACIER", "Days": 3}],
                    "Expiration": {"Date": "2028-01-01T00:00:00Z"},
                },
                "InvalidRequest.*Found mixed 'Date' and 'Days'",
            ),
            ({"Expiration": {"Date": "2028-01-01T12:00:00Z"}}, "InvalidArgument.*must be at midnight GMT"),
            ({"Expiration": {"Days": 0}}, "InvalidArgument.*must be a positive integer"),
            ({"Expiration": {"Days": 3, "ExpiredObjectDeleteMarker": True}}, "MalformedXML"),
            ({"Transitions": [{"Days": 30}]}, "MalformedXML"),
            ({"Transitions": [{}]}, "MalformedXML"),
            ({"NoncurrentVersionTransitions": [{"NoncurrentDays": 30}]}, "MalformedXML"),
            (
                {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 0}},
                "InvalidArgument.*AbortIncompleteMultipartUpload action must be a positive",
            ),
            ({"NoncurrentVersionExpiration": {"NoncurrentDays": 0}}, "InvalidArgument.*must be a positive integer"),
            (
                {
                    "NoncurrentVersionExpiration": {"NoncurrentDays": 30},
                    "NoncurrentVersionTransitions": [{"NoncurrentDays": 30, "StorageClass": "GLACIER"}],
                },
                "InvalidArgument.*NoncurrentVersionExpiration action must be greater",
            ),
            (
                {
                    "Filter": {"Tag": {"Key": "a", "Value": "b"}},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
                },
                "InvalidRequest.*cannot be specified with Tags",
            ),
            (
                {
                    "Filter": {"ObjectSizeLessThan": 9},
                    "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
                },
                "InvalidRequest.*cannot be specified with Object Size",
            ),
            (
                {
                    "Filter": {"And": {"ObjectSizeGreaterThan": 6, "ObjectSizeLessThan": 6}},
                    "Expiration": {"Days": 1},
                },
                "InvalidRequest.*'ObjectSizeLessThan' has to be a value greater",
            ),
            (
                {
                    "Filter": {"And": {"Tags": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]}},
                    "Expiration": {"Days": 1},
                },
                "InvalidRequest.*Duplicate Tag Keys",
            ),
        ],
        ids=str,
    )
    def test_refused(self, s3, members, words):
        """What is out of order, or does not go together, is refused in S3's words."""
        with pytest.raises(ClientError, match=words):
            put_rule(s3, **members)


class TestNotifications:
    EVENTS = ("s3:ObjectCreated:*",)

    @pytest.fixture
    def topic(self, client, s3):
        del s3
        return client("sns").create_topic(Name="created")["TopicArn"]

    def tell(self, s3, topic, **members: object):
        entry = {"TopicArn": topic, "Events": list(self.EVENTS), **members}
        s3.put_bucket_notification_configuration(
            Bucket=NAME, NotificationConfiguration={"TopicConfigurations": [entry]}
        )

    def test_topic_that_lets_nobody_in(self, client, s3, topic):
        """A new topic lets in its owner alone; it is taken when its policy lets S3 in."""
        with pytest.raises(ClientError, match=r"InvalidArgument.*Unable to validate the following destination"):
            self.tell(s3, topic)
        allow = {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "SNS:Publish"}
        document = json.dumps({"Statement": [{**allow, "Resource": topic}]})
        client("sns").set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=document)
        self.tell(s3, topic)

        (found,) = s3.get_bucket_notification_configuration(Bucket=NAME)["TopicConfigurations"]
        assert found["TopicArn"] == topic

    def test_queue(self, client, s3):
        """A queue is taken when its policy lets S3 in."""
        url = client("sqs").create_queue(QueueName="created")["QueueUrl"]
        arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:created"
        told = {"QueueConfigurations": [{"QueueArn": arn, "Events": list(self.EVENTS)}]}
        with pytest.raises(ClientError, match="Unable to validate the following destination"):
            s3.put_bucket_notification_configuration(Bucket=NAME, NotificationConfiguration=told)
        allow = {"Effect": "Allow", "Principal": "*", "Action": "sqs:*", "Resource": arn}
        document = json.dumps({"Version": "2012-10-17", "Statement": [allow]})
        client("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": document})
        s3.put_bucket_notification_configuration(Bucket=NAME, NotificationConfiguration=told)

    @pytest.mark.parametrize("qualifier", [{}, {"Qualifier": "1"}])
    def test_function(self, client, s3, qualifier):
        """A function, or a version of it, is taken when it is there and a permission lets S3 in, not another."""
        trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        role = client("iam").create_role(RoleName="function", AssumeRolePolicyDocument=document)["Role"]["Arn"]
        s3.put_object(Bucket=NAME, Key="code.zip", Body=zipped({"index.py": ""}))
        code = {"S3Bucket": NAME, "S3Key": "code.zip"}
        made, told = client("lambda"), {"Code": code, "Role": role, "Publish": True}
        let_in = {"FunctionName": "created", "Action": "lambda:InvokeFunction", **qualifier}
        arn = ":".join((f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:created", *qualifier.values()))
        entry = {"LambdaFunctionArn": arn, "Events": list(self.EVENTS)}
        wanted = {"LambdaFunctionConfigurations": [entry]}

        with pytest.raises(ClientError, match="Unable to validate the following destination"):
            s3.put_bucket_notification_configuration(Bucket=NAME, NotificationConfiguration=wanted)
        made.create_function(FunctionName="created", Runtime="python3.13", Handler="index.handler", **told)
        made.add_permission(StatementId="sns", Principal="sns.amazonaws.com", **let_in)
        with pytest.raises(ClientError, match="Unable to validate the following destination"):
            s3.put_bucket_notification_configuration(Bucket=NAME, NotificationConfiguration=wanted)
        made.add_permission(StatementId="s3", Principal="s3.amazonaws.com", **let_in)
        s3.put_bucket_notification_configuration(Bucket=NAME, NotificationConfiguration=wanted)

        (found,) = s3.get_bucket_notification_configuration(Bucket=NAME)["LambdaFunctionConfigurations"]
        assert found["LambdaFunctionArn"] == arn

    def tell_twice(self, s3, *entries: tuple[str, dict[str, str]]):
        """Tells a topic of somebody's of events, each with its filters."""
        told = []
        for event, filters in entries:
            rules = [{"Name": name, "Value": value} for name, value in filters.items()]
            only = {"Filter": {"Key": {"FilterRules": rules}}} if rules else {}
            told.append({"TopicArn": f"arn:aws:sns:{REGION}:111122223333:theirs", "Events": [event], **only})
        s3.put_bucket_notification_configuration(Bucket=NAME, NotificationConfiguration={"TopicConfigurations": told})

    @pytest.mark.parametrize(
        ("one", "other", "words"),
        [
            (("s3:ObjectCreated:*", {}), ("s3:ObjectCreated:*", {}), "Configurations overlap"),
            (("s3:ObjectCreated:Put", {}), ("s3:ObjectCreated:*", {}), "Configurations overlap"),
            (("s3:ObjectRemoved:*", {"prefix": "a/"}), ("s3:ObjectRemoved:*", {}), "ambiguously defined"),
            (
                ("s3:ObjectRemoved:*", {"prefix": "a/", "suffix": ".gz"}),
                ("s3:ObjectRemoved:Delete", {"prefix": "a/b/", "suffix": ".tar.gz"}),
                "overlapping suffixes in two rules",
            ),
            (("s3:ObjectCreated:*", {"suffix": ".gz"}), ("s3:ObjectCreated:*", {"prefix": "a/"}), "ambiguously"),
        ],
    )
    def test_overlapping(self, s3, one, other, words):
        """No object's event may be told twice."""
        with pytest.raises(ClientError, match=f"InvalidArgument.*{words}"):
            self.tell_twice(s3, one, other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("s3:ObjectCreated:*", {}), ("s3:ObjectRemoved:*", {})),
            (("s3:ObjectCreated:Put", {}), ("s3:ObjectCreated:Post", {})),
            (("s3:ObjectRemoved:Delete", {}), ("s3:ObjectRemoved:DeleteMarkerCreated", {})),
            (("s3:ObjectCreated:*", {"prefix": "a/"}), ("s3:ObjectCreated:*", {"prefix": "b/"})),
            (("s3:ObjectCreated:*", {"prefix": "a/", "suffix": ".gz"}), ("s3:ObjectCreated:*", {"suffix": ".xz"})),
        ],
    )
    def test_side_by_side(self, s3, one, other):
        """Events, prefixes or suffixes that have nothing in common are taken."""
        self.tell_twice(s3, one, other)
        found = s3.get_bucket_notification_configuration(Bucket=NAME)["TopicConfigurations"]
        assert [entry["Events"] for entry in found] == [[one[0]], [other[0]]]

    @pytest.mark.parametrize(
        ("topic", "members", "words"),
        [
            (f"arn:aws:sns:{REGION}:{ACCOUNT}:nobody", {}, "Unable to validate the following destination"),
            (f"arn:aws:sns:us-west-2:{ACCOUNT}:far", {}, "region is not valid for the bucket location constraint"),
            ("nobody", {}, "The ARN could not be parsed"),
            (
                f"arn:aws:sns:{REGION}:111122223333:theirs",
                {"Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": value} for value in "ab"]}}},
                "Cannot specify more than one prefix rule in a filter",
            ),
        ],
    )
    def test_refused(self, s3, topic, members, words):
        """A topic that is not there, or elsewhere, is none; a filter says a thing once."""
        with pytest.raises(ClientError, match=f"InvalidArgument.*{words}"):
            self.tell(s3, topic, **members)
