"""What a request names beside its stack: a role, topics, and alarms that lead the stack back."""

import datetime as dt
import json

import pytest
from botocore.exceptions import ClientError

ACCOUNT, REGION = "123456789012", "us-west-2"


@pytest.fixture
def create(cloudformation, body):
    """Creates a stack of one thing."""

    def make(name="main", **options: object):
        return cloudformation.create_stack(StackName=name, TemplateBody=body(A={}), **options)

    return make


@pytest.fixture
def one(cloudformation):
    return lambda name="main": cloudformation.describe_stacks(StackName=name)["Stacks"][0]


class TestRole:
    @pytest.fixture
    def iam(self, aws):
        return aws.transport.client("iam", ACCOUNT, REGION)

    @pytest.fixture
    def role(self, iam):
        """Makes a role that a service may assume, and gives its ARN."""

        def make(name="deploy", service="cloudformation.amazonaws.com") -> str:
            trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
            document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
            return str(iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"])

        return make

    def test_is_given_back(self, create, one, role):
        """The role of the operations is kept with the stack."""
        arn = role()
        create(RoleARN=arn)

        assert one()["RoleARN"] == arn

    def test_not_there(self, create, cloudformation):
        """A role that is not there is refused, and there is no stack."""
        arn = f"arn:aws:iam::{ACCOUNT}:role/nobody"
        with pytest.raises(ClientError, match=rf"ValidationError.*Role {arn} is invalid or cannot be assumed$"):
            create(RoleARN=arn)

        assert cloudformation.list_stacks()["StackSummaries"] == []

    def test_trusts_somebody_else(self, create, role):
        """A role that CloudFormation may not assume is refused in the same words."""
        with pytest.raises(ClientError, match="is invalid or cannot be assumed"):
            create(RoleARN=role(service="ec2.amazonaws.com"))

    def test_is_deleted_before_the_stack(self, cloudformation, body, create, iam, one, role):
        """A stack whose role is gone is neither changed nor deleted, until it is given another one."""
        create(RoleARN=role())
        made = cloudformation.create_change_set(StackName="main", ChangeSetName="cs", TemplateBody=body(A={"X": 1}))
        iam.delete_role(RoleName="deploy")

        for call in (
            lambda: cloudformation.update_stack(StackName="main", TemplateBody=body(A={"X": 2})),
            lambda: cloudformation.execute_change_set(ChangeSetName=made["Id"]),
            lambda: cloudformation.delete_stack(StackName="main"),
        ):
            with pytest.raises(ClientError, match="role/deploy is invalid or cannot be assumed"):
                call()
        assert one()["StackStatus"] == "CREATE_COMPLETE"
        cloudformation.delete_stack(StackName="main", RoleARN=role("other"))

        assert cloudformation.describe_stacks()["Stacks"] == []

    def test_account_of_somebodys(self, aws, body):
        """In an account of which the rehearsal does not know every role, none is missed."""
        other = aws.transport.client("cloudformation", "210987654321", REGION)
        other.create_stack(
            StackName="main", TemplateBody=body(A={}), RoleARN="arn:aws:iam::210987654321:role/of-the-account"
        )

        assert other.describe_stacks(StackName="main")["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE"


class TestTopics:
    def test_kept(self, aws, create, one):
        """Topics that are there are kept with the stack."""
        arn = aws.transport.client("sns", ACCOUNT, REGION).create_topic(Name="events")["TopicArn"]
        create(NotificationARNs=[arn])

        assert one()["NotificationARNs"] == [arn]

    def test_not_there(self, create):
        """A topic that is not there is refused with what SNS says."""
        with pytest.raises(
            ClientError, match=r"ValidationError.*Service: AmazonSNS; Status Code: 404; Error Code: NotFound"
        ):
            create(NotificationARNs=[f"arn:aws:sns:{REGION}:{ACCOUNT}:nobody"])

    def test_no_arn(self, create):
        """What is no topic's ARN is refused with what SNS says of it."""
        with pytest.raises(ClientError, match=r"ValidationError.*at least 6 elements, not 2 \(Service: AmazonSNS"):
            create(NotificationARNs=["topic:events"])

    def test_number(self, create):
        """A stack has up to five."""
        with pytest.raises(ClientError, match=r"at 'notificationARNs' failed .* less than or equal to 5"):
            create(NotificationARNs=[f"arn:aws:sns:{REGION}:{ACCOUNT}:n{number}" for number in range(6)])


class TestRollbackTriggers:
    @pytest.fixture
    def cloudwatch(self, aws):
        return aws.transport.client("cloudwatch", ACCOUNT, REGION)

    @pytest.fixture
    def trigger(self, cloudwatch):
        """Makes an alarm and gives it as a trigger."""

        def make(name="high", state="OK") -> dict[str, str]:
            cloudwatch.put_metric_alarm(
                AlarmName=name,
                Namespace="n",
                MetricName="m",
                Statistic="Sum",
                Period=60,
                EvaluationPeriods=1,
                Threshold=1.0,
                ComparisonOperator="GreaterThanThreshold",
            )
            cloudwatch.set_alarm_state(AlarmName=name, StateValue=state, StateReason="told to")
            (found,) = cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
            return {"Arn": found["AlarmArn"], "Type": "AWS::CloudWatch::Alarm"}

        return make

    def test_all_is_well(self, cloudformation, create, one, trigger):
        """The monitoring time passes by the stack's clock before the creation is complete."""
        config = {"RollbackTriggers": [trigger()], "MonitoringTimeInMinutes": 30}
        create(RollbackConfiguration=config)

        assert (one()["StackStatus"], one()["RollbackConfiguration"]) == ("CREATE_COMPLETE", config)
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        assert events[0]["Timestamp"] - events[1]["Timestamp"] >= dt.timedelta(minutes=30)

    def test_clean_up_waits_for_it(self, cloudformation, body, create):
        """What an update leaves out is removed when the monitoring time is over, without triggers too."""
        create()
        cloudformation.update_stack(
            StackName="main", TemplateBody=body(B={}), RollbackConfiguration={"MonitoringTimeInMinutes": 60}
        )

        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        at = {(event["LogicalResourceId"], event["ResourceStatus"]): event["Timestamp"] for event in events}
        waited = at["A", "DELETE_IN_PROGRESS"] - at["B", "CREATE_COMPLETE"]
        assert waited >= dt.timedelta(minutes=60)

    def test_creation(self, create, one, trigger):
        """A creation whose alarm is in ALARM is led back."""
        found = trigger(state="ALARM")
        create(RollbackConfiguration={"RollbackTriggers": [found]})

        assert one()["StackStatus"] == "ROLLBACK_COMPLETE"

    def test_update(self, cloudformation, body, create, one, trigger, cloudwatch):
        """A stack keeps its triggers: a later update is led back when one of them is in ALARM."""
        create(RollbackConfiguration={"RollbackTriggers": [trigger()]})
        cloudwatch.set_alarm_state(AlarmName="high", StateValue="ALARM", StateReason="told to")
        cloudformation.update_stack(
            StackName="main", TemplateBody=body(A={"X": 1}), RollbackConfiguration={"MonitoringTimeInMinutes": 5}
        )

        assert one()["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        (reason,) = (
            event["ResourceStatusReason"]
            for event in events
            if event["ResourceStatus"] == "UPDATE_ROLLBACK_IN_PROGRESS" and "ResourceStatusReason" in event
        )
        assert "alarm:high] is in ALARM state" in reason

    def test_taken_off(self, cloudformation, body, create, one, trigger, cloudwatch):
        """An update with an empty list takes the triggers off."""
        create(RollbackConfiguration={"RollbackTriggers": [trigger()]})
        cloudwatch.set_alarm_state(AlarmName="high", StateValue="ALARM", StateReason="told to")
        cloudformation.update_stack(
            StackName="main", TemplateBody=body(A={"X": 1}), RollbackConfiguration={"RollbackTriggers": []}
        )

        assert one()["StackStatus"] == "UPDATE_COMPLETE"

    @pytest.mark.parametrize("kind", ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"])
    def test_missing(self, create, cloudformation, trigger, kind):
        """An alarm that is not there, or is another kind of alarm, fails the operation before a resource is made."""
        found = {**trigger(), "Type": kind}
        if kind == "AWS::CloudWatch::Alarm":
            found["Arn"] = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:nobody"
        made = create(RollbackConfiguration={"RollbackTriggers": [found]}, OnFailure="DELETE")

        (stack,) = cloudformation.describe_stacks(StackName=made["StackId"])["Stacks"]
        events = cloudformation.describe_stack_events(StackName=made["StackId"])["StackEvents"]
        assert stack["StackStatus"] == "DELETE_COMPLETE"
        assert {event["LogicalResourceId"] for event in events} == {"main"}
        assert f"Rollback trigger [{found['Arn']}] does not exist. Delete requested by user." in {
            event.get("ResourceStatusReason") for event in events
        }

    @pytest.mark.parametrize(
        ("config", "says"),
        [
            ({"MonitoringTimeInMinutes": 181}, r"monitoringTimeInMinutes' failed .* less than or equal to 180"),
            ({"RollbackTriggers": [{"Arn": "a", "Type": "AWS::SNS::Topic"}]}, "Rollback Trigger Type not supported"),
            (
                {"RollbackTriggers": [{"Arn": "a", "Type": "AWS::CloudWatch::Alarm"}]},
                "RelativeId of a Rollback Trigger's ARN is incorrect",
            ),
            (
                {"RollbackTriggers": [{"Arn": f"a{n}", "Type": "AWS::CloudWatch::Alarm"} for n in range(6)]},
                r"rollbackTriggers' failed .* less than or equal to 5",
            ),
        ],
    )
    def test_refused(self, create, config, says):
        """There are up to five triggers, which are alarms, and three hours of monitoring."""
        with pytest.raises(ClientError, match=f"ValidationError.*{says}"):
            create(RollbackConfiguration=config)


class TestTimeoutInMinutes:
    @pytest.fixture
    def slow(self, body):
        """A template of things that are made one after the other, each in ten minutes or so."""
        return body(A={}, B={"X": {"Ref": "A"}}, C={"X": {"Ref": "B"}})

    @pytest.fixture(autouse=True)
    def _durations(self, monkeypatch):
        monkeypatch.setattr("rehearsal.engine.step.seconds", lambda *_: 600.0)

    @pytest.mark.parametrize(
        ("on_failure", "end", "words"),
        [
            ("ROLLBACK", "ROLLBACK_COMPLETE", " Rollback requested by user."),
            ("DELETE", "DELETE_COMPLETE", " Delete requested by user."),
            ("DO_NOTHING", "CREATE_FAILED", " "),
        ],
    )
    def test_too_long(self, cloudformation, slow, on_failure, end, words):
        """What is in progress when the time is over is given up, to the minute, and the stack does as it was told."""
        made = cloudformation.create_stack(
            StackName="main", TemplateBody=slow, TimeoutInMinutes=15, OnFailure=on_failure
        )

        (stack,) = cloudformation.describe_stacks(StackName=made["StackId"])["Stacks"]
        events = cloudformation.describe_stack_events(StackName=made["StackId"])["StackEvents"]
        told = [(one["LogicalResourceId"], one["ResourceStatus"]) for one in reversed(events)]
        assert (stack["StackStatus"], stack["TimeoutInMinutes"]) == (end, 15)
        assert told[:5] == [
            ("main", "CREATE_IN_PROGRESS"),
            ("A", "CREATE_IN_PROGRESS"),
            ("A", "CREATE_COMPLETE"),
            ("B", "CREATE_IN_PROGRESS"),
            ("B", "CREATE_FAILED"),
        ]
        last = next(
            one for one in events if one["LogicalResourceId"] == "B" and one["ResourceStatus"] == "CREATE_FAILED"
        )
        assert last["ResourceStatusReason"] == "Resource creation cancelled"
        assert round((last["Timestamp"] - events[-1]["Timestamp"]).total_seconds()) == 15 * 60
        assert f"Stack creation time exceeded the specified timeout.{words}" in {
            one.get("ResourceStatusReason") for one in events
        }

    def test_long_enough(self, cloudformation, slow, one):
        """A creation that ends in time is complete."""
        cloudformation.create_stack(StackName="main", TemplateBody=slow, TimeoutInMinutes=31)

        assert one()["StackStatus"] == "CREATE_COMPLETE"

    def test_of_creations_alone(self, cloudformation, body, slow, one):
        """An update takes what it takes."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}), TimeoutInMinutes=11)
        cloudformation.update_stack(StackName="main", TemplateBody=slow)

        assert one()["StackStatus"] == "UPDATE_COMPLETE"

    def test_failure_in_time(self, cloudformation, body):
        """A resource that fails before the time is over is the reason itself."""
        cloudformation.create_stack(
            StackName="main", TemplateBody=body(A={}, B={"X": {"Ref": "A"}, "Refuse": True}), TimeoutInMinutes=15
        )

        reasons = {
            one.get("ResourceStatusReason")
            for one in cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        }
        assert "The following resource(s) failed to create: [B]. Rollback requested by user." in reasons

    @pytest.mark.parametrize("limited", ["Inner", "main"])
    def test_nested(self, aws, cloudformation, slow, one, limited):
        """A nested stack has a limit of its own, and that of the stack around it."""
        s3 = aws.transport.client("s3", ACCOUNT, REGION)
        s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket="assets", Key="inner", Body=slow.encode())
        properties = {"TemplateURL": f"https://assets.s3.{REGION}.amazonaws.com/inner"}
        if limited == "Inner":
            properties["TimeoutInMinutes"] = 15
        inner = {"Type": "AWS::CloudFormation::Stack", "Properties": properties}
        cloudformation.create_stack(
            StackName="main",
            TemplateBody=json.dumps({"Resources": {"Inner": inner}}),
            **({"TimeoutInMinutes": 15} if limited == "main" else {}),
        )

        events = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        reasons = [event.get("ResourceStatusReason", "") for event in events]
        assert one()["StackStatus"] == "ROLLBACK_COMPLETE"
        assert any(
            "was not successfully created: Stack creation time exceeded the specified timeout" in reason
            for reason in reasons
        )
        took = next(event["Timestamp"] for event in events if event["ResourceStatus"] == "ROLLBACK_IN_PROGRESS")
        assert took - events[-1]["Timestamp"] < dt.timedelta(minutes=17)
