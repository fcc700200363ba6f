"""Whom roles trust, and whose account is known in full."""

import json
from types import SimpleNamespace

import pytest

from rehearsal.overlays.trust import knows_all_of, trusts_service

SERVICE = "pods.eks.amazonaws.com"


def role(*statements):
    """A role by the statements of its trust policy."""
    document = {"Version": "2012-10-17", "Statement": list(statements)}
    return SimpleNamespace(assume_role_policy_document=json.dumps(document))


def allows(action, effect="Allow", service=SERVICE):
    return {"Effect": effect, "Action": action, "Principal": {"Service": service}}


class TestTrustsService:
    @pytest.mark.parametrize(
        "trusted",
        [
            role(allows(["sts:AssumeRole", "sts:TagSession"])),
            role(allows("sts:AssumeRole"), allows("sts:TagSession")),
            role(allows("sts:*", service=["ec2.amazonaws.com", SERVICE])),
        ],
        ids=["one statement", "two statements", "pattern"],
    )
    def test_everything_that_is_asked_for(self, trusted):
        """Actions may be told in one statement or several, or by a pattern."""
        assert trusts_service(trusted, SERVICE, ("sts:AssumeRole", "sts:TagSession"))

    @pytest.mark.parametrize(
        "untrusted",
        [
            role(allows("sts:AssumeRole")),
            role(allows(["sts:AssumeRole", "sts:TagSession"], effect="Deny")),
            role(allows(["sts:AssumeRole", "sts:TagSession"], service="ec2.amazonaws.com")),
            role(),
        ],
        ids=["one action", "denied", "another service", "nobody"],
    )
    def test_less(self, untrusted):
        """One action less is not enough, nor is another service's trust."""
        assert not trusts_service(untrusted, SERVICE, ("sts:AssumeRole", "sts:TagSession"))


def test_knows_all_of():
    """Only of the account that is made up is it known what is not there."""
    assert knows_all_of("123456789012")
    assert not knows_all_of("111122223333")
