"""What KMS takes and refuses of keys' policies."""

import json

import pytest
from botocore.exceptions import ClientError

ACCOUNT = "123456789012"
ROOT = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "kms:*", "Resource": "*"}
DECRYPT = {"Effect": "Allow", "Principal": {"Service": "logs.us-east-2.amazonaws.com"}, "Action": "kms:Decrypt"}
WITHOUT = object()


@pytest.fixture
def kms(client):
    return client("kms")


def policy(*statements, **members):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements), **members})


def statement(**members):
    """A second statement, with other members of it; WITHOUT takes one away."""
    merged = {**DECRYPT, "Resource": "*", **members}
    return {name: value for name, value in merged.items() if value is not WITHOUT}


@pytest.mark.parametrize(
    "second",
    [
        statement(),
        statement(Sid="Allow the logs, ä"),
        statement(Principal={"AWS": "*"}, Condition={"StringEquals": {"kms:CallerAccount": ACCOUNT}}),
        statement(Principal={"AWS": "111122223333"}),
        statement(Principal={"AWS": "arn:aws:iam::111122223333:role/somebody"}),
        statement(Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/a.amazonaws.com/Later"}),
        statement(Principal={"AWS": "AROACKCEVSQ6C2EXAMPLE"}),
        statement(Action=WITHOUT, NotAction="kms:Delete*"),
        statement(Effect="Deny", Principal="*"),
    ],
    ids=str,
)
def test_taken(kms, second):
    """Whoever may be named is taken, with spaces in what a statement is called."""
    key = kms.create_key(Policy=policy(ROOT, second))["KeyMetadata"]["KeyId"]
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=policy(ROOT, second))

    assert kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"] == policy(ROOT, second)


def test_without_a_version(kms):
    """A policy without a version is of the older one."""
    kms.create_key(Policy=json.dumps({"Statement": [ROOT]}))


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (statement(Principal=WITHOUT), "Policy contains a statement with no principal."),
        (statement(Principal={"AWS": []}), "Policy contains a statement with no principal."),
        (statement(Principal={"AWS": "somebody"}), "one or more invalid principals."),
        (statement(Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/nobody"}), "one or more invalid principals."),
        (statement(Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:role/*"}), "one or more invalid principals."),
        (statement(Action=WITHOUT), "Missing required field Action"),
        (statement(Resource=WITHOUT), "Missing required field Resource"),
        (statement(Effect=WITHOUT), "Missing required field Effect"),
        (statement(Effect="allow"), "Invalid effect: allow"),
        (statement(Principals="*"), "Unknown field Principals"),
    ],
    ids=str,
)
def test_refused(kms, second, words):
    """Nobody, and what is of another grammar, is refused, at creation and afterwards."""
    with pytest.raises(ClientError, match=f"MalformedPolicyDocumentException.*CreateKey.*{words}"):
        kms.create_key(Policy=policy(ROOT, second))
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    with pytest.raises(ClientError, match=f"MalformedPolicyDocumentException.*PutKeyPolicy.*{words}"):
        kms.put_key_policy(KeyId=key, PolicyName="default", Policy=policy(ROOT, second))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("everybody", "not valid JSON"),
        ("[]", "not valid JSON"),
        (policy(), "Missing required field Statement"),
        (policy(ROOT, Version="2012-10-18"), "must contain a valid version string"),
        (policy(ROOT, Comment="x"), "Unknown field Comment"),
    ],
)
def test_documents(kms, text, words):
    """A document that is no policy is refused."""
    with pytest.raises(ClientError, match=f"MalformedPolicyDocumentException.*{words}"):
        kms.create_key(Policy=text)


def test_letters(kms):
    """A policy has no letters beyond Latin ones."""
    text = json.dumps({"Statement": [{**ROOT, "Sid": "ключ"}]}, ensure_ascii=False)
    with pytest.raises(ClientError, match=r"ValidationException.*must satisfy regular expression pattern"):
        kms.create_key(Policy=text)


class TestLockout:
    def test_nobody_could_change_it(self, kms):
        """Somebody of the account has to be let change the policy again, or the caller takes it upon himself."""
        with pytest.raises(ClientError, match="will not allow you to update the key policy in the future"):
            kms.create_key(Policy=policy(statement()))
        kms.create_key(Policy=policy(statement()), BypassPolicyLockoutSafetyCheck=True)

    def test_not_by_exception(self, kms):
        """Who is let do everything but other things may change it too."""
        kms.create_key(Policy=policy({**ROOT, "Action": ["kms:Put*"]}))
        other = {name: value for name, value in ROOT.items() if name != "Action"}
        kms.create_key(Policy=policy({**other, "NotAction": "kms:Delete*"}))
        with pytest.raises(ClientError, match="will not allow you"):
            kms.create_key(Policy=policy({**other, "NotAction": "kms:*"}))
