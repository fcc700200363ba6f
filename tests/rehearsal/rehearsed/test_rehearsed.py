"""What a team's test does with an environment that stands in its own process."""

import datetime as dt
import os

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from rehearsal.faults import FaultError
from rehearsal.rehearsed import RehearsedError, StackFailedError, rehearsed
from trnstack.cli import templates
from trnstack.findings import InvalidEnvironmentError


class TestWhatStands:
    def test_clients_and_survey(self, dev):
        """Clients act in the environment's account and region, and see what the survey tells."""
        (cluster,) = dev.survey().clusters

        assert dev.client("eks").list_clusters()["clusters"] == [cluster.name] == [dev.plan.cluster.name]
        assert dev.client("sts").get_caller_identity()["Account"] == dev.account
        assert dev.client("ec2", "us-west-2").meta.region_name == "us-west-2"

    def test_stacks(self, dev):
        """Each stack tells of its template, outputs, resources and events; one that is not there is named as such."""
        network = dev.stacks["dev-network"]

        assert list(dev.stacks) == sorted(stack.name for stack in dev.plan.stacks)
        assert network.status == "CREATE_COMPLETE"
        (name,) = network.of_type("AWS::EC2::VPC")
        (vpc,) = (each for each in dev.client("ec2").describe_vpcs()["Vpcs"] if not each["IsDefault"])
        assert network.resources[name] == vpc["VpcId"]
        assert network.events[0].status == "CREATE_IN_PROGRESS"
        with pytest.raises(KeyError, match="there is no stack dev-nothing; those that stand: dev-cluster"):
            _ = dev.stacks["dev-nothing"]

    def test_sessions(self, dev):
        """A session that code is handed asks the embedded AWS, and no other."""
        assert dev.session().client("eks").list_clusters()["clusters"] == ["dev"]
        assert dev.session("us-west-2").client("eks").list_clusters()["clusters"] == []


class TestChange:
    def test_deploy_edited(self, dev, environment):
        """An edit reaches what stands, edits add up, and the person's file stays as it is."""
        before = environment("dev-trn1").read_text()
        dev.deploy(edited={"node_groups[0].labels.stage": "trial"})
        dev.deploy(edited={("node_groups", 0, "node_count"): 3})

        (group,) = (one for one in dev.survey().clusters[0].node_groups if one.name == "spot")
        assert (group.labels["stage"], group.wanted) == ("trial", 3)
        assert environment("dev-trn1").read_text() == before

    def test_an_edit_with_errors(self, dev):
        """An edit that trnstack refuses is refused with its findings, and changes nothing."""
        with pytest.raises(InvalidEnvironmentError) as refused:
            dev.deploy(edited={"node_groups[0].instance_type": "trn9.large"})

        assert {finding.code for finding in refused.value.findings} >= {"CAT001"}
        assert dev.plan.node_groups[0].launch_template.instance_type.startswith("trn1.")

    @pytest.mark.parametrize("path", ["", "node_groups[x].labels", "a b]"])
    def test_no_path(self, dev, path):
        """What is no path is named, with how to write one."""
        with pytest.raises(RehearsedError, match=r"is no path in an environment file; write it as node_groups"):
            dev.deploy(edited={path: 1})

    def test_destroy(self, dev):
        """By name the stack goes; the rest by the steps of a teardown, which leave what is protected."""
        dev.destroy("dev-nodes-spot")
        assert "dev-nodes-spot" not in dev.stacks
        with pytest.raises(ClientError, match="TerminationProtection is enabled"):
            dev.destroy("dev-storage")
        dev.destroy()

        assert list(dev.stacks) == ["dev-network", "dev-storage"]

    def test_a_clock_that_moves(self, environment):
        """Time passes as it is told to: a block's schedules fire, in their order."""
        with rehearsed(environment("llama3-8b-trn2-block")) as aws:
            fired = aws.advance_to(dt.datetime(2027, 9, 7, tzinfo=dt.UTC))

            assert aws.now() == dt.datetime(2027, 9, 7, tzinfo=dt.UTC)
            assert fired == sorted(fired, key=lambda one: one.moment)
            assert fired


class TestFaults:
    def test_a_failure_and_the_next_deploy(self, environment):
        """A fault fails the deploy with AWS's code; mended, the next deploy brings the environment up."""
        with rehearsed(environment("dev-trn1"), deploy=False) as aws:
            aws.fail("no-capacity@spot")
            with pytest.raises(StackFailedError, match="dev-nodes-spot ended as ROLLBACK_COMPLETE\n  ") as failed:
                aws.deploy()
            aws.mend()
            aws.deploy()

            assert failed.value.failures[0].code
            assert aws.stacks["dev-nodes-spot"].status == "CREATE_COMPLETE"

    def test_no_fault(self, dev):
        """A fault that would meet nothing is refused, so that no test passes by a slip."""
        with pytest.raises(FaultError):
            dev.fail("no-capacity@nothing")


class TestProcess:
    def test_one_at_a_time(self, dev, environment):
        """A second environment at once is refused, by the name of the first."""
        with (
            pytest.raises(RehearsedError, match=r"dev-trn1.yaml stands already, and a process rehearses one"),
            rehearsed(environment("jax-trn1")),
        ):
            pytest.fail("it stands beside the other")
        assert list(dev.stacks)

    def test_beside_a_mock(self, environment):
        """Under moto's own mock its answers would be taken for the rehearsal's, so it is refused."""
        with (
            mock_aws(),
            pytest.raises(RehearsedError, match="mock_aws is active"),
            rehearsed(environment("dev-trn1")),
        ):
            pytest.fail("it stands within a mock")

    def test_nothing_is_left(self, environment, monkeypatch):
        """Afterwards the process is as before: variables, boto3's session, moto's records."""
        monkeypatch.delenv("MOTO_EC2_LOAD_DEFAULT_AMIS", raising=False)
        variables, session = dict(os.environ), boto3.DEFAULT_SESSION
        now = dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
        with rehearsed(environment("dev-trn1"), now=now) as aws:
            assert aws.now() >= now
            aws.patch_default_session()
            assert boto3.client("eks").list_clusters()["clusters"] == ["dev"]
            client = aws.client("eks")

        assert client.list_clusters()["clusters"] == []
        assert boto3.DEFAULT_SESSION is session
        assert dict(os.environ) == variables

    def test_templates_are_made_once(self, environment, monkeypatch):
        """What was synthesized before is not made again, in this process or another."""
        with rehearsed(environment("dev-trn1")):
            pass
        monkeypatch.setattr(templates, "_synthesized", lambda _: pytest.fail("it was made again"))
        with rehearsed(environment("dev-trn1")) as aws:
            assert list(aws.stacks)
