"""Whether a rehearsal tells what failed, and notices a deploy that fails otherwise than it should."""

from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from rehearsal.faults import FaultError, parse
from rehearsal.story.error import RehearsalError
from rehearsal.story.failing import Failed, deploy_under, failures, met_of, retained_gone, told
from rehearsal.story.runs import CdkRun, StackRun

DENIED = 'Resource handler returned message: "not authorized" (HandlerErrorCode: AccessDenied)'
GROUP = {"Type": "AWS::EKS::Nodegroup", "Properties": {"NodegroupName": "trn1"}}


def event(logical_id, status, reason="", *, operation="2", is_stack=False):
    return {
        "StackId": "demo",
        "PhysicalResourceId": "demo" if is_stack else logical_id,
        "LogicalResourceId": logical_id,
        "ResourceType": "AWS::EKS::Nodegroup",
        "ResourceStatus": status,
        "OperationId": operation,
        **({"ResourceStatusReason": reason} if reason else {}),
    }


EVENTS = [
    event("demo", "ROLLBACK_COMPLETE", is_stack=True),
    event("demo", "ROLLBACK_IN_PROGRESS", "failed to create: [Group]", is_stack=True),
    event("Other", "CREATE_FAILED", "Resource creation cancelled"),
    event("Group", "CREATE_FAILED", DENIED),
    event("Group", "CREATE_FAILED", "of an older operation", operation="1"),
]


def survey(**stands):
    nothing = {"buckets": (), "file_systems": (), "keys": (), "stacks": ()}
    return SimpleNamespace(**(nothing | stands))


class Stage:
    """A stage on which a deploy ends as it is told to end."""

    def __init__(self, status, events, after, refused):
        self.plan = SimpleNamespace(
            name="demo", stacks=(SimpleNamespace(name="demo"),), cluster=SimpleNamespace(name="demo")
        )
        self.file, self.told, self.lifted = "x.yaml", [], 0
        self.data, self.set = {}, []
        self._run = CdkRun("deploy", status, 1.0, (StackRun("demo", 2, 0.94),), ("the last line",))
        self._events, self._surveys = events, iter((survey(buckets=(SimpleNamespace(name="data"),)), after, after))
        self.cdk = SimpleNamespace(
            has_synthesized=lambda _: True, templates=lambda: {"demo": {"Resources": {"Group": GROUP}}}
        )
        self.control = SimpleNamespace(set_faults=self.set.extend, lift_faults=self._lift, refused=lambda: refused)

    def _lift(self):
        self.lifted += 1

    def attempt(self, *_):
        return self._run

    def tell(self, what, _, comment="", *, outcome="done", data):
        self.told.append((what, comment, outcome))
        self.data |= data

    def survey(self):
        return next(self._surveys)

    def client(self, _):
        return SimpleNamespace(describe_stack_events=lambda **_: {"StackEvents": self._events})


@pytest.fixture
def stage():
    """Makes a stage; the bucket stays unless another survey is given."""

    def make(status=1, events=EVENTS, after=None, refused=None):
        return Stage(status, events, after or survey(buckets=(SimpleNamespace(name="data"),)), refused or {})

    return make


class TestDeployUnder:
    def test_fails_as_told(self, stage, capsys):
        """The resource, its type and its reason are told, and the fault is lifted."""
        one = stage()
        deploy_under(one, [parse("access-denied@eks:CreateNodegroup")])

        assert one.told == [("cdk deploy", "fails under access-denied@eks:CreateNodegroup", "failed as told")]
        assert "demo: Group (AWS::EKS::Nodegroup) CREATE_FAILED\n" in capsys.readouterr().out
        assert one.lifted == 1
        assert one.data == {
            "stacks": [{"name": "demo", "resources": 2, "seconds": 0.9}],
            "failed": [
                {
                    "stack": "demo",
                    "logical_id": "Group",
                    "type": "AWS::EKS::Nodegroup",
                    "status": "CREATE_FAILED",
                    "reason": DENIED,
                }
            ],
        }

    def test_several(self, stage):
        """A fault that was named twice is one, and those that nothing has met before the failure are no cause of it."""
        denied, other = parse("access-denied@eks:CreateNodegroup"), parse("throttling@ec2")
        one = stage(refused={str(denied): 1, str(other): 0})
        deploy_under(one, [denied, other, denied])

        assert one.set == [denied, other]
        assert one.told[0][1] == "fails under access-denied@eks:CreateNodegroup; not reached: throttling@ec2"

    @pytest.mark.parametrize("text", ["access-denied@eks:CreateCluster", "throttling@ec2"])
    def test_met_nothing(self, stage, text):
        """A deploy that goes through since nothing of it meets a fault is no deploy that should have failed."""
        one = stage(status=0, refused={text: 0})
        with pytest.raises(FaultError, match=f"^{text} met nothing: cdk deploy went through"):
            deploy_under(one, [parse(text)])

        assert one.lifted == 1

    def test_fails_before(self, stage):
        """A deploy that fails before it meets a fault has not failed as told."""
        one = stage(refused={"api-down@eks": 0})
        with pytest.raises(RehearsalError, match="should not fail before it meets api-down@eks, and failed"):
            deploy_under(one, [parse("api-down")])

    def test_goes_through(self, stage):
        """What SDKs get over is told as such."""
        one = stage(status=0)
        deploy_under(one, [parse("throttling")])

        assert one.told == [("cdk deploy", "goes through under throttling", "done")]

    @pytest.mark.parametrize(
        ("text", "arguments", "message"),
        [
            ("access-denied", {"status": 0}, "should fail under access-denied@.*, and did not"),
            ("throttling", {"status": 1}, "should get over throttling, and failed\nthe last line"),
            ("api-down", {}, "failed by something else than ServiceUnavailable"),
            ("access-denied", {"after": survey()}, "has lost what was there before:\n  bucket data is gone"),
        ],
    )
    def test_otherwise(self, stage, text, arguments, message):
        """A deploy that passes, fails where it should not, fails otherwise or loses something ends the rehearsal."""
        one = stage(**arguments)
        with pytest.raises(RehearsalError, match=message):
            deploy_under(one, [parse(text)])

        assert one.lifted == 1

    def test_meets_nothing(self, stage):
        """A fault that would meet nothing is refused before anything is deployed."""
        one = stage()
        with pytest.raises(FaultError, match="fsx-creation-fails meets nothing"):
            deploy_under(one, [parse("fsx-creation-fails")])

        assert one.told == []


def test_met_of():
    """What has refused something was met, and so was an outage that is over and of which nothing is told any more."""
    faults = [parse("throttling"), parse("no-capacity"), parse("api-down")]

    assert met_of(faults, {"throttling": 3, "no-capacity": 0}) == (faults[0], faults[2])


def test_failures(stage):
    """What failed is what failed by itself in the last operation: not what was cancelled for it, nor the stack."""
    one = stage()

    assert list(failures(one.client("cloudformation"), one.plan)) == [
        Failed("demo", "Group", "AWS::EKS::Nodegroup", "CREATE_FAILED", DENIED)
    ]


def test_failures_on_later_pages(stage):
    """The last operation is read to its first event, however many pages it fills, and no further."""
    last = [event for event in EVENTS if event["OperationId"] == EVENTS[0]["OperationId"]]
    older = [event for event in EVENTS if event not in last]
    pages = {None: ([last[0]], "1"), "1": (last[1:], "2"), "2": (older, "3")}

    def told(NextToken=None, **_):  # noqa: N803 - as CloudFormation names it
        events, following = pages[NextToken]
        return {"StackEvents": events, "NextToken": following}

    found = failures(SimpleNamespace(describe_stack_events=told), stage().plan)

    assert [one.logical_id for one in found] == ["Group"]


def test_no_stack(stage):
    """A stack that was never made has not failed."""

    def missing(**_):
        raise ClientError({"Error": {"Code": "ValidationError", "Message": "does not exist"}}, "DescribeStackEvents")

    assert list(failures(SimpleNamespace(describe_stack_events=missing), stage().plan)) == []


def test_told():
    """A long reason is broken into lines, and where no resource failed the CLI's own last line is told."""
    lines = list(told([Failed("demo", "Group", "AWS::EKS::Nodegroup", "CREATE_FAILED", "word " * 60)], last_line=""))

    assert lines[0] == "demo: Group (AWS::EKS::Nodegroup) CREATE_FAILED"
    assert all(len(line) < 108 for line in lines)
    assert len(lines) > 3
    (*_, last) = told([Failed("demo", "Group", "T", "CREATE_FAILED", f"{'i-0123 ' * 100}(code)")], last_line="")
    assert last.endswith("(code)")
    assert list(told([], last_line="could not assume role")) == ["could not assume role"]


def test_retained_gone():
    """Buckets, file systems and keys that stood before and do not any more are named."""
    before = survey(
        buckets=(SimpleNamespace(name="data"), SimpleNamespace(name="logs")),
        file_systems=(SimpleNamespace(file_system_id="fs-1"),),
        keys=(SimpleNamespace(key_id="k"),),
    )
    after = survey(buckets=(SimpleNamespace(name="data"), SimpleNamespace(name="new")))

    assert list(retained_gone(before, after)) == ["bucket logs is gone", "file system fs-1 is gone", "key k is gone"]
