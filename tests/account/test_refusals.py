"""Why AWS gave no answer: a sentence, and what to do."""

import pytest
from botocore import exceptions
from botocore.exceptions import ClientError

from account.refusals import ALWAYS_ENABLED, refusal
from trnstack.catalog import ZONE_IDS


def client_error(code):
    return ClientError({"Error": {"Code": code, "Message": "says why"}}, "DescribeInstanceTypes")


class TestRefusal:
    @pytest.mark.parametrize("code", ["ExpiredToken", "ExpiredTokenException", "RequestExpired"])
    def test_expired(self, code):
        """Expired credentials are renewed by signing in, in whichever region they were used."""
        for region in ("us-east-2", "ap-south-2"):
            found = refusal(client_error(code), service="EC2", region=region)
            assert (found.message, found.hint) == (
                "the AWS credentials have expired",
                "sign in again: aws sso login, or new keys",
            )

    @pytest.mark.parametrize("code", ["UnauthorizedOperation", "AccessDenied", "AccessDeniedException"])
    def test_denied(self, code):
        """Missing permissions are named as IAM spells them."""
        found = refusal(client_error(code), service="EC2", region="us-east-2")

        assert found.message == "the credentials may not call ec2:DescribeInstanceTypes"
        assert found.hint == "have ec2:DescribeInstanceTypes allowed, or use a role that may read"

    @pytest.mark.parametrize("code", ["AuthFailure", "OptInRequired", "UnrecognizedClientException"])
    def test_region_not_enabled(self, code):
        """A region that is not switched on refuses as if the credentials were wrong; what helps is named."""
        found = refusal(client_error(code), service="EC2", region="ap-south-2")

        assert found.message == "ap-south-2 is not enabled in the account"
        assert "aws account enable-region --region-name ap-south-2" in found.hint

    @pytest.mark.parametrize("code", ["AuthFailure", "InvalidClientTokenId", "SignatureDoesNotMatch"])
    def test_wrong_credentials(self, code):
        """In a region that every account has, it is the credentials that are wrong."""
        found = refusal(client_error(code), service="EC2", region="us-east-2")

        assert found.message == f"AWS does not accept the credentials ({code})"
        assert found.hint.startswith("sign in")

    def test_throttled(self):
        """Throttling that outlasts all retries passes with time."""
        assert "in a minute" in refusal(client_error("RequestLimitExceeded"), service="EC2", region="us-east-2").hint

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (exceptions.NoCredentialsError(), "there are no AWS credentials, or not all of them"),
            (exceptions.PartialCredentialsError(provider="env", cred_var="x"), "there are no AWS credentials"),
            (
                exceptions.CredentialRetrievalError(provider="x", error_msg="no VPN"),
                "the AWS credentials can't be had: error when retrieving credentials from x: no VPN",
            ),
            (exceptions.SSOTokenLoadError(error_msg="x"), "the sign-in to AWS has expired"),
            (exceptions.UnauthorizedSSOTokenError(), "the sign-in to AWS has expired"),
            (exceptions.LoginRefreshRequired(), "the sign-in to AWS has expired"),
            (exceptions.ProfileNotFound(profile="x"), "AWS's configuration can't be used: the config profile (x)"),
            (exceptions.EndpointConnectionError(endpoint_url="https://x"), "EC2 in us-east-2 can't be reached: could"),
            (exceptions.ConnectTimeoutError(endpoint_url="https://x"), "EC2 in us-east-2 can't be reached: connect"),
            (exceptions.ReadTimeoutError(endpoint_url="https://x"), "EC2 in us-east-2 can't be reached: read"),
            (exceptions.NoRegionError(), "EC2 in us-east-2 can't be asked: you must specify a region"),
            (
                exceptions.InvalidSTSRegionalEndpointsConfigError(sts_regional_endpoints_config="x"),
                "EC2 in us-east-2 can't be asked: STS regional endpoints option x is invalid",
            ),
            (exceptions.HTTPClientError(error="x"), "EC2 in us-east-2 can't be reached: an HTTP Client raised"),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
    )
    def test_of_the_client(self, error, message):
        """What fails before AWS answers is told apart: credentials, sign-in, configuration, network."""
        found = refusal(error, service="EC2", region="us-east-2")

        assert found.message.startswith(message)
        assert found.hint
        assert not found.message.endswith(".")


class TestSignIn:
    @pytest.mark.parametrize(
        ("error", "command"),
        [
            (exceptions.UnauthorizedSSOTokenError(), "aws sso login"),
            (exceptions.TokenRetrievalError(provider="sso", error_msg="x"), "aws sso login"),
            (exceptions.LoginRefreshRequired(), "aws login"),
        ],
    )
    def test_again(self, error, command):
        """Whoever signed in does it again, by the command by which they did."""
        assert refusal(error, service="EC2", region="us-east-2").hint == f"sign in again: {command}"

    def test_first(self):
        """What nobody can sign in by with what trnstack comes with is no advice."""
        hint = refusal(exceptions.NoCredentialsError(), service="EC2", region="us-east-2").hint

        assert hint == "sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


def test_code_of_the_service():
    """The service's own code is kept for whoever can do something about it."""
    found = refusal(client_error("InvalidAMIID.NotFound"), service="EC2", region="us-east-2")

    assert found.code == "InvalidAMIID.NotFound"
    assert found.message == ("EC2 in us-east-2 refuses DescribeInstanceTypes: InvalidAMIID.NotFound: says why")


def test_regions_that_every_account_has():
    """The regions that need no switching on are regions of the catalog, and the ones with new Trainium are not."""
    assert set(ZONE_IDS) > ALWAYS_ENABLED
    assert not ALWAYS_ENABLED & {"ap-south-2", "ap-southeast-4", "mx-central-1"}
