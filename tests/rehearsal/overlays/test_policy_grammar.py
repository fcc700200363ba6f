"""Policies of every shape: whoever looks at one takes it or refuses it, and never fails at it."""

import json

import pytest

from rehearsal.overlays import policy_grammar, trust
from rehearsal.overlays.errors import OverlayError
from rehearsal.overlays.iam_documents import check_identity
from rehearsal.overlays.iam_trust import check_trust
from rehearsal.overlays.kms_policies import check_key_policy
from rehearsal.overlays.s3_policies import check_policy
from tests.rehearsal.overlays.mutants import mutants

ACCOUNT = "123456789012"
CONDITION = {
    "StringEquals": {"aws:SourceAccount": [ACCOUNT]},
    "IpAddress": {"aws:SourceIp": "10.0.0.0/8"},
    "DateLessThan": {"aws:CurrentTime": "2030-01-01"},
}


def policy(**members):
    return {"Version": "2012-10-17", "Id": "a", "Statement": [{"Sid": "a", "Effect": "Allow", **members}]}


def of_identity(text):
    check_identity(text, partition="aws")


def of_trust(text):
    check_trust(text, account=ACCOUNT, partition="aws")


def of_bucket(text):
    check_policy("data", text, account=ACCOUNT, partition="aws", blocks_public=True)


def of_key(text):
    check_key_policy(text, account=ACCOUNT, partition="aws", bypass=False)


ANYBODY = {"AWS": ["*"], "Service": "lambda.amazonaws.com", "Federated": "cognito-identity.amazonaws.com"}
CHECKS = [
    (of_identity, policy(Action=["s3:GetObject"], Resource=["arn:aws:s3:::data/*"], Condition=CONDITION)),
    (of_trust, policy(Principal=ANYBODY, Action=["sts:AssumeRole"], Condition=CONDITION)),
    (
        of_bucket,
        policy(
            Principal={"AWS": ["*"]}, Action=["s3:GetObject"], Resource=["arn:aws:s3:::data/*"], Condition=CONDITION
        ),
    ),
    (of_key, policy(Principal={"AWS": ["*"]}, Action=["kms:*"], Resource=["*"], Condition=CONDITION)),
]


@pytest.mark.parametrize(("check", "document"), CHECKS)
class TestChecks:
    def test_as_it_is(self, check, document):
        """The document that others are made from is taken."""
        check(json.dumps(document))

    def test_anything(self, check, document):
        """Whatever is written in the place of a part, the answer is the service's."""
        taken = refused = 0
        for one in mutants(document):
            try:
                check(json.dumps(one))
                taken += 1
            except OverlayError:
                refused += 1

        assert refused > taken > 0

    @pytest.mark.parametrize("text", ["", "{", "null", "[]", "1", "[" * 100_000, '{"a":' * 100_000])
    def test_no_document(self, check, document, text):
        """What is no JSON, no object, or nested without end is refused."""
        del document
        with pytest.raises(OverlayError):
            check(text)

    @pytest.mark.parametrize(
        "condition",
        [None, "x", [CONDITION], {"StringEquals": None}, {"StringEquals": "x"}, {"StringEquals": {"a": {}}}],
    )
    def test_no_condition(self, check, document, condition):
        """Conditions that are none are refused, not left aside."""
        (statement,) = document["Statement"]
        with pytest.raises(OverlayError):
            check(json.dumps({**document, "Statement": [{**statement, "Condition": condition}]}))


class TestConditions:
    def test_each(self):
        """Each value stands beside its operator and key, alone or in a list."""
        found = policy_grammar.conditions({"Condition": {"A": {"k": "v", "l": ["v", "w"]}, "B": {"k": 1}}})

        assert list(found) == [("A", "k", ["v"]), ("A", "l", ["v", "w"]), ("B", "k", [1])]

    @pytest.mark.parametrize("condition", [None, "x", [], {"A": None}, {"A": "x"}, {"A": []}])
    def test_of_no_form(self, condition):
        """What has not their form is none."""
        assert list(policy_grammar.conditions({"Condition": condition})) == []


class TestStatements:
    @pytest.mark.parametrize("document", ["null", "[]", '"x"', "{}", '{"Statement": ["x", null, 1]}'])
    def test_none(self, document):
        """Of what has no statements there are none."""
        assert list(trust.statements(document)) == []
