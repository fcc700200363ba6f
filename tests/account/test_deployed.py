"""Asking CloudFormation what is deployed."""

import json

import boto3
import pytest
from botocore.parsers import ResponseParserError
from botocore.stub import ANY, Stubber

from account.deployed import clients, deployed
from account.refusals import AccountError
from rehearsal.application import Rehearsal

ACCOUNT, REGION = "123456789012", "us-east-2"
THING = {"Resources": {"Thing": {"Type": "Custom::Thing", "Properties": {"Name": "a"}}}}
FLEET = {**THING, "Metadata": {"From": {"Fn::ImportValue": "demo-cluster:ClusterName"}}}


class Things:
    """Makes custom things of nothing."""

    def create(self, _, resource):
        resource.physical_id = resource.logical_id


@pytest.fixture(scope="module")
def embedded():
    """An embedded AWS, whose CloudFormation answers as AWS's does."""
    return Rehearsal(handler_for=lambda _: Things(), overlay_for=lambda _: None)


@pytest.fixture
def ask(embedded):
    """Returns what asks an empty account for an environment's stacks."""
    embedded.reset()

    def made(names=("demo-network", "demo-storage"), account=None):
        cloudformation, sts = (embedded.transport.client(name, ACCOUNT, REGION) for name in ("cloudformation", "sts"))
        return deployed(cloudformation, sts, names=names, fleets="demo-nodes-", account=account)

    return made


@pytest.fixture
def stacks(ask, embedded):
    """Returns a maker of stacks in the account."""
    assert ask
    client = embedded.transport.client("cloudformation", ACCOUNT, REGION)

    def make(name, template, **options):
        body = template if isinstance(template, str) else json.dumps(template)
        client.create_stack(StackName=name, TemplateBody=body, **options)
        client.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig={"Delay": 0, "MaxAttempts": 1000})

    return make


class TestDeployed:
    def test_stack(self, ask, stacks):
        """A stack's template, tags and parameters, and the account that was asked."""
        template = {**THING, "Parameters": {"Size": {"Type": "String", "Default": "1"}}}
        stacks(
            "demo-network",
            template,
            Tags=[{"Key": "a", "Value": "b"}],
            Parameters=[{"ParameterKey": "Size", "ParameterValue": "2"}],
        )
        found = ask(["demo-network"])
        (stack,) = found.stacks

        assert found.account == ACCOUNT
        assert found.notes == ()
        assert stack.body == template
        assert (stack.tags, stack.parameters) == ({"a": "b"}, {"Size": "2"})

    def test_never_deployed(self, ask, stacks):
        """A stack that was never deployed is no error: all of it is new, which is said."""
        stacks("demo-network", THING)
        found = ask()

        assert [stack.name for stack in found.stacks] == ["demo-network"]
        assert found.notes == ("demo-storage was never deployed: all of it is new",)

    def test_nothing(self, ask):
        """Nor is an environment of which nothing stands."""
        found = ask()

        assert found.stacks == ()
        assert len(found.notes) == 2

    def test_yaml(self, ask, stacks):
        """A template in YAML, which no app of ours writes, comes as its text."""
        stacks("demo-network", "Resources:\n  Thing:\n    Type: Custom::Thing\n")

        assert "Custom::Thing" in str(ask(["demo-network"]).stacks[0].body)

    def test_fleets(self, ask, stacks):
        """A node group's stack that the plan does not know is found; another environment's is not."""
        stacks("demo-nodes-old", FLEET)
        stacks("demo-nodes-network", THING)  # of an environment called demo-nodes
        stacks("other-nodes-old", FLEET)

        assert [stack.name for stack in ask([]).stacks] == ["demo-nodes-old"]

    def test_another_account(self, ask):
        """Credentials of another account would say that nothing is deployed: that is refused."""
        with pytest.raises(AccountError, match="of account 123456789012, and the environment belongs to 999999999999"):
            ask(account="999999999999")


def answering(*answers):
    """Returns clients that give answers for one stack, in order: (operation, answer or error code and message)."""
    cloudformation, sts = (boto3.client(name, region_name=REGION) for name in ("cloudformation", "sts"))
    stub = Stubber(sts)
    stub.add_response("get_caller_identity", {"Account": ACCOUNT})
    stub.activate()
    stub = Stubber(cloudformation)
    stub.add_response("list_stacks", {"StackSummaries": []}, {"StackStatusFilter": ANY})
    for operation, answer in answers:
        if isinstance(answer, tuple):
            stub.add_client_error(operation, *answer)
        else:
            stub.add_response(operation, answer)
    stub.activate()
    return cloudformation, sts


def described(status):
    return {"Stacks": [{"StackName": "demo-network", "StackStatus": status, "CreationTime": "2026-11-30T00:00:00Z"}]}


class TestStatus:
    @pytest.mark.parametrize(
        ("status", "note"),
        [("REVIEW_IN_PROGRESS", "was never deployed"), ("ROLLBACK_COMPLETE", "has to be deleted before the next")],
    )
    def test_nothing_stands(self, status, note):
        """Of a stack that was only reviewed, or taken back, nothing stands."""
        made = answering(("describe_stacks", described(status)))
        found = deployed(*made, names=["demo-network"], fleets="demo-nodes-", account=None)

        assert found.stacks == ()
        assert note in found.notes[0]

    @pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_FAILED", "DELETE_FAILED"])
    def test_unsettled(self, status):
        """Of a stack that is changing, or stuck, what stands may be something else, which is said."""
        made = answering(("describe_stacks", described(status)), ("get_template", {"TemplateBody": "{}"}))
        found = deployed(*made, names=["demo-network"], fleets="demo-nodes-", account=None)

        assert len(found.stacks) == 1
        assert found.notes == (f"demo-network is {status}: what stands may not be what its template says",)

    def test_refused(self):
        """What the credentials may not ask is said with the permission that they lack."""
        made = answering(("describe_stacks", ("AccessDenied", "no")))
        with pytest.raises(AccountError, match="cloudformation:DescribeStacks"):
            deployed(*made, names=["demo-network"], fleets="demo-nodes-", account=None)

    def test_another_validation_error(self):
        """Only what says that the stack does not exist is taken for it."""
        made = answering(("describe_stacks", ("ValidationError", "something else")))
        with pytest.raises(AccountError, match="something else"):
            deployed(*made, names=["demo-network"], fleets="demo-nodes-", account=None)


class TestClients:
    def test_no_credentials(self, monkeypatch):
        """Without credentials nothing is asked."""
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        with pytest.raises(AccountError, match="there are no AWS credentials"):
            clients(REGION)

    def test_endpoint(self, monkeypatch):
        """An address that is none is one sentence."""
        monkeypatch.setenv("AWS_ENDPOINT_URL", "nonsense")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")

        with pytest.raises(AccountError, match=r"AWS's configuration can't be used: .*nonsense"):
            clients(REGION)

    def test_another_answers(self, ask, embedded, monkeypatch):
        """So is an answer that is none of AWS's."""
        assert embedded

        def page(*_arguments, **_options):
            raise ResponseParserError("no XML")

        monkeypatch.setattr("botocore.client.BaseClient._make_api_call", page)
        with pytest.raises(AccountError, match="an answer that can't be read: no XML"):
            ask()
