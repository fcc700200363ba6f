"""An operation that is held half way, by somebody who talks to the embedded AWS."""

import io
import json
import threading
import time

import pytest

from rehearsal import pause
from rehearsal.operations import Operations, wait_for_all

ACCOUNT, REGION = "123456789012", "us-east-2"
TEMPLATE = json.dumps({"Resources": {name: {"Type": "AWS::SNS::Topic"} for name in ("One", "Two", "Three")}})


@pytest.fixture
def cloudformation(client):
    yield client("cloudformation")
    pause.go_on()
    assert wait_for_all(10)


def status(cloudformation, name="demo"):
    return cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]


def test_held_and_let_go(cloudformation):
    """The caller gets his answer, the stack waits with its first resource made, and ends when it may go on."""
    pause.hold("demo")
    started = time.monotonic()
    cloudformation.create_stack(StackName="demo", TemplateBody=TEMPLATE)
    made = [
        resource["LogicalResourceId"]
        for resource in cloudformation.describe_stack_resources(StackName="demo")["StackResources"]
        if resource.get("PhysicalResourceId")
    ]

    assert time.monotonic() - started < 5
    assert (status(cloudformation), pause.holding(), len(made)) == ("CREATE_IN_PROGRESS", True, 1)
    pause.go_on()
    assert wait_for_all(10)
    assert (status(cloudformation), pause.holding()) == ("CREATE_COMPLETE", False)


def test_deleted_while_held(cloudformation):
    """A deletion ends the creation that is held, and what is held with it."""
    pause.hold("demo")
    made = cloudformation.create_stack(StackName="demo", TemplateBody=TEMPLATE)["StackId"]
    assert pause.holding()
    cloudformation.delete_stack(StackName="demo")

    assert (status(cloudformation, made), pause.holding(), pause.stack_told()) == ("DELETE_COMPLETE", False, None)


def test_other_stack(cloudformation):
    """Another stack goes on."""
    pause.hold("elsewhere")
    cloudformation.create_stack(StackName="demo", TemplateBody=TEMPLATE)

    assert status(cloudformation) == "CREATE_COMPLETE"


def test_reset(services, cloudformation):
    """An AWS that is emptied holds nothing any more."""
    pause.hold("demo")
    services.reset()
    cloudformation.create_stack(StackName="demo", TemplateBody=TEMPLATE)

    assert status(cloudformation) == "CREATE_COMPLETE"


@pytest.mark.parametrize(
    ("method", "body", "expected"),
    [
        ("PUT", b'{"stack": "demo"}', "200 OK"),
        ("PUT", b"{}", "400 Bad Request"),
        ("PUT", b"[]", "400 Bad Request"),
        ("PUT", b"no json", "400 Bad Request"),
        ("GET", b"", "200 OK"),
        ("DELETE", b"", "200 OK"),
        ("POST", b"", "405 Method Not Allowed"),
    ],
)
def test_answers(services, method, body, expected):
    """It is told over HTTP; what can't be read is refused."""
    said = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": pause.PATH,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    chunks = services.application(environ, lambda line, _: said.append(line))
    pause.go_on()

    assert said == [expected]
    told = json.loads(b"".join(chunks))
    if expected == "200 OK":
        assert told == {"holding": False, "stack": "demo" if method == "PUT" else None}
    else:
        assert told.keys() == {"message"}


def test_waits_no_longer_than_said():
    """Whoever waits for operations that do not end is told so."""
    may_end = threading.Event()
    thread = threading.Thread(target=may_end.wait, args=(5,), name="stack demo", daemon=True)
    thread.start()

    assert not wait_for_all(0.1)
    may_end.set()
    assert wait_for_all(5)
    assert Operations().hold_seconds < 60
