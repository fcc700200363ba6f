"""What may begin on a stack while something else is under way, and what becomes of that."""

import json
import threading

import pytest
from botocore.exceptions import ClientError

from rehearsal.application import Rehearsal
from rehearsal.handlers.base import ResourceError
from rehearsal.operations import wait_for_all
from tests.rehearsal.api.conftest import CustomThings

ACCOUNT, REGION = "123456789012", "us-west-2"
BUCKET = "https://assets.s3.us-west-2.amazonaws.com"


class GatedThings(CustomThings):
    """Things that are held, where they have the property ``Gate``, until they may go on.

    Attributes:
        reached: Set when one is held.
        gate: Set when it may go on.
        kept: The logical ids of the things that are there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.gate = threading.Event(), threading.Event()
        self.kept, self.holds = [], set()

    def create(self, scope, resource):
        self._wait("CREATE", resource.properties)
        super().create(scope, resource)
        self.kept.append(resource.logical_id)

    def update(self, scope, resource, properties):
        self._wait("UPDATE", properties)
        super().update(scope, resource, properties)

    def delete(self, _, resource):
        self._wait("DELETE", resource.properties)
        self.kept.remove(resource.logical_id)

    def _wait(self, verb, properties) -> None:
        if properties.get("Gate") == verb:
            self.reached.set()
            if not self.gate.wait(10):
                raise ResourceError("InternalFailure", "nobody opened the gate")


@pytest.fixture(scope="module")
def gated():
    things = GatedThings()
    return Rehearsal(
        handler_for=lambda name: things if name.startswith("Custom::") else None,
        overlay_for=lambda _: None,
        hold_seconds=0,
    )


@pytest.fixture
def things(gated):
    gated.reset()
    things = gated.engine.handler_for("Custom::Thing")
    things.reached.clear()
    things.gate.clear()
    things.kept.clear()
    yield things
    things.gate.set()
    assert wait_for_all(10)


@pytest.fixture
def cloudformation(gated, things):  # noqa: ARG001 - an empty AWS
    return gated.transport.client("cloudformation", ACCOUNT, REGION)


@pytest.fixture
def held(things):
    """Makes a call and waits until its operation is held."""

    def until(call, **request: object):
        things.reached.clear()
        answer = call(**request)
        assert things.reached.wait(5)
        return answer

    return until


@pytest.fixture
def done(things):
    """Lets what is held go on, and waits until all has ended."""

    def wait() -> None:
        things.gate.set()
        assert wait_for_all(10)
        things.gate.clear()

    return wait


@pytest.fixture
def status(cloudformation):
    return lambda name: cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]


@pytest.fixture
def told(cloudformation):
    """Gives the history of a stack, oldest first, as (logical id, status, reason)."""

    def of(name) -> list[tuple[str, str, str | None]]:
        rows = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
        return [
            (row["LogicalResourceId"], row["ResourceStatus"], row.get("ResourceStatusReason")) for row in reversed(rows)
        ]

    return of


class TestDeletionOfACreation:
    def test_it_ends_the_creation(self, cloudformation, body, held, done, status, told, things):
        """The creation is given up where it is, what it has made is removed, and what was to come is never made."""
        made = held(
            cloudformation.create_stack,
            StackName="main",
            TemplateBody=body(A={}, B={"Gate": "CREATE", "X": {"Ref": "A"}}, C={"X": {"Ref": "B"}}),
        )
        cloudformation.delete_stack(StackName="main", ClientRequestToken="gone")
        assert status("main") == "DELETE_IN_PROGRESS"
        done()

        assert status(made["StackId"]) == "DELETE_COMPLETE"
        history = told(made["StackId"])
        assert ("B", "CREATE_FAILED", "Resource creation cancelled") in history
        assert {name for name, _, _ in history} == {"main", "A", "B"}
        assert [one[1] for one in history if one[0] == "main"] == [
            "CREATE_IN_PROGRESS",
            "DELETE_IN_PROGRESS",
            "DELETE_COMPLETE",
        ]
        assert things.kept == []

    def test_events_have_the_token_of_their_operation(self, cloudformation, body, held, done):
        """What the deletion does has the deletion's token and operation, whatever the creation had."""
        made = held(
            cloudformation.create_stack,
            StackName="main",
            TemplateBody=body(A={"Gate": "CREATE"}),
            ClientRequestToken="made",
        )
        cloudformation.delete_stack(StackName="main", ClientRequestToken="gone")
        done()

        events = cloudformation.describe_stack_events(StackName=made["StackId"])["StackEvents"]
        by_token = {event["ClientRequestToken"]: event["OperationId"] for event in events}
        assert set(by_token) == {"made", "gone"}
        assert len(set(by_token.values())) == 2

    def test_name_is_free_again(self, cloudformation, body, held, done, status):
        """Another stack may take the name when all is gone."""
        held(cloudformation.create_stack, StackName="main", TemplateBody=body(A={"Gate": "CREATE"}))
        cloudformation.delete_stack(StackName="main")
        with pytest.raises(cloudformation.exceptions.AlreadyExistsException):
            cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))
        done()

        cloudformation.create_stack(StackName="main", TemplateBody=body(A={}))
        assert wait_for_all(10)

        assert status("main") == "CREATE_COMPLETE"

    def test_second_deletion(self, cloudformation, body, held, done, told):
        """A deletion that is under way is not begun again."""
        made = held(cloudformation.create_stack, StackName="main", TemplateBody=body(A={"Gate": "CREATE"}))
        for _ in range(2):
            cloudformation.delete_stack(StackName="main")
        done()

        assert sum(one[:2] == ("main", "DELETE_IN_PROGRESS") for one in told(made["StackId"])) == 1

    def test_while_it_is_led_back(self, cloudformation, body, held, done, status, things):
        """A creation that is being led back may be deleted."""
        made = held(
            cloudformation.create_stack,
            StackName="main",
            TemplateBody=body(A={"Gate": "DELETE"}, B={"Refuse": True, "X": {"Ref": "A"}}),
        )
        assert status("main") == "ROLLBACK_IN_PROGRESS"
        cloudformation.delete_stack(StackName="main")
        done()

        assert (status(made["StackId"]), things.kept) == ("DELETE_COMPLETE", [])

    def test_nested(self, cloudformation, gated, body, held, done, status, told, things):
        """A nested stack under way ends with its parent, and goes with it."""
        s3 = gated.transport.client("s3", ACCOUNT, REGION)
        s3.create_bucket(Bucket="assets", CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket="assets", Key="inner", Body=body(A={"Gate": "CREATE"}, B={"X": {"Ref": "A"}}).encode())
        inner = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": f"{BUCKET}/inner"}}
        made = held(
            cloudformation.create_stack, StackName="main", TemplateBody=json.dumps({"Resources": {"Inner": inner}})
        )
        (child,) = (one for one in cloudformation.describe_stacks()["Stacks"] if "ParentId" in one)
        cloudformation.delete_stack(StackName="main")
        done()

        assert (status(made["StackId"]), status(child["StackId"])) == ("DELETE_COMPLETE",) * 2
        history = told(child["StackId"])
        assert ("A", "CREATE_FAILED", "Resource creation cancelled") in history
        assert "B" not in {name for name, _, _ in history}
        assert things.kept == []

    @pytest.mark.parametrize("gate", ["UPDATE", "DELETE"])
    def test_not_of_an_update(self, cloudformation, body, held, done, status, gate):
        """An update, and the removal of what it has left out, has to end first."""
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1, "Gate": "DELETE"}, B={}))
        assert wait_for_all(10)
        new = body(A={"X": 2, "Gate": "UPDATE"}) if gate == "UPDATE" else body(B={})
        held(cloudformation.update_stack, StackName="main", TemplateBody=new)

        with pytest.raises(ClientError, match=rf"cannot be deleted while in status {status('main')}$"):
            cloudformation.delete_stack(StackName="main")
        done()

        assert status("main") == "UPDATE_COMPLETE"


class TestCancelUpdateStack:
    @pytest.fixture(autouse=True)
    def _stack(self, cloudformation, body, things):
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}, B={"X": 1}))
        assert wait_for_all(10)
        things.reached.clear()

    @pytest.fixture
    def new(self, body):
        return body(A={"X": 2}, B={"X": 2, "Gate": "UPDATE", "Y": {"Ref": "A"}}, C={"X": {"Ref": "B"}})

    def test_leads_back(self, cloudformation, new, held, done, status, told, things):
        """The update is given up, and what it has changed has its old properties again."""
        held(cloudformation.update_stack, StackName="main", TemplateBody=new)
        cloudformation.cancel_update_stack(StackName="main")
        assert status("main") == "UPDATE_ROLLBACK_IN_PROGRESS"
        done()

        assert (status("main"), sorted(things.kept)) == ("UPDATE_ROLLBACK_COMPLETE", ["A", "B"])
        history = told("main")
        assert ("B", "UPDATE_FAILED", "Resource update cancelled") in history
        assert ("main", "UPDATE_ROLLBACK_IN_PROGRESS", "User Initiated") in history
        rows = cloudformation.describe_stack_events(StackName="main")["StackEvents"]
        last = {row["LogicalResourceId"]: row.get("ResourceProperties") for row in reversed(rows)}
        assert (last["A"], last["B"]) == ('{"X": 1}', '{"X": 1}')

    def test_again(self, cloudformation, new, held, done, status):
        """The stack may be updated after it, and to the end."""
        held(cloudformation.update_stack, StackName="main", TemplateBody=new)
        cloudformation.cancel_update_stack(StackName="main")
        done()
        held(cloudformation.update_stack, StackName="main", TemplateBody=new)
        done()

        assert status("main") == "UPDATE_COMPLETE"

    def test_nothing_under_way(self, cloudformation):
        """There must be an update to cancel."""
        with pytest.raises(
            ClientError, match=r"ValidationError.*CancelUpdateStack cannot be called from current stack status$"
        ):
            cloudformation.cancel_update_stack(StackName="main")
        with pytest.raises(ClientError, match=r"Stack \[nobody\] does not exist"):
            cloudformation.cancel_update_stack(StackName="nobody")

    def test_way_back_is_not_cancelled(self, cloudformation, new, held, done, status):
        """What leads back is not cancelled, nor is the same call made twice."""
        held(cloudformation.update_stack, StackName="main", TemplateBody=new)
        for _ in range(2):
            cloudformation.cancel_update_stack(StackName="main", ClientRequestToken="t")
        with pytest.raises(ClientError, match="cannot be called from current stack status"):
            cloudformation.cancel_update_stack(StackName="main", ClientRequestToken="u")
        done()

        assert status("main") == "UPDATE_ROLLBACK_COMPLETE"

    def test_change_set(self, cloudformation, new, held, done):
        """A change set whose execution is cancelled has failed; while it is executed it says so."""
        made = cloudformation.create_change_set(StackName="main", ChangeSetName="cs", TemplateBody=new)

        def execution() -> str:
            found = cloudformation.describe_change_set(ChangeSetName=made["Id"])
            return str(found["ExecutionStatus"])

        held(cloudformation.execute_change_set, ChangeSetName=made["Id"])
        before = execution()
        cloudformation.cancel_update_stack(StackName="main")
        done()

        assert (before, execution()) == ("EXECUTE_IN_PROGRESS", "EXECUTE_FAILED")


class TestAlarmDuringAnUpdate:
    def test_leads_back(self, gated, cloudformation, body, held, done, status):
        """An alarm that goes off while an update is under way leads it back."""
        cloudwatch = gated.transport.client("cloudwatch", ACCOUNT, REGION)
        alarm = {"Namespace": "n", "MetricName": "m", "Statistic": "Sum", "Period": 60, "EvaluationPeriods": 1}
        cloudwatch.put_metric_alarm(AlarmName="high", Threshold=1.0, ComparisonOperator="GreaterThanThreshold", **alarm)
        (found,) = cloudwatch.describe_alarms(AlarmNames=["high"])["MetricAlarms"]
        trigger = {"Arn": found["AlarmArn"], "Type": "AWS::CloudWatch::Alarm"}
        cloudformation.create_stack(StackName="main", TemplateBody=body(A={"X": 1}))
        assert wait_for_all(10)
        held(
            cloudformation.update_stack,
            StackName="main",
            TemplateBody=body(A={"X": 2, "Gate": "UPDATE"}),
            RollbackConfiguration={"RollbackTriggers": [trigger]},
        )
        cloudwatch.set_alarm_state(AlarmName="high", StateValue="ALARM", StateReason="told to")
        done()

        assert status("main") == "UPDATE_ROLLBACK_COMPLETE"


class TestUpdateWhileSomethingIsUnderWay:
    def test_refused(self, cloudformation, body, held, done):
        """A stack is updated when what is under way has ended."""
        held(cloudformation.create_stack, StackName="main", TemplateBody=body(A={"Gate": "CREATE"}))
        for call, words in (
            (cloudformation.update_stack, {}),
            (cloudformation.create_change_set, {"ChangeSetName": "cs"}),
        ):
            with pytest.raises(ClientError, match="is in CREATE_IN_PROGRESS state and can not be updated"):
                call(StackName="main", TemplateBody=body(A={}), **words)
        done()
