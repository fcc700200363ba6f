"""Credentials, patience, ECR's passwords, and whether it is AWS that answers."""

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from moto import mock_aws

from account.calls import pages
from account.refusals import AccountError
from ami.resolve import Aws, NoAccountError, connect

from .conftest import ACCOUNT, REGION, World

HOST = "602401143452.dkr.ecr.us-east-2.amazonaws.com"


def message(error):
    (failure,) = error.value.failures
    return failure.message


class TestConnect:
    def test_no_credentials(self, monkeypatch):
        """Without credentials one sentence says so, and what to do."""
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

        with pytest.raises(NoAccountError) as error:
            connect(REGION)

        assert message(error) == "there are no AWS credentials, or not all of them"
        assert "aws sso login" in error.value.failures[0].hint

    def test_half_of_them(self, monkeypatch):
        """Half of the credentials are none."""
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")

        with pytest.raises(NoAccountError, match="there are no AWS credentials"):
            connect(REGION)

    def test_unknown_profile(self, monkeypatch):
        """A profile that there is not is named."""
        monkeypatch.setenv("AWS_PROFILE", "nobody")

        with pytest.raises(NoAccountError, match="nobody"):
            connect(REGION)

    def test_unreachable(self, monkeypatch):
        """An AWS that does not answer is one sentence, after the patience that a network deserves."""
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)

        with pytest.raises(NoAccountError) as error:
            connect(REGION).account()

        assert message(error).startswith("STS in us-east-2 can't be reached: could not connect to the endpoint URL")

    def test_region_that_is_none(self):
        """A region's name that no host could have is one sentence too."""
        with pytest.raises(NoAccountError, match="no region at all"):
            connect("no region at all").account()

    @mock_aws
    def test_account(self):
        """The account is that of the credentials."""
        assert connect(REGION).account() == "123456789012"


class TestPatience:
    @pytest.fixture
    def throttled(self, monkeypatch):
        """Returns a maker of clients to which EKS answers its throttling so many times before it answers."""
        waits = []
        monkeypatch.setattr("botocore.endpoint.time.sleep", waits.append)

        def make(times):
            client, asked = connect(REGION).client("eks"), []

            def answer(request, **_):
                asked.append(request)
                throttle = len(asked) <= times
                body = b'{"message": "slow down"}' if throttle else b'{"addons": []}'
                headers = {"x-amzn-errortype": "ThrottlingException"} if throttle else {}
                response = AWSResponse(request.url, 429 if throttle else 200, headers, None)
                response._content = body
                return response

            client.meta.events.register("before-send.eks", answer)
            return client, asked, waits

        return make

    def test_waits(self, throttled):
        """Throttling is met by waiting and asking again."""
        client, asked, waits = throttled(5)

        assert client.describe_addon_versions()["addons"] == []
        assert (len(asked), len(waits)) == (6, 5)
        assert all(0 <= wait <= 20 for wait in waits)

    def test_ends(self, throttled):
        """Not for ever: then it is said."""
        client, asked, _ = throttled(100)

        with pytest.raises(AccountError) as error:
            pages(client, "describe_addon_versions")

        assert error.value.message == "EKS in us-east-2 asks for patience (ThrottlingException)"
        assert len(asked) == 6


class TestClients:
    def test_once(self):
        """A client is made once for each service and region."""
        made = []
        aws = Aws(lambda service, region: made.append((service, region)) or object(), region=REGION)

        assert aws.client("ec2") is aws.client("ec2", REGION)
        assert aws.client("ec2") is not aws.client("ec2", "us-west-2")
        assert made == [("ec2", REGION), ("ec2", "us-west-2")]

    @pytest.mark.parametrize(
        ("name", "value", "words"),
        [
            ("AWS_CREDENTIAL_EXPIRATION", "2020-01-01T00:00:00Z", "still expired"),
            ("AWS_METADATA_SERVICE_TIMEOUT", "abc", "invalid literal for int"),
        ],
    )
    def test_unusable_credentials(self, monkeypatch, name, value, words):
        """Credentials that can't be used are one sentence."""
        monkeypatch.setenv(name, value)

        with pytest.raises(NoAccountError, match=words):
            connect(REGION)

    def test_unusable_address(self, monkeypatch):
        """So is an address that is none, by whomever it is used first."""
        monkeypatch.setenv("AWS_ENDPOINT_URL", "nonsense")

        for use in (Aws.account, Aws.rehearsal, Aws.registry):
            with pytest.raises(NoAccountError, match="AWS's configuration can't be used: invalid endpoint: nonsense"):
                use(connect(REGION))


class TestRehearsal:
    @pytest.mark.parametrize("address", ["http://127.0.0.1:4567", "http://localhost:4567", "http://[::1]:4567"])
    def test_on_this_machine(self, address):
        """An AWS on this machine is a rehearsal, and serves the registries itself."""
        aws = World(address=address).aws

        assert aws.rehearsal() == address
        assert aws.registry()._address("ghcr.io") == f"{address}/registry/ghcr.io"

    def test_aws(self):
        """AWS's own address is none."""
        aws = World().aws

        assert aws.rehearsal() is None
        assert aws.registry()._address("ghcr.io") == "https://ghcr.io"

    def test_by_the_environment(self, monkeypatch):
        """The variable that leads the CDK's CLI to a rehearsal leads here too."""
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4567")

        assert connect(REGION).rehearsal() == "http://127.0.0.1:4567"


class TestEcr:
    def test_password_of_the_region(self):
        """A host of ECR is asked with its own region's password, which is asked for once."""
        world = World()
        aws = world.aws

        assert [aws.ecr_credentials(HOST) for _ in range(2)] == [("AWS", "secret of us-east-2")] * 2
        assert aws.ecr_credentials(HOST.replace("us-east-2", "eu-west-1")) == ("AWS", "secret of eu-west-1")
        assert [(operation, region) for operation, region, _ in world.asked] == [
            ("ecr:GetAuthorizationToken", "us-east-2"),
            ("ecr:GetAuthorizationToken", "eu-west-1"),
        ]

    @pytest.mark.parametrize(
        "host",
        [
            "public.ecr.aws",
            "ghcr.io",
            f"{HOST}.example.com",
            f"example.com.{HOST}",
            "602401143452.dkr.ecr.us-east-2.example.com",
        ],
    )
    def test_of_no_other_host(self, host):
        """No other host gets a password, and AWS is not asked for one."""
        world = World()

        assert world.aws.ecr_credentials(host) is None
        assert world.asked == []

    @pytest.mark.parametrize(
        ("granted", "message"),
        [
            ([], "ECR in us-east-2 gives an answer without authorizationData"),
            ([{}], "ECR in us-east-2 gives an answer without authorizationToken"),
            (
                [{"authorizationToken": "a"}],
                "ECR in us-east-2 gives an answer that can't be read: invalid base64-encoded",
            ),
            ([{"authorizationToken": "//4="}], "ECR in us-east-2 gives an answer that can't be read: 'utf-8' codec"),
        ],
    )
    def test_no_password(self, monkeypatch, granted, message):
        """An answer without a password, or with one that is none, is a sentence."""
        world = World()
        monkeypatch.setattr(world, "_get_authorization_token", lambda *_: {"authorizationData": granted}, raising=False)

        with pytest.raises(AccountError) as error:
            world.aws.ecr_credentials(HOST)

        assert error.value.message.startswith(message)

    @mock_aws
    def test_as_ecr_gives_it(self):
        """ECR's token is user and password in one."""
        aws = Aws(lambda service, region: boto3.client(service, region_name=region), region=REGION)
        user, password = aws.ecr_credentials(f"{ACCOUNT}.dkr.ecr.us-east-2.amazonaws.com")

        assert user == "AWS"
        assert password
