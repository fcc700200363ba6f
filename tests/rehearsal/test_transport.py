import json

import pytest
from botocore.exceptions import ClientError

from rehearsal.application import Rehearsal
from rehearsal.sessions import core_session
from rehearsal.transport import ACCESS_KEY


@pytest.fixture(scope="module")
def aws():
    return Rehearsal(handler_for=lambda _: None, overlay_for=lambda _: None)


class TestTransport:
    def test_bodies_and_keys(self, aws):
        """Bytes and keys of any kind come through unchanged, both ways."""
        aws.reset()
        s3 = aws.transport.session("us-east-1").client("s3")
        s3.create_bucket(Bucket="data")
        content = bytes(range(256)) * 64

        s3.put_object(Bucket="data", Key="a b/ü+%.bin", Body=content, Metadata={"k": "v"})

        found = s3.get_object(Bucket="data", Key="a b/ü+%.bin")
        assert (found["Body"].read(), found["Metadata"]) == (content, {"k": "v"})

    def test_account(self, aws):
        """A session acts in the account that it is made for, by default in that of keys that nobody gave."""
        there = aws.transport.session("us-east-1", account="210987654321").client("sts")
        here = aws.transport.session("us-east-1").client("sts")

        assert there.get_caller_identity()["Account"] == "210987654321"
        assert here.get_caller_identity()["Account"] == "123456789012"

    def test_nothing_of_the_persons(self, aws, monkeypatch, tmp_path):
        """Neither a profile nor a file that a person has for a real account is read, whatever is in it."""
        config, credentials = tmp_path / "config", tmp_path / "credentials"
        config.write_text("[default]\nregion = eu-north-1\nendpoint_url = https://example.com\nnot a setting\n")
        credentials.write_text("[default]\naws_access_key_id = A\naws_secret_access_key = B\n")
        monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(credentials))
        monkeypatch.setenv("AWS_PROFILE", "nobody")

        session = aws.transport.session("us-east-1")

        assert session.client("sts").get_caller_identity()["Account"] == "123456789012"
        assert session.get_credentials().access_key == ACCESS_KEY
        assert "us-east-1" in core_session().get_available_regions("ec2")

    def test_clients_are_kept(self, aws):
        """A client is made once for a service, an account and a region."""
        first = aws.transport.client("ec2", "123456789012", "us-east-1")

        assert aws.transport.client("ec2", "123456789012", "us-east-1") is first
        assert aws.transport.client("ec2", "123456789012", "us-west-2") is not first


class TestBucketPolicies:
    @pytest.fixture
    def s3(self, aws):
        aws.reset()
        s3 = aws.transport.session("us-east-1").client("s3")
        s3.create_bucket(Bucket="data")
        s3.put_object(Bucket="data", Key="k", Body=b"")
        return s3

    def deny(self, s3, **condition: object) -> None:
        statement = {
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": "arn:aws:s3:::data/*",
            **condition,
        }
        s3.put_bucket_policy(Bucket="data", Policy=json.dumps({"Statement": statement}))

    def test_without_tls(self, s3):
        """A policy that denies requests without TLS denies nothing here, as for the CDK's bucket."""
        self.deny(s3, Condition={"Bool": {"aws:SecureTransport": "false"}})

        s3.put_object(Bucket="data", Key="k", Body=b"x")

        assert s3.get_object(Bucket="data", Key="k")["Body"].read() == b"x"

    def test_denied(self, s3):
        """Any other denial holds."""
        self.deny(s3)

        with pytest.raises(ClientError, match="403"):
            s3.get_object(Bucket="data", Key="k")


class TestApplication:
    @pytest.mark.parametrize(
        ("service", "call", "arguments"),
        [
            ("imagebuilder", "list_images", {}),
            ("ec2", "describe_capacity_blocks", {}),
            ("eks", "update_addon", {"clusterName": "c", "addonName": "a"}),
            ("iam", "generate_organizations_access_report", {"EntityPath": "o-1/r-1/ou-1-2345678"}),
        ],
    )
    def test_not_modelled(self, aws, service, call, arguments):
        """A service or a call that nobody models is a service error of any protocol, and is not retried."""
        client = aws.transport.session("us-east-1").client(service)

        with pytest.raises(ClientError, match=f"does not model this call of {service}") as refusal:
            getattr(client, call)(**arguments)

        assert refusal.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert refusal.value.response["ResponseMetadata"]["RetryAttempts"] == 0

    def test_overlay(self):
        """A service's overlay answers in front of moto."""
        from moto.core.responses import ActionResult
        from moto.sts.responses import TokenResponse

        class Overlay(TokenResponse):
            def get_caller_identity(self) -> ActionResult:
                return ActionResult({"Account": "999999999999", "Arn": "arn", "UserId": "u"})

        aws = Rehearsal(handler_for=lambda _: None, overlay_for={"sts": Overlay}.get)

        assert aws.transport.session("us-east-1").client("sts").get_caller_identity()["Account"] == "999999999999"

    def test_reset(self, aws):
        """A reset forgets what the services have."""
        ssm = aws.transport.session("us-east-1").client("ssm")
        ssm.put_parameter(Name="/x", Value="1", Type="String")

        aws.reset()

        with pytest.raises(ClientError, match="ParameterNotFound"):
            ssm.get_parameter(Name="/x")
