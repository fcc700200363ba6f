"""What ``trnstack lock`` says and does while an account is asked, and when it does not answer."""

import contextlib
import http.server
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import NoReturn

import pytest

from ami.lock import path_for
from ami.resolve import Failure, NoAccountError, ResolveError
from trnstack.cli.lock import asking

from .conftest import EXAMPLE, ROOT

_IDENTITY = (
    b"<GetCallerIdentityResponse><GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>"
    b"</GetCallerIdentityResponse>"
)


@pytest.fixture
def no_account(monkeypatch):
    """No credentials, configuration or instance's metadata of the machine that the test runs on."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.mark.usefixtures("no_account")
class TestWithoutAccount:
    @pytest.mark.parametrize(
        "options",
        [
            (),
            ("--ami-release", "v20260618"),
            ("--add-on", "coredns=v1.0.0-eksbuild.1", "--add-on", "vpc-cni=v1.0.0-eksbuild.1"),
            ("--upgrade",),
            ("--upgrade", "--sdk", "2.30.0", "--ami-release", "v20260625"),
        ],
        ids=" ".join,
    )
    def test_same_command(self, run, locked, options):
        """What can be had without an account is the same, with every option that was given."""
        before = path_for(locked).read_bytes()
        answer = run("lock", *options, locked)

        assert (answer.code, answer.stdout) == (1, "")
        *_, without, nothing = answer.stderr.splitlines()
        assert without == f"without an account: {' '.join(['trnstack lock', *options, '--offline', str(locked)])}"
        assert nothing == "nothing was changed"
        assert path_for(locked).read_bytes() == before

        assert run(*without.split()[4:]).code == 0

    def test_keys_that_have_expired(self, run, locked, monkeypatch):
        """Credentials that can't be used are a sentence, and the way without them is named."""
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
        monkeypatch.setenv("AWS_CREDENTIAL_EXPIRATION", "2020-01-01T00:00:00Z")
        answer = run("lock", locked)
        first, hint, without, _ = answer.stderr.splitlines()

        assert answer.code == 1
        assert first.startswith(f"{locked}: the AWS credentials can't be used: ")
        assert hint.startswith("  hint: sign in again")
        assert without == f"without an account: trnstack lock --offline {locked}"


class TestFailures:
    @pytest.fixture
    def fail(self, monkeypatch):
        """Has the account fail with an error."""

        def lay_out(error):
            def connect(_region) -> NoReturn:
                raise error

            monkeypatch.setattr("ami.resolve.connect", connect)

        return lay_out

    def test_same_hint(self, run, locked, fail):
        """A hint that several failures have in common is given once, below all of them."""
        network, other = "check the network", "take another: trnstack lock --upgrade FILE"
        fail(ResolveError([Failure("one", network), Failure("two", other), Failure("three", network)]))

        assert run("lock", locked).stderr.splitlines() == [
            f"{locked}: one",
            f"{locked}: three",
            "  hint: check the network",
            f"{locked}: two",
            f"  hint: take another: trnstack lock --upgrade {locked}",
            "nothing was changed",
        ]

    @pytest.mark.parametrize("name", ["my env.yaml", "$HOME.yaml"])
    def test_file_s_name(self, run, locked, fail, name):
        """A command is one that a shell takes, however the file is called."""
        file = locked.with_name(name)
        shutil.copy(locked, file)
        fail(NoAccountError([Failure("one", "take another: trnstack lock --upgrade FILE")]))
        _, hint, without, _ = run("lock", file).stderr.splitlines()

        assert hint == f"  hint: take another: trnstack lock --upgrade '{file}'"
        assert without == f"without an account: trnstack lock --offline '{file}'"


class _Hanging(http.server.BaseHTTPRequestHandler):
    """An AWS that knows the account and never answers anything else."""

    asked: threading.Event
    ended: threading.Event

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if b"Action=GetCallerIdentity" not in body:
            self.asked.set()
            self.ended.wait(60)
        self.send_response(200)
        self.send_header("Content-Length", str(len(_IDENTITY)))
        self.end_headers()
        with contextlib.suppress(BrokenPipeError):  # whoever asked has gone, as the test wants
            self.wfile.write(_IDENTITY)

    do_GET = do_HEAD = do_POST  # noqa: N815 - as the server's class wants it

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def hanging():
    """Gives the address of an AWS that never answers, and what is set once it is asked."""
    handler = type("Handler", (_Hanging,), {"asked": threading.Event(), "ended": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", handler.asked
    handler.ended.set()
    server.shutdown()
    server.server_close()


@pytest.mark.cli
@pytest.mark.usefixtures("no_account")
class TestInterrupt:
    @pytest.mark.parametrize("options", [(), ("--json",)])
    def test_while_asking(self, hanging, tmp_path, options):
        """Ctrl-C ends the command at once, with 130 and without a word, though nobody has answered yet."""
        address, asked = hanging
        file = tmp_path / EXAMPLE.name
        shutil.copy(EXAMPLE, file)
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_ENDPOINT_URL": address}
        with subprocess.Popen(
            [sys.executable, "-m", "trnstack.cli", "lock", *options, str(file)],
            cwd=ROOT,
            env={**os.environ, **keys},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert asked.wait(60)
            process.send_signal(signal.SIGINT)
            try:
                stdout, stderr = process.communicate(timeout=10)
            finally:
                process.kill()

        assert (process.returncode, stdout, stderr) == (130, "", "")
        assert not path_for(file).exists()


class TestWords:
    def test_given(self):
        """Options that were given are words of the command again, and the others are none."""
        assert asking.words(("--sdk", "2.30.0"), ("--ami-release", None)) == ["--sdk", "2.30.0"]
