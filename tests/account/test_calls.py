"""The edge to AWS's client: whatever it meets, a sentence comes of it, by the client's own code as it is installed."""

import itertools
import json
import shlex
import sys

import boto3
import pytest
from botocore.config import Config

from account.calls import Record, call, client_of, pages, signed_in
from account.refusals import AccountError

REGION = "us-east-2"
KEYS = {"AccessKeyId": "a", "SecretAccessKey": "b", "Token": "c"}
ROLE = "role_arn = arn:aws:iam::111122223333:role/engineer"
WHO_ANSWERS = "check that it is AWS that answers: a proxy or a login page may have done so in its place"
DEEP = b"[" * 100_000


@pytest.fixture
def no_keys(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)


@pytest.fixture
def profile(no_keys, monkeypatch, tmp_path):
    """Writes the lines of the default profile, which is what credentials are looked for in then."""
    del no_keys

    def write(*lines):
        file = tmp_path / "config"
        file.write_text("\n".join(["[default]", *lines, ""]))
        monkeypatch.setenv("AWS_CONFIG_FILE", str(file))

    return write


@pytest.fixture
def process(profile, tmp_path):
    """Has credentials given by a program that prints a text and ends with a status."""

    def lay_out(text=b"", *, told=b"", status=0):
        program = tmp_path / "program.py"
        program.write_text(
            f"import sys\nsys.stdout.buffer.write({text!r})\nsys.stderr.buffer.write({told!r})\nsys.exit({status})\n"
        )
        profile(f"credential_process = {shlex.join([sys.executable, str(program)])}")

    return lay_out


def refused():
    with pytest.raises(AccountError) as error:
        signed_in()
    assert error.value.hint
    assert "\n" not in error.value.message
    return error.value


class TestKeys:
    def test_in_use(self, monkeypatch):
        """The session has the credentials that were found, and asks for no others."""
        monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
        keys = signed_in().get_credentials()

        assert (keys.access_key, keys.secret_key, keys.token) == ("testing", "testing", "token")
        assert keys.method == "explicit"

    def test_configuration_of_the_profile(self, profile):
        """What else a profile says counts as before."""
        profile("aws_access_key_id = a", "aws_secret_access_key = b", "endpoint_url = http://127.0.0.1:1")

        assert signed_in().client("sts", region_name=REGION).meta.endpoint_url == "http://127.0.0.1:1"

    @pytest.mark.usefixtures("no_keys")
    def test_none(self):
        """Without any, one sentence says so."""
        assert refused().message == "there are no AWS credentials, or not all of them"

    def test_expired(self, monkeypatch):
        """Keys that say of themselves that they have expired are none to ask with."""
        monkeypatch.setenv("AWS_CREDENTIAL_EXPIRATION", "2020-01-01T00:00:00Z")
        error = refused()

        assert error.message == (
            "the AWS credentials can't be used: credentials were refreshed, but the refreshed credentials are still "
            "expired"
        )
        assert error.hint == "sign in again (aws sso login), or set new keys and with them AWS_CREDENTIAL_EXPIRATION"

    @pytest.mark.parametrize(
        ("time", "words"),
        [
            ("soon", "can't be had: unknown string format: soon"),
            ("2020-01-01T00:00:00", "come in a form that can't be read: can't subtract offset-naive and offset-aware"),
            ("9" * 20, "come in a form that can't be read: Python int too large"),
        ],
    )
    def test_time_that_is_none(self, monkeypatch, time, words):
        """So are keys whose time can't be read (ValueError), lacks its zone (TypeError), or is none (OverflowError)."""
        monkeypatch.setenv("AWS_CREDENTIAL_EXPIRATION", time)

        assert refused().message.lower().startswith(f"the aws credentials {words.lower()}")

    @pytest.mark.parametrize(
        ("name", "value", "what"),
        [
            ("AWS_ACCESS_KEY_ID", "a\nb", "access key"),
            ("AWS_SECRET_ACCESS_KEY", "se cret", "secret key"),
            ("AWS_SESSION_TOKEN", "to\rken", "token"),
        ],
    )
    def test_no_plain_text(self, monkeypatch, name, value, what):
        """Keys that no header can carry are refused without being shown, which the client would do."""
        monkeypatch.setenv(name, value)

        assert refused().message == f"the AWS credentials can't be used: the {what} is empty or no plain text"

    def test_no_text(self, process):
        """Nor are those that are no text at all."""
        process(b'{"Version": 1, "AccessKeyId": 1, "SecretAccessKey": 2}')

        assert refused().message == "the AWS credentials can't be used: the access key is empty or no plain text"


class TestProcess:
    def test_not_there(self, profile):
        """A program that is not there is named (FileNotFoundError)."""
        profile("credential_process = /no/such/program --now")
        error = refused()

        assert error.message == "the AWS credentials can't be had: /no/such/program: no such file or directory"
        assert error.hint == "look at the profile in use and at the variables AWS_*, which say where they come from"

    def test_may_not_be_run(self, profile, tmp_path):
        """So is one that nobody may run (PermissionError)."""
        profile(f"credential_process = {tmp_path}")

        assert refused().message == f"the AWS credentials can't be had: {tmp_path}: permission denied"

    def test_own_words(self, process):
        """What a program says of its failure is what there is to know."""
        process(told=b"Error: no VPN,\n  see https://wiki.example.com\n", status=3)

        assert refused().message == (
            "the AWS credentials can't be had: error when retrieving credentials from custom-process: Error: no VPN, "
            "see https://wiki.example.com"
        )

    def test_many_words(self, process):
        """As far as that is no book."""
        process(told=b"word " * 1000, status=1)

        assert len(refused().message) < 400

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("", "come in a form that can't be read: list index out of range"),
            ("'sh", "can't be had: no closing quotation"),
            ("\n  a = b", "come in a form that can't be read: 'dict' object has no attribute"),
        ],
        ids=["empty", "quotation", "section"],
    )
    def test_line(self, profile, line, words):
        """A line that is no command: an empty one (IndexError), half of one (ValueError), or a section."""
        profile(f"credential_process = {line}")

        assert refused().message.startswith(f"the AWS credentials {words}")

    @pytest.mark.parametrize(
        "text", [b"", b"no JSON", b"\xff\xfe", b"[]", b"null", b'{"Version": 1, "Expiration": 5}', DEEP]
    )
    @pytest.mark.usefixtures("no_collection")
    def test_text(self, process, text):
        """What a program prints may be anything: no JSON, no UTF-8, or JSON of another shape (AttributeError)."""
        process(text)

        assert refused().message.startswith("the AWS credentials c")

    def test_other_shape(self, process):
        """That it is the form is said, with whatever Python has to say of it."""
        process(b"[]")

        assert refused().message == (
            "the AWS credentials come in a form that can't be read: 'list' object has no attribute 'get'"
        )


class TestContainer:
    """Credentials that a server gives, as ECS and EKS do."""

    @pytest.mark.parametrize(
        ("url", "words"),
        [
            ("http://example.com/keys", "unsupported host 'example.com'. Can only retrieve metadata from a loopback"),
            ("nonsense", "unsupported host 'None'"),
            ("http://[::1/keys", "invalid IPv6 URL"),
        ],
    )
    def test_address(self, no_keys, monkeypatch, url, words):
        """An address that the client refuses (ValueError) is said to be refused."""
        del no_keys
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url)

        assert refused().message.startswith(f"the AWS credentials can't be had: {words}")

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            (b"{}", "there is no 'AccessKeyId'"),
            (b"[]", "list indices must be integers or slices, not str"),
            (DEEP, "maximum recursion depth exceeded while decoding a JSON array"),
            (json.dumps({**KEYS, "Expiration": None}).encode(), "parser must be a string or character stream"),
        ],
        ids=["no key", "list", "deep", "no time"],
    )
    @pytest.mark.usefixtures("no_collection")
    def test_answer(self, no_keys, monkeypatch, page, body, words):
        """What a server gives may lack a key (KeyError) or be of another shape (TypeError, RecursionError)."""
        del no_keys
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{page.url}/keys")
        page.body = body

        assert refused().message.startswith(f"the AWS credentials come in a form that can't be read: {words}")

    def test_token_file(self, no_keys, monkeypatch, page):
        """The file with the token for it has to be there."""
        del no_keys
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", f"{page.url}/keys")
        monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/no/token")

        assert refused().message == "the AWS credentials can't be had: /no/token: no such file or directory"


class TestRole:
    """Credentials that STS gives for a token in a file."""

    @pytest.fixture
    def assume(self, profile, monkeypatch, page, tmp_path):
        def lay_out(body=b"", *, status=200, file=None):
            token = tmp_path / "token"
            token.write_text("token")
            profile(ROLE, f"web_identity_token_file = {file or token}", f"region = {REGION}")
            monkeypatch.setenv("AWS_ENDPOINT_URL", page.url)
            page.body, page.status = body, status

        return lay_out

    def test_file(self, assume):
        """The file has to be there."""
        assume(file="/no/token")

        assert refused().message == "the AWS credentials can't be had: /no/token: no such file or directory"

    def test_refused(self, assume):
        """STS's own words are given where it refuses (ClientError)."""
        said = b"<Code>AccessDenied</Code><Message>Not authorized to perform sts:AssumeRoleWithWebIdentity</Message>"
        assume(b"<ErrorResponse><Error>" + said + b"</Error></ErrorResponse>", status=403)

        assert refused().message == (
            "the AWS credentials can't be had: an error occurred (AccessDenied) when calling the "
            "AssumeRoleWithWebIdentity operation: Not authorized to perform sts:AssumeRoleWithWebIdentity"
        )

    def test_expired(self, assume):
        """A token that has expired is one to sign in again for."""
        said = b"<Code>ExpiredTokenException</Code><Message>Token expired</Message>"
        assume(b"<ErrorResponse><Error>" + said + b"</Error></ErrorResponse>", status=400)

        assert refused().message == "the AWS credentials have expired"

    @pytest.mark.parametrize("status", [200, 301])
    @pytest.mark.parametrize("body", [b"<html>sign in</html>", b"no XML", b""])
    def test_page(self, assume, body, status):
        """So is something that answers in STS's place (ResponseParserError, KeyError, an error without a code)."""
        assume(body, status=status)

        assert refused().message.startswith("the AWS credentials c")


class TestSettings:
    @pytest.mark.parametrize("name", ["AWS_METADATA_SERVICE_TIMEOUT", "AWS_METADATA_SERVICE_NUM_ATTEMPTS"])
    def test_number(self, monkeypatch, name):
        """A setting that is no number stops the search for credentials."""
        monkeypatch.setenv(name, "abc")

        assert refused().message == "the AWS credentials can't be had: invalid literal for int() with base 10: 'abc'"

    def test_sign_in_by_aws_login(self, profile):
        """What botocore needs for a profile of ``aws login`` is said, and how to do without."""
        profile("login_session = arn:aws:iam::111122223333:user/engineer")
        error = refused()

        assert 'pip install "botocore[crt]"' in error.message
        assert error.hint == 'hand them over as keys: eval "$(aws configure export-credentials --format env)"'

    @pytest.mark.parametrize(
        ("address", "words"),
        [
            ("nonsense", "invalid endpoint: nonsense"),
            ("http://[::1", "invalid IPv6 URL"),
            ("http://127.0.0.1:x", "port could not be cast to integer value as 'x'"),
            ("http://127.0.0.1:99999", "port out of range 0-65535"),
        ],
    )
    def test_address(self, monkeypatch, address, words):
        """An address that is none is found before anything is asked (ValueError), and the variable is named."""
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)

        with pytest.raises(AccountError) as error:
            client_of(signed_in(), "sts", REGION, Config())

        assert error.value.message == f"AWS's configuration can't be used: {words}"
        assert error.value.hint.startswith("look at AWS_ENDPOINT_URL")

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("endpoint_url", "unhashable type: 'dict'"),
            ("defaults_mode", "'dict' object has no attribute 'lower'"),
            ("sts_regional_endpoints", "STS regional endpoints option {'a': 'b'} is invalid"),
        ],
    )
    def test_section(self, profile, name, words):
        """A section where a profile has a value is one too (TypeError, AttributeError, botocore's own)."""
        profile("aws_access_key_id = a", "aws_secret_access_key = b", f"{name} =", "  a = b")

        with pytest.raises(AccountError) as error:
            client_of(signed_in(), "sts", REGION, Config())

        assert f": {words}" in error.value.message


@pytest.fixture
def ask(page):
    """Returns what asks a service at a page that answers with a status and a body."""
    config = Config(retries={"mode": "standard", "total_max_attempts": 1})
    calls = {
        "sts": lambda client: call(client, "get_caller_identity"),
        "ssm": lambda client: call(client, "get_parameters", Names=["a"]),
        "ec2": lambda client: pages(client, "describe_images", Owners=["self"]),
        "eks": lambda client: pages(client, "describe_addon_versions", addonName="coredns"),
        "ecr": lambda client: call(client, "get_authorization_token"),
    }

    clients = {}

    def answered(service, body, status=200):
        page.body, page.status = body, status
        if service not in clients:
            clients[service] = boto3.client(service, region_name=REGION, endpoint_url=page.url, config=config)
        return calls[service](clients[service])

    return answered


class TestAnswer:
    @pytest.mark.parametrize(
        ("service", "body", "words"),
        [
            ("sts", b"", "unable to parse response (no element found: line 1, column 0), invalid XML received"),
            ("ec2", b"<html><p>sign in</html>", "unable to parse response (mismatched tag: line 1, column 18)"),
            ("sts", b"<html>sign in</html>", "there is no 'GetCallerIdentityResult'"),
            ("ssm", b"[]", "'list' object has no attribute 'get'"),
            ("ssm", b'{"Parameters": 5}', "'int' object is not iterable"),
            ("eks", b"null", "'NoneType' object"),
            ("ssm", b"\xff\xfe", "'utf-8' codec can't decode byte 0xff in position 0"),
            ("ecr", b'{"authorizationData": [{"expiresAt": "never"}]}', 'invalid timestamp "never"'),
            ("ssm", DEEP, "maximum recursion depth exceeded"),
        ],
        ids=["empty", "HTML", "XML", "list", "number", "null", "bytes", "time", "deep"],
    )
    @pytest.mark.usefixtures("no_collection")
    def test_of_somebody_else(self, ask, service, body, words):
        """A page with status 200 that is none of AWS's is said to be that: a proxy's, or a login page."""
        with pytest.raises(AccountError) as error:
            ask(service, body)

        where = f"{service.upper()} in {REGION} gives an answer that can't be read: "
        assert error.value.message.startswith(where + words)
        assert error.value.hint == WHO_ANSWERS

    @pytest.mark.parametrize("service", ["sts", "ssm", "ec2", "eks", "ecr"])
    def test_refused_by_somebody_else(self, ask, service):
        """So it is with a page of any other status."""
        pages_of_others = (b"", b"{}", b"[]", b"<html>sign in</html>", b"<html><p>", b"\xff")
        for status, body in itertools.product((301, 400, 403, 500), pages_of_others):
            with pytest.raises(AccountError) as error:
                ask(service, body, status)
            assert error.value.message.startswith(f"{service.upper()} in {REGION} ")
            assert error.value.hint

    def test_without_a_code(self, ask):
        """An error without a code is one by its status."""
        with pytest.raises(AccountError) as error:
            ask("sts", b"<html>moved</html>", 301)

        assert error.value.message == "STS in us-east-2 answers 301, and does not say why"
        assert error.value.hint == WHO_ANSWERS

    @pytest.mark.parametrize(
        ("service", "body", "name"),
        [
            ("ssm", b"{}", "Parameters"),
            ("ec2", b"<html>sign in</html>", "Images"),
            ("eks", b"{}", "addons"),
        ],
    )
    def test_lacks_something(self, ask, service, body, name):
        """An answer that lacks what every answer has is found by whoever looks for it."""
        answer = ask(service, body)
        with pytest.raises(AccountError) as error:
            (answer[0] if isinstance(answer, list) else answer)[name]

        assert error.value.message == f"{service.upper()} in us-east-2 gives an answer without {name}"
        assert error.value.hint == WHO_ANSWERS

    def test_lacks_something_inside(self):
        """So is one whose parts do, however deep."""
        record = Record({"Images": [{"ImageId": "ami-1"}]}, service="EC2", region=REGION)

        assert record["Images"][0]["ImageId"] == "ami-1"
        assert record["Images"][0].get("State") is None
        with pytest.raises(AccountError, match="EC2 in us-east-2 gives an answer without State"):
            record["Images"][0]["State"]

    def test_code(self, ask):
        """A service's own code comes with the error."""
        body = b"<Response><Errors><Error><Code>InvalidAMIID.NotFound</Code></Error></Errors></Response>"
        with pytest.raises(AccountError) as error:
            ask("ec2", body, 400)

        assert error.value.code == "InvalidAMIID.NotFound"

    def test_bug(self):
        """A call that we get wrong is ours, and no answer of AWS's."""
        client = boto3.client("sts", region_name=REGION)
        with pytest.raises(AttributeError, match="no_such_operation"):
            call(client, "no_such_operation")
