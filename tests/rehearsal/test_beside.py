"""What answers beside the services, and what is said at a path where nothing does."""

import io
import json

import pytest

from rehearsal import pause


@pytest.fixture
def ask(services):
    """Asks the embedded AWS something that AWS is not asked; gives the status and what it says."""

    def ask(method, path, body=b"", **headers: str) -> tuple[str, dict]:
        statuses: list[str] = []
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "HTTP_HOST": "127.0.0.1", **headers}
        environ |= {"CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
        answer = b"".join(services.application(environ, lambda status, _: statuses.append(status)))
        return statuses[0], json.loads(answer)

    yield ask
    pause.go_on()


@pytest.mark.parametrize("path", ["/_rehearsal", "/_rehearsal/", "/_rehearsal/nope", "/_rehearsal/faults/more"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_unknown(ask, method, path):
    """A misspelt path is answered with those that there are, and by no service of AWS's."""
    status, told = ask(method, path)

    assert status == "404 Not Found"
    assert told == {
        "message": f"there is nothing at {path}; there are "
        "/_rehearsal/faults, /_rehearsal/clock, /_rehearsal/pause, /_rehearsal/state, /_rehearsal/reset"
    }


def test_no_state(ask):
    """Where nothing keeps a state, it is said what does."""
    status, told = ask("GET", "/_rehearsal/state")

    assert status == "404 Not Found"
    assert "--journal" in told["message"]
    assert ask("PUT", "/_rehearsal/state")[0] == "405 Method Not Allowed"


def test_no_reset(ask):
    """An AWS within a process is reset there, and says so."""
    status, told = ask("POST", "/_rehearsal/reset")

    assert status == "404 Not Found"
    assert "rehearsal.reset()" in told["message"]


@pytest.mark.parametrize("path", ["/_rehearsal/faults", "/_rehearsal/reset"])
def test_signed(ask, path):
    """A request that is signed for AWS gets a sentence too."""
    status, told = ask("GET", path, HTTP_AUTHORIZATION="AWS4-HMAC-SHA256 Credential=x")

    assert status == "400 Bad Request"
    assert "without a signature" in told["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'{"stack": 3}', b'{"stack": ""}', b'{"stack": "no such"}'])
def test_pause_of_nothing(ask, body):
    """What is no name of a stack is refused, and what was told before stays."""
    assert ask("PUT", "/_rehearsal/pause", b'{"stack": "demo"}') == ("200 OK", {"holding": False, "stack": "demo"})
    status, told = ask("PUT", "/_rehearsal/pause", body)

    assert status == "400 Bad Request"
    assert told["message"].startswith('the body should be {"stack": "NAME"}')
    assert ask("GET", "/_rehearsal/pause")[1]["stack"] == "demo"


def test_pause_by_another_method(ask):
    """Another method is refused in words."""
    assert ask("POST", "/_rehearsal/pause") == (
        "405 Method Not Allowed",
        {"message": "/_rehearsal/pause takes GET, PUT and DELETE, not POST"},
    )
