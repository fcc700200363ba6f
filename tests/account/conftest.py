"""What asks AWS is tested against moto, which carries EC2's own records, and against answers laid out for it."""

import copy
import http.server
import os
import threading
from collections.abc import Iterator

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from account.catalog import Reading, ask, ec2_clients


@pytest.fixture(autouse=True)
def no_real_account(monkeypatch):
    """No test sees credentials, configuration or an instance's metadata of the machine that it runs on."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")


class Page:
    """A server of this machine that answers every request alike.

    Attributes:
        url: Its address.
        status, body: What it answers.
    """

    def __init__(self) -> None:
        self.status, self.body = 200, b""
        page = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(page.status)
                self.send_header("Content-Length", str(len(page.body)))
                self.end_headers()
                self.wfile.write(page.body)

            do_POST = do_GET  # noqa: N815 - as the server's class wants it

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,)).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def page() -> Iterator[Page]:
    """A server that answers as a test lays it out."""
    made = Page()
    yield made
    made.close()


@pytest.fixture
def aws():
    """AWS as moto has it."""
    with mock_aws():
        yield


@pytest.fixture
def stubbed():
    """Returns a maker of clients that give the answers of a list, in order: (operation, answer or error code)."""
    stubs = []

    def make(region, *answers):
        client = boto3.client("ec2", region_name=region)
        stub = Stubber(client)
        for operation, answer in answers:
            if isinstance(answer, str):
                stub.add_client_error(operation, answer, service_message="says why")
            else:
                stub.add_response(operation, answer)
        stub.activate()
        stubs.append(stub)
        return client

    yield make
    for stub in stubs:
        stub.assert_no_pending_responses()


@pytest.fixture(scope="session")
def known_reading():
    """EC2's answers in two regions, as moto carries them."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setenv("AWS_ACCESS_KEY_ID", "testing")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
        return ask(ec2_clients(["ap-south-2", "us-east-2"]), told=lambda _: None)


@pytest.fixture
def reading(known_reading):
    """Those answers, which a test may change."""
    return Reading(answers=copy.deepcopy(known_reading.answers), refused={})
