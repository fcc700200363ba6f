"""What a person reads of the times of a rehearsal's stacks."""

import datetime as dt
import json

import pytest

from rehearsal import clock
from rehearsal.durations import row
from rehearsal.times import Took, last, last_run, report, times_section

NETWORK = {
    "Resources": {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Key": {
            "Type": "AWS::KMS::Key",
            "Properties": {
                "KeyPolicy": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
                            "Action": "kms:*",
                            "Resource": "*",
                        }
                    ],
                }
            },
        },
        "Topic": {"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKeyId": {"Ref": "Key"}}, "DependsOn": "Vpc"},
    },
    "Outputs": {"Key": {"Value": {"Ref": "Key"}, "Export": {"Name": "key"}}},
}
USER = {
    "Resources": {"Topic": {"Type": "AWS::SNS::Topic", "Properties": {"KmsMasterKeyId": {"Fn::ImportValue": "key"}}}}
}
ALONE = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}


@pytest.fixture
def cloudformation(client):
    made = client("cloudformation")
    for name, template in (("base", NETWORK), ("user", USER), ("alone", ALONE)):
        made.create_stack(StackName=name, TemplateBody=json.dumps(template))
        assert made.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE"
    return made


class TestLastRun:
    def test_path(self, cloudformation):
        """What a stack's end waited for is followed back to its begin, by what each resource needs."""
        run = last_run(cloudformation, "base")

        assert [took.logical_id for took in run.path] == ["Key", "Topic"]
        assert [round(took.minutes, 2) for took in run.path] == [0.5, 0.05]
        assert run.minutes == pytest.approx(0.55, abs=0.01)
        assert run.low < run.minutes < run.high
        assert run.exports == {"key"}
        assert last_run(cloudformation, "user").imports == {"key"}

    def test_the_last_operation(self, cloudformation):
        """A later deletion is told by itself, and goes the other way."""
        cloudformation.delete_stack(StackName="user")
        arn = cloudformation.describe_stacks(StackName="base")["Stacks"][0]["StackId"]
        cloudformation.delete_stack(StackName="base")

        run = last_run(cloudformation, arn)

        assert [took.logical_id for took in run.path] == ["Topic", "Vpc"] or [took.logical_id for took in run.path] == [
            "Topic",
            "Key",
        ]
        assert run.stack == "base"


class TestLast:
    def test_at_the_same_time(self):
        """Of those that ended a moment apart the first by its name is followed, as a plan's estimate has it."""
        start = dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
        known = row("AWS::EKS::Addon", "CREATE", {}, {})
        ends = {"B": 120.0, "A": 119.998, "Earlier": 117.0}
        took = [
            Took(name, "AWS::EKS::Addon", start, start + dt.timedelta(seconds=end), known) for name, end in ends.items()
        ]

        assert [last(took), last(took[::-1]), last(took[2:]), last([])] == [took[1], took[1], took[2], None]


class TestReport:
    def test_section(self, cloudformation):
        """The whole time, one after another and side by side, what is waited for, and how sure it is."""
        text = times_section(cloudformation, ["base", "user", "alone"])
        runs = [last_run(cloudformation, name) for name in ("base", "user", "alone")]

        assert text.splitlines() == report(runs)
        assert text.startswith("How long AWS would take: an estimate, by what third parties measured")
        assert "one stack after another, as cdk deploys" in text
        assert "side by side, with cdk deploy --concurrency 3" in text
        assert "0.5 min  base  KMS key Key" in text
        assert "no figure of AWS's own: KMS key" in text

    def test_one_stack(self, cloudformation):
        """A stack alone has nothing beside it."""
        assert "side by side" not in times_section(cloudformation, ["base"])


class TestTold:
    """Events as the API tells them: by the rehearsal's clock, and to the CDK CLI by the machine's."""

    def timestamps(self, cloudformation, user_agent=""):
        def named(request, **_):
            request.headers["User-Agent"] = f"{request.headers['User-Agent']} {user_agent}"

        cloudformation.meta.events.register("before-sign.cloudformation", named)
        try:
            events = cloudformation.describe_stack_events(StackName="base")["StackEvents"]
        finally:
            cloudformation.meta.events.unregister("before-sign.cloudformation", named)
        return [event["Timestamp"] for event in reversed(events)]

    def test_by_the_clock(self, cloudformation):
        """A program is told the times at which AWS would have come to it."""
        told = self.timestamps(cloudformation)

        assert f"{told[0]:%Y-%m-%d %H:%M}" == "2026-12-01 00:00"
        assert 30 < (told[-1] - told[0]).total_seconds() < 40
        assert told[-1] < clock.now() + clock.MOMENT * 100

    def test_to_the_cdk_cli(self, cloudformation):
        """The CLI, which compares them with its own clock, is told when they were recorded, in the same order."""
        told = self.timestamps(cloudformation, "aws-cdk/2.1148.1")

        assert told == sorted(told)
        assert (told[-1] - told[0]).total_seconds() < 20
