"""A server's AWS becomes what it was at its start."""

import io
import json
import threading
import zipfile

import pytest

from ami.lock import LockError
from rehearsal import pause
from rehearsal.embedded import embedded
from rehearsal.faults import parse
from rehearsal.keeping.starting import Furniture, start, start_journal
from rehearsal.resetting import Resettable

REGION = "us-west-2"
VPC = {"account": "123456789012", "region": REGION, "vpc_id": "vpc-12345678", "cidr": "10.9.0.0/16", "subnets": []}
TEMPLATE = json.dumps({"Resources": {name: {"Type": "AWS::S3::Bucket"} for name in ("One", "Two")}})


@pytest.fixture
def aws():
    """An embedded AWS of the test's own."""
    made = embedded(hold_seconds=20)
    yield made
    pause.go_on()
    made.reset()


@pytest.fixture
def seed(tmp_path):
    file = tmp_path / "seed.json"
    file.write_text(json.dumps(VPC))
    return file


def ask(application, path="/_rehearsal/reset", method="POST"):
    statuses: list[str] = []
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "HTTP_HOST": "127.0.0.1", "wsgi.input": io.BytesIO()}
    answer = b"".join(application(environ, lambda status, _: statuses.append(status)))
    return statuses[0], json.loads(answer)


def names(aws):
    stacks = aws.transport.client("cloudformation", "123456789012", REGION).describe_stacks()["Stacks"]
    buckets = aws.transport.client("s3", "123456789012", REGION).list_buckets()["Buckets"]
    return [stack["StackName"] for stack in stacks], len(buckets)


def deploy(aws):
    aws.transport.client("cloudformation", "123456789012", REGION).create_stack(StackName="demo", TemplateBody=TEMPLATE)


@pytest.mark.parametrize("path", ["/_rehearsal/reset", "/moto-api/reset"])
def test_begins_again(aws, seed, path):
    """Stacks and what they made are gone, also by moto's own path; the seed and the faults of the start are back."""

    def begin():
        started = start(aws, Furniture(seed))
        aws.faults.add(parse("quota-zero"))
        return started

    application = Resettable(aws, begin)
    deploy(aws)
    aws.faults.lift()
    aws.transport.client("ec2", "123456789012", REGION).delete_vpc(VpcId="vpc-12345678")
    assert names(aws) == (["demo"], 2)

    assert ask(application, path) == ("200 OK", {"status": "ok"})

    assert names(aws) == ([], 0)
    assert [str(fault) for fault in aws.faults.active] == ["quota-zero"]
    (vpc,) = aws.transport.client("ec2", "123456789012", REGION).describe_vpcs(VpcIds=["vpc-12345678"])["Vpcs"]
    assert vpc["CidrBlock"] == "10.9.0.0/16"


def test_journal(aws, seed, tmp_path):
    """A journal begins again too: what was called before the reset is in no state that is saved after it."""
    folder = tmp_path / "journal"
    journals = []

    def begin():
        journals.append(start_journal(aws, Furniture(seed), folder, None))
        return journals[-1]

    application = Resettable(aws, begin)
    assert ask(application, "/_rehearsal/pause", "DELETE")[0] == "200 OK"
    ask(application)

    first, second = (state_of(journal) for journal in journals)
    assert (first["calls"] != [], second["calls"]) == (True, [])


def state_of(journal):
    chunks = journal({"REQUEST_METHOD": "GET", "PATH_INFO": "/_rehearsal/state"}, lambda *_: None)
    with zipfile.ZipFile(io.BytesIO(b"".join(chunks))) as archive:
        return json.loads(archive.read("state.json"))


def test_while_one_is_held(aws):
    """An operation that is held half way is let go, and is over before anything is forgotten."""
    application = Resettable(aws, lambda: start(aws, Furniture()))
    pause.hold("demo")
    thread = threading.Thread(target=deploy, args=(aws,))
    thread.start()
    for _ in range(200):
        if pause.holding():
            break
        thread.join(0.05)
    assert pause.holding()

    assert ask(application)[0] == "200 OK"

    thread.join(20)
    assert names(aws) == ([], 0)


def test_while_one_goes_on(aws, monkeypatch):
    """An operation that does not end is told, and nothing is forgotten."""
    application = Resettable(aws, lambda: start(aws, Furniture()))
    deploy(aws)
    monkeypatch.setattr("rehearsal.resetting.wait_for_all", lambda _: False)

    status, told = ask(application)

    assert status == "409 Conflict"
    assert told == {"message": "a stack's operation is going on: reset when it has ended"}
    assert names(aws) == (["demo"], 2)


def test_what_it_began_with_is_gone(aws, seed):
    """A seed that is no longer there is told by its name."""
    application = Resettable(aws, lambda: start(aws, Furniture(seed)))
    seed.unlink()

    status, told = ask(application)

    assert status == "409 Conflict"
    assert str(seed) in told["message"]


def test_refused_at_the_start(aws, tmp_path):
    """What is refused when it starts is raised to whoever starts it."""
    with pytest.raises(LockError):
        Resettable(aws, lambda: start(aws, Furniture(pins=[tmp_path / "no.json"])))


def test_another_method(aws):
    """A reset is a POST."""
    application = Resettable(aws, lambda: start(aws, Furniture()))

    status, told = ask(application, method="GET")

    assert (status, told["message"]) == ("405 Method Not Allowed", "/_rehearsal/reset takes POST, not GET")
