"""The commands of a teardown that take network and storage too, pasted one by one into the embedded AWS."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import jmespath
import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from trnstack.advice.teardown import teardown

ACCOUNT = "123456789012"
_ASSIGNED = re.compile(r"(?P<name>[A-Z_]+)=\$\((?P<command>.*)\)")
_TO_FILE = re.compile(r"(?P<command>.*) > (?P<file>\S+)")


class Shell:
    """Does what the commands say, as the AWS CLI and ``cdk destroy`` would, in an account of the embedded AWS."""

    def __init__(self, services: Any, folder: Path) -> None:
        self._services = services
        self._folder = folder
        self.variables: dict[str, str] = {}

    def client(self, service: str, region: str) -> Any:
        return self._services.transport.client(service, ACCOUNT, region)

    def paste(self, command: str, region: str) -> str:
        """Runs one command and returns what it prints."""
        assigned, to_file = _ASSIGNED.fullmatch(command), _TO_FILE.fullmatch(command)
        if assigned:
            self.variables[assigned["name"]] = self.paste(assigned["command"], region)
            return ""
        if to_file:
            (self._folder / to_file["file"]).write_text(self.paste(to_file["command"], region))
            return ""
        for name, value in self.variables.items():
            command = command.replace(f"${name}", value)
        program, service, *words = shlex.split(command)
        if program == "cdk":
            self.client("cloudformation", region).delete_stack(StackName=words[0])
            return ""
        return self._rm(words) if service == "s3" else self._aws(service, *words)

    def _rm(self, words: list[str]) -> str:
        """``aws s3 rm --recursive s3://BUCKET --region REGION``: every current object."""
        name, region = words[2].removeprefix("s3://"), words[-1]
        s3 = self.client("s3", region)
        for each in s3.list_objects_v2(Bucket=name).get("Contents", ()):
            s3.delete_object(Bucket=name, Key=each["Key"])
        return ""

    def _aws(self, service: str, operation: str, *words: str) -> str:
        options = _options(words)
        client = self.client("s3" if service == "s3api" else service, options.pop("region")[0])
        query, as_text = options.pop("query", None), options.pop("output", [""])[0] == "text"
        if "max-items" in options:
            options["max-keys"] = options.pop("max-items")
        model = next(
            client.meta.service_model.operation_model(name)
            for name in client.meta.service_model.operation_names
            if xform_name(name, "-") == operation
        )
        shapes = {xform_name(name, "-"): (name, shape) for name, shape in model.input_shape.members.items()}
        given = {}
        for option, words_of in options.items():
            name, shape = shapes[option if option in shapes else option.removeprefix("no-")]
            # KMS takes a key's ARN here as its id; moto takes the id alone.
            values = [word.rpartition("/")[2] for word in words_of] if service == "kms" else words_of
            given[name] = False if option not in shapes else self._fitted(shape, values)
        answer = getattr(client, xform_name(model.name))(**given)
        found = jmespath.search(query[0], answer) if query else answer
        return _text(found) if as_text else json.dumps(found, default=str)

    def _fitted(self, shape: Any, values: list[str]) -> Any:
        """Gives an option's words as the operation takes them: files, structures in short form, lists, numbers."""
        if values and values[0].startswith("file://"):
            return json.loads((self._folder / values[0].removeprefix("file://")).read_text())
        if shape.type_name == "list":
            return [self._fitted(shape.member, [value]) for value in values]
        if shape.type_name == "structure":
            pairs = [pair.partition("=") for pair in values[0].split(",")]
            return {name: [value] if name == "Values" else value for name, _, value in pairs}
        if shape.type_name == "integer":
            return int(values[0])
        return values[0] if values else True


def _options(words: tuple[str, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            found[word.removeprefix("--")] = []
        else:
            next(reversed(found.values())).append(word)
    return found


def _text(found: Any) -> str:
    """Gives an answer as ``--output text`` does, in one line."""
    if isinstance(found, list):
        return "\t".join(map(_text, found))
    return "None" if found is None else str(found)


@pytest.fixture
def pasted(planned, deployed, services, tmp_path):
    """An environment whose nodes and cluster are gone: its shell, and the steps that are left, with their commands."""

    def make(name, **checkpoints: object):
        plan = planned(name)
        found = deployed(plan, name)
        cloudformation = services.transport.client("cloudformation", ACCOUNT, plan.region)
        eks = services.transport.client("eks", ACCOUNT, plan.region)
        eks.update_cluster_config(name=plan.name, deletionProtection=False)
        for stack in reversed(plan.stacks):
            if not stack.termination_protection:
                cloudformation.delete_stack(StackName=stack.name)
        assert found.clusters
        changed = replace(plan.storage.checkpoints, **checkpoints)
        way = teardown(replace(plan, storage=replace(plan.storage, checkpoints=changed)))
        return plan, Shell(services, tmp_path), way.removal

    return make


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


def test_everything_goes_in_this_order(pasted):
    """CDK-04: Pasted one by one, the commands leave nothing but keys whose deletion is scheduled."""
    plan, shell, steps = pasted("llama3-8b-trn1")
    s3 = shell.client("s3", plan.region)
    bucket = "llama3-8b-checkpoints-123456789012-us-east-2"
    for content in (b"older", b"newer"):
        s3.put_object(Bucket=bucket, Key="step-1000/weights", Body=content)
    s3.delete_object(Bucket=bucket, Key="step-1000/weights")
    s3.put_object(Bucket="llama3-8b-access-logs-123456789012-us-east-2", Key="checkpoints/entry", Body=b"GET")

    pasted_commands = [each for step in steps for each in step.commands if "cloudwatch" not in each]
    gone = next(each for each in pasted_commands if "fsx describe-file-systems" in each)
    for command in pasted_commands:
        if command != gone:
            shell.paste(command, plan.region)
    with pytest.raises(ClientError, match="FileSystemNotFound"):
        shell.paste(gone, plan.region)

    assert shell.variables["BUCKET"] == bucket
    assert shell.variables["ACCESS_LOG"] == "llama3-8b-access-logs-123456789012-us-east-2"
    assert not any(stands(shell, stack.name, plan.region) for stack in plan.stacks)
    assert files(shell, plan) == []
    assert [each["Name"] for each in s3.list_buckets()["Buckets"] if plan.name in each["Name"]] == []
    kms = shell.client("kms", plan.region)
    states = {
        kms.describe_key(KeyId=shell.variables[name])["KeyMetadata"]["KeyState"] for name in ("DATA_KEY", "SECRETS_KEY")
    }
    assert states == {"PendingDeletion"}
    vpcs = shell.client("ec2", plan.region).describe_vpcs()["Vpcs"]
    assert shell.variables["VPC"] not in [vpc["VpcId"] for vpc in vpcs]


def test_storage_stack_alone_loses_nothing(pasted):
    """FSX-13: With the storage stack gone, bucket, file system and keys stand, as the step says."""
    plan, shell, steps = pasted("llama3-8b-trn1")
    shell.client("s3", plan.region).put_object(
        Bucket="llama3-8b-checkpoints-123456789012-us-east-2", Key="weights", Body=b"kept"
    )
    storage = next(place for place, step in enumerate(steps) if step.title == "delete the storage stack")
    for command in (
        command for step in steps[: storage + 1] for command in step.commands if "cloudwatch" not in command
    ):
        shell.paste(command, plan.region)
    answer = shell.client("s3", plan.region).get_object(Bucket=shell.variables["BUCKET"], Key="weights")

    assert not stands(shell, "llama3-8b-storage", plan.region)
    assert answer["Body"].read() == b"kept"
    assert files(shell, plan) == [shell.variables["FILE_SYSTEM"]]


def test_network_waits_for_the_file_system(pasted):
    """CDK-04: While the file system stands, the network's stack stays, and the look names what is in the way."""
    plan, shell, steps = pasted("llama3-8b-trn1")
    printed = ""
    for step in steps:
        if step.title == "delete the file system":
            continue
        for command in (each for each in step.commands if "cloudwatch" not in each):
            printed += shell.paste(command, plan.region)
        if step.title == "delete the network stack":
            break

    assert "Created by Amazon FSx" in printed
    assert stands(shell, "llama3-8b-network", plan.region)
    assert files(shell, plan) == [shell.variables["FILE_SYSTEM"]]
