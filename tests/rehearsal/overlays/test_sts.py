"""Who may act as whom."""

import json

import pytest
from botocore.exceptions import ClientError

OWN, OTHER = "123456789012", "210987654321"


@pytest.fixture
def roles(services, client):
    """Returns a builder of roles in another account, by whom they trust."""
    client("sts")
    iam = services.transport.client("iam", OTHER, "us-east-2")

    def make(principal):
        trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        return iam.create_role(RoleName="deploy", AssumeRolePolicyDocument=document)["Role"]["Arn"]

    return make


class TestAssumeRole:
    @pytest.mark.parametrize(
        "principal", [{"AWS": OWN}, {"AWS": f"arn:aws:iam::{OWN}:root"}, {"AWS": [OTHER, OWN]}, {"AWS": "*"}]
    )
    def test_trusted(self, roles, client, principal):
        """A role that trusts the caller's account gives it keys."""
        answer = client("sts").assume_role(RoleArn=roles(principal), RoleSessionName="session")

        assert answer["AssumedRoleUser"]["Arn"].startswith(f"arn:aws:sts::{OTHER}:assumed-role/deploy/")

    @pytest.mark.parametrize("principal", [{"AWS": OTHER}, {"Service": "ec2.amazonaws.com"}, {"AWS": f"{OWN[:-1]}0"}])
    def test_not_trusted(self, roles, client, principal):
        """A role that trusts others only refuses."""
        arn = roles(principal)

        with pytest.raises(ClientError, match=f"not authorized to perform: sts:AssumeRole on resource: {arn}"):
            client("sts").assume_role(RoleArn=arn, RoleSessionName="session")

    @pytest.mark.parametrize("arn", [f"arn:aws:iam::{OWN}:role/nobody", f"arn:aws:iam::{OTHER}:role/nobody"])
    def test_no_such_role(self, client, arn):
        """A role that does not exist can't be assumed, wherever it would be."""
        with pytest.raises(ClientError, match="AccessDenied"):
            client("sts").assume_role(RoleArn=arn, RoleSessionName="session")
