"""The commands of a teardown, pasted one by one into the embedded AWS, above all of the way that takes data."""

import datetime as dt
import json
from dataclasses import replace
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from ami.lock import path_for, read
from tests.rehearsal.story.shell import Shell
from trnstack.advice.teardown import teardown
from trnstack.environment import read_environment
from trnstack.plan import plan as decide

ROOT = Path(__file__).parents[3]
#: Its lock, as it is kept, knows no image yet: that of the golden templates does.
CUSTOM = ROOT / "environments" / "custom-image-trn1.yaml"


@pytest.fixture
def standing(planned, deployed, services, tmp_path):
    """An environment that stands: its plan, a shell, and how it is taken down, with parts of its storage changed."""

    def make(name, of_lock=None, **storage: object):
        plan = planned(name)
        assert deployed(plan, name).clusters
        if of_lock:
            plan = decide(read_environment(ROOT / "environments" / f"{name}.yaml")[1], of_lock)
        changed = {part: replace(getattr(plan.storage, part), **fields) for part, fields in storage.items()}
        way = teardown(replace(plan, storage=replace(plan.storage, **changed)))
        return plan, Shell(services, tmp_path), way

    return make


@pytest.fixture
def pasted(standing):
    """The same when nodes and cluster are gone: what is left are the steps of the separate way."""

    def make(name, **storage: object):
        plan, shell, way = standing(name, **storage)
        cloudformation = shell.client("cloudformation", plan.region)
        shell.client("eks", plan.region).update_cluster_config(name=plan.name, deletionProtection=False)
        for stack in reversed(plan.stacks):
            if not stack.termination_protection:
                cloudformation.delete_stack(StackName=stack.name)
        return plan, shell, way.removal

    return make


def follow(shell, plan, steps):
    """Pastes all commands of some steps, each as often as its step says; returns what each of them printed."""
    printed = {}
    for step in steps:
        for command in step.commands:
            if "delete-objects" in command:
                printed[command] = _all_pages(shell, plan, *step.commands)
            elif "fsx describe-file-systems" in command and step.title == "delete the file system":
                with pytest.raises(ClientError, match="FileSystemNotFound"):
                    shell.paste(command, plan.region)
            else:
                printed[command] = shell.paste(command, plan.region)
    return printed


def _all_pages(shell, plan, listed, deleted):
    """Pastes both commands again and again, until nothing is listed; returns how often."""
    pages = 0
    while json.loads((shell.folder / "versions.json").read_text())["Objects"]:
        assert shell.paste(deleted, plan.region) == "None"
        shell.paste(listed, plan.region)
        pages += 1
    return pages


def stands(shell, stack, region):
    """Tells whether a stack stands."""
    try:
        found = shell.client("cloudformation", region).describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError:
        return False
    return not found["StackStatus"].startswith("DELETE_COMPLETE")


def files(shell, plan):
    """Returns the ids of the file systems that stand."""
    return [each["FileSystemId"] for each in shell.client("fsx", plan.region).describe_file_systems()["FileSystems"]]


def buckets(shell, plan):
    """Returns the buckets of the environment that stand."""
    return [
        each["Name"] for each in shell.client("s3", plan.region).list_buckets()["Buckets"] if plan.name in each["Name"]
    ]


def titled(steps, title):
    (step,) = (step for step in steps if step.title == title)
    return step


class TestRemoval:
    def test_everything_goes_in_this_order(self, pasted):
        """CDK-04: Pasted one by one, the commands leave nothing but keys whose deletion is scheduled."""
        plan, shell, steps = pasted("llama3-8b-trn1")
        s3 = shell.client("s3", plan.region)
        bucket = "llama3-8b-checkpoints-123456789012-us-east-2"
        keys = [f"step-{number}/weights" for number in range(10)]
        for key in keys:
            s3.put_object(Bucket=bucket, Key=key, Body=b"lost")
        s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": key} for key in keys] * 100})
        s3.put_object(Bucket="llama3-8b-access-logs-123456789012-us-east-2", Key="checkpoints/entry", Body=b"GET")

        printed = follow(shell, plan, steps)

        assert [printed[each] for each in printed if "delete-objects" in each] == [2], "10 versions, 1,000 markers"
        assert shell.variables["BUCKET"] == bucket
        assert shell.variables["ACCESS_LOG"] == "llama3-8b-access-logs-123456789012-us-east-2"
        assert not any(stands(shell, stack.name, plan.region) for stack in plan.stacks)
        assert files(shell, plan) == []
        assert buckets(shell, plan) == []
        kms = shell.client("kms", plan.region)
        states = {
            kms.describe_key(KeyId=shell.variables[name])["KeyMetadata"]["KeyState"]
            for name in ("DATA_KEY", "SECRETS_KEY")
        }
        assert states == {"PendingDeletion"}
        vpcs = shell.client("ec2", plan.region).describe_vpcs()["Vpcs"]
        assert shell.variables["VPC"] not in [vpc["VpcId"] for vpc in vpcs]

    def test_storage_stack_alone_loses_nothing(self, pasted):
        """FSX-13: With the storage stack gone, bucket, file system and keys stand, and all was exported before."""
        plan, shell, steps = pasted("llama3-8b-trn1")
        shell.client("s3", plan.region).put_object(
            Bucket="llama3-8b-checkpoints-123456789012-us-east-2", Key="weights", Body=b"kept"
        )
        storage = steps.index(titled(steps, "delete the storage stack"))
        printed = follow(shell, plan, steps[: storage + 1])
        task = shell.client("fsx", plan.region).describe_data_repository_tasks()["DataRepositoryTasks"][0]
        answer = shell.client("s3", plan.region).get_object(Bucket=shell.variables["BUCKET"], Key="weights")

        assert "SUCCEEDED\t0\t0" in printed.values()
        assert (task["TaskId"], task["Type"], task["Paths"]) == (
            shell.variables["TASK"],
            "EXPORT_TO_REPOSITORY",
            ["checkpoints"],
        )
        assert task["Report"]["Path"] == f"s3://{shell.variables['BUCKET']}/last-export"
        assert not stands(shell, "llama3-8b-storage", plan.region)
        assert answer["Body"].read() == b"kept"
        assert files(shell, plan) == [shell.variables["FILE_SYSTEM"]]

    def test_network_waits_for_the_file_system(self, pasted):
        """CDK-04: While the file system stands, the network's stack stays, and the look names what is in the way.

        Interfaces that the cluster's nodes left go; another's stays.
        """
        plan, shell, steps = pasted("llama3-8b-trn1")
        ec2 = shell.client("ec2", plan.region)
        subnet = next(each["SubnetId"] for each in ec2.describe_subnets()["Subnets"] if not each["DefaultForAz"])
        left, other = (
            ec2.create_network_interface(
                SubnetId=subnet,
                TagSpecifications=[
                    {
                        "ResourceType": "network-interface",
                        "Tags": [{"Key": "cluster.k8s.amazonaws.com/name", "Value": cluster}],
                    }
                ],
            )["NetworkInterface"]["NetworkInterfaceId"]
            for cluster in (plan.name, "another")
        )
        network = steps.index(titled(steps, "delete the network stack"))
        without = [step for step in steps[: network + 1] if step.title != "delete the file system"]
        look = next(each for each in without[-1].commands if "RequesterId" in each)
        printed = follow(shell, plan, without)[look]

        assert left not in printed
        assert f"{other}\tavailable" in printed
        assert "Created by Amazon FSx" in printed
        assert stands(shell, "llama3-8b-network", plan.region)
        assert files(shell, plan) == [shell.variables["FILE_SYSTEM"]]

    def test_destroyed_with_the_stack(self, pasted):
        """FSX-13: What the file marks as destroyed is kept by a deploy first, and a last backup outlives it."""
        plan, shell, steps = pasted(
            "llama3-8b-trn1",
            checkpoints={"retain": False},
            lustre={"retain": False, "associations": (), "automatic_backup_retention_days": 7},
        )
        keep = titled(steps, "keep data when the storage stack goes")
        printed = follow(shell, plan, steps)
        backups = shell.client("fsx", plan.region).describe_backups()["Backups"]

        policies = printed[keep.commands[-1]].split()
        assert sorted(policies[::2]) == ["AWS::FSx::FileSystem", "AWS::S3::Bucket", "AWS::S3::Bucket"]
        assert set(policies[1::2]) == {"RetainExceptOnCreate"}
        assert files(shell, plan) == []
        assert buckets(shell, plan) == []
        assert len(backups) == 1

    def test_existing_network(self, pasted):
        """In a network that is not ours, what uses the environment's groups is looked at, and the VPC stays."""
        plan, shell, steps = pasted("existing-vpc-trn1")
        network = steps.index(titled(steps, "delete the network stack"))
        follow(shell, plan, steps[:network])
        noted, _, look, *_ = steps[network].commands
        shell.paste(noted, plan.region)
        groups = shell.variables["SECURITY_GROUPS"].split(",")
        ec2 = shell.client("ec2", plan.region)
        subnet = plan.network.existing_vpc.subnets[0].subnet_id
        ours, theirs = (
            ec2.create_network_interface(SubnetId=subnet, **of)["NetworkInterface"]["NetworkInterfaceId"]
            for of in ({"Groups": groups[:1]}, {})
        )
        printed = shell.paste(look, plan.region)
        ec2.delete_network_interface(NetworkInterfaceId=ours)
        follow(shell, plan, steps[network:])

        assert len(groups) == 4
        assert ours in printed
        assert theirs not in printed
        assert not any(stands(shell, stack.name, plan.region) for stack in plan.stacks)
        assert plan.network.existing_vpc.vpc_id in [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"]]


class TestBefore:
    def test_export_queue(self, standing):
        """The age of the oldest export is told as it is, and as None where CloudWatch has no figure of it."""
        plan, shell, way = standing("llama3-8b-trn1")
        first, links, queue = titled(way.before, "wait until everything is exported to the bucket").commands
        shell.paste(first, plan.region)
        nothing = shell.paste(queue, plan.region)
        dimensions = {"FileSystemId": shell.variables["FILE_SYSTEM"], "Publisher": "AutoExport"}
        shell.client("cloudwatch", plan.region).put_metric_data(
            Namespace="AWS/FSx",
            MetricData=[
                {
                    "MetricName": "AgeOfOldestQueuedMessage",
                    "Dimensions": [{"Name": name, "Value": value} for name, value in dimensions.items()],
                    "Timestamp": dt.datetime.now(dt.UTC) - dt.timedelta(minutes=2),
                    "Value": 0.0,
                }
            ],
        )

        assert shell.paste(links, plan.region) == "/checkpoints\tAVAILABLE"
        assert nothing == "None"
        assert shell.paste(queue, plan.region) == "0.0"

    def test_group_that_awaits_its_image(self, standing):
        """CDK-04: What stands of a node group that the app leaves out is deleted by its name, and waited for."""
        plan, shell, way = standing("custom-image-trn1", of_lock=read(path_for(CUSTOM)))
        (group,) = plan.awaiting_image
        before = stands(shell, group.stack, plan.region)
        follow(shell, plan, [titled(way.steps, "end the node groups whose image is still to be built")])

        assert before
        assert not stands(shell, group.stack, plan.region)
