"""Whom roles trust, and whose account is known in full."""

import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from rehearsal.handlers.base import ResourceError
from rehearsal.handlers.s3_copies import check_copies
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


class TestAccountOfSomebody:
    """In an account of which the rehearsal does not know everything, what it was not told of may be there."""

    ROLE = "arn:aws:iam::444455556666:role/of-somebody"

    @pytest.fixture
    def theirs(self, services):
        """Gives the client of a service in such an account, in which the rehearsal has made nothing."""
        services.reset()
        return lambda service: services.transport.client(service, "444455556666", "us-east-2")

    def test_roles_of_a_cluster(self, theirs):
        """A cluster and its nodes may have a role that is not known."""
        ec2, eks = theirs("ec2"), theirs("eks")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"us-east-2{zone}")["Subnet"]
            for number, zone in enumerate("ab")
        ]
        places = [subnet["SubnetId"] for subnet in subnets]
        eks.create_cluster(name="demo", roleArn=self.ROLE, resourcesVpcConfig={"subnetIds": places})
        group = eks.create_nodegroup(clusterName="demo", nodegroupName="a", nodeRole=self.ROLE, subnets=places)

        assert group["nodegroup"]["nodeRole"] == self.ROLE

    def test_role_of_a_schedule(self, theirs):
        """So may a schedule."""
        made = theirs("scheduler").create_schedule(
            Name="a",
            ScheduleExpression="rate(1 hour)",
            FlexibleTimeWindow={"Mode": "OFF"},
            Target={"Arn": "arn:aws:sns:us-east-2:444455556666:a", "RoleArn": self.ROLE},
        )

        assert made["ScheduleArn"].endswith("schedule/default/a")

    def test_bucket_of_logs(self, theirs):
        """A bucket's logs may go into a bucket that is not known."""
        s3 = theirs("s3")
        s3.create_bucket(Bucket="of-somebody", CreateBucketConfiguration={"LocationConstraint": "us-east-2"})
        logs = {"TargetBucket": "their-logs", "TargetPrefix": "a/"}
        s3.put_bucket_logging(Bucket="of-somebody", BucketLoggingStatus={"LoggingEnabled": logs})

        assert s3.get_bucket_logging(Bucket="of-somebody")["LoggingEnabled"] == logs

    @pytest.mark.parametrize(("owner", "taken"), [("444455556666", True), ("123456789012", False)])
    def test_bucket_of_copies(self, client, owner, taken):
        """A bucket of somebody's may be there to take copies; one of the rehearsal's own is there or is not."""
        rule = {"Destination": {"Bucket": "arn:aws:s3:::their-copies", "Account": owner}, "Status": "Enabled"}
        properties = {"ReplicationConfiguration": {"Rules": [rule]}}
        with nullcontext() if taken else pytest.raises(ResourceError, match="Destination bucket must exist"):
            check_copies(client("s3"), properties, account="123456789012")
