"""What a template takes out of Secrets Manager, and what CloudFormation says where it can't."""

import json

import pytest

from rehearsal.engine.surroundings import surroundings
from rehearsal.templates.template import TemplateError
from rehearsal.world import World

ACCOUNT, REGION = "123456789012", "us-east-2"


@pytest.fixture
def resolve(client):
    """Resolves a reference to the secret ``db``, which is made with what it is to hold."""
    world = World()
    stack = world.new("main", account=ACCOUNT, region=REGION, partition="aws")

    def resolve(reference, **held: object) -> str:
        client("secretsmanager").create_secret(Name="db", **held)
        found = surroundings(world, stack, lambda service, _: client(service), set())
        return found.dynamic("secretsmanager", reference)

    return resolve


@pytest.mark.parametrize(
    ("reference", "value"),
    [("db", '{"user": "me", "port": 5}'), ("db:SecretString:user", "me"), ("db:SecretString:port::", "5")],
)
def test_text_and_member(resolve, reference, value):
    """The whole text, or one member of it."""
    assert resolve(reference, SecretString=json.dumps({"user": "me", "port": 5})) == value


@pytest.mark.parametrize("text", ["hunter2", "[]", "5", "null", "[" * 60_000])
def test_no_members(resolve, text):
    """A text that has no members is none to look for one in."""
    with pytest.raises(TemplateError, match=r"^Could not parse SecretString JSON$"):
        resolve("db:SecretString:user", SecretString=text)


def test_unknown_member(resolve):
    """A member that is not there is refused."""
    with pytest.raises(TemplateError, match=r"^Could not find a value associated with JSONKey in SecretString$"):
        resolve("db:SecretString:other", SecretString="{}")


def test_no_text(resolve):
    """A secret of bytes is not modelled."""
    with pytest.raises(TemplateError, match="The rehearsal does not model secrets that are no text: db"):
        resolve("db", SecretBinary=b"x")
