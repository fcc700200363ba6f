"""A real environment, deployed from its golden templates as the CDK CLI deploys it, with faults on the way."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from ami.lock import path_for, read
from bench.locks import resolved
from rehearsal import clock
from rehearsal.application import Rehearsal
from rehearsal.faults import parse
from rehearsal.kubernetes.view import server_of
from rehearsal.pins import publish
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from trnstack.environment import read_environment
from trnstack.plan import Plan, plan

ROOT = Path(__file__).parents[3]
ENVIRONMENT, ACCOUNT = "llama2-7b-trn1", "123456789012"
BUCKET, KEY = f"llama2-7b-checkpoints-{ACCOUNT}-us-west-2", "run/step-100"
TEMPLATES = "templates-of-the-tests"
NODES, STORAGE, CLUSTER = "llama2-7b-nodes-trn1", "llama2-7b-storage", "llama2-7b-cluster"
HOLDING = frozenset({"AWS::S3::Bucket", "AWS::FSx::FileSystem", "AWS::KMS::Key"})
_ID = re.compile(r"-[0-9a-f]{8,17}\b|-[0-9A-Z]{12}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9A-F]{32}\b")
_FAILED_CREATION = frozenset({"ROLLBACK_COMPLETE", "ROLLBACK_FAILED"})
_STATUS = re.compile(r"(CREATE|UPDATE|UPDATE_ROLLBACK)_COMPLETE")


def _shape(value: Any) -> Any:
    """Gives what a survey says but for ids, generated names and the order that follows from them."""
    if is_dataclass(value):
        # A mount name follows from the file system's id.
        named = [one.name for one in fields(value) if one.name != "mount_name"]
        return type(value).__name__, {name: _shape(getattr(value, name)) for name in named}
    if isinstance(value, Mapping):
        return {str(key): _shape(part) for key, part in sorted(value.items(), key=repr)}
    if isinstance(value, tuple | list | frozenset | set):
        return sorted((_shape(part) for part in value), key=repr)
    return _STATUS.sub("COMPLETE", _ID.sub("-ID", value)) if isinstance(value, str) else value


@dataclass
class Account:
    """An AWS account into which an environment is deployed.

    Attributes:
        services: The embedded AWS.
        plan: The environment's plan.
        templates: Its templates by stack, in the order of their deployment.
    """

    services: Rehearsal
    plan: Plan
    templates: dict[str, dict[str, Any]]
    tags: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def emptied(self, templates: Mapping[str, dict[str, Any]]) -> "Account":
        """Gives the account with nothing in it, into which templates are to be deployed."""
        self.services.reset()
        publish(resolved(read(path_for(ROOT / "environments" / f"{ENVIRONMENT}.yaml"))))
        place = {"LocationConstraint": self.plan.region}
        self.client("s3").create_bucket(Bucket=TEMPLATES, CreateBucketConfiguration=place)
        return replace(self, templates=deepcopy(dict(templates)))

    def client(self, service: str) -> Any:
        return self.services.transport.client(service, ACCOUNT, self.plan.region)

    def fail(self, *faults: str) -> None:
        for text in faults:
            self.services.faults.add(parse(text))

    def lift(self) -> None:
        self.services.faults.lift()

    def deploy(self, *, until: str | None = None) -> str | None:
        """Deploys stack by stack, and gives the first one that does not end well, as the CLI stops at it."""
        for name in self.templates:
            if not self.deploy_stack(name):
                return name
            if name == until:
                return None
        return None

    def deploy_stack(self, name: str) -> bool:
        cloudformation = self.client("cloudformation")
        status = self.status(name)
        if status in _FAILED_CREATION:
            cloudformation.delete_stack(StackName=name)
        asked = {
            "StackName": name,
            "TemplateURL": self._upload(name),
            "Capabilities": ["CAPABILITY_NAMED_IAM"],
            "Tags": [{"Key": key, "Value": value} for key, value in self.tags[name].items()],
        }
        if status in {None, "DELETE_COMPLETE"} | _FAILED_CREATION:
            cloudformation.create_stack(**asked)
        else:
            try:
                cloudformation.update_stack(**asked)
            except cloudformation.exceptions.ClientError as error:
                if "No updates are to be performed." not in str(error):
                    raise
        return self.status(name) in {"CREATE_COMPLETE", "UPDATE_COMPLETE"} or (
            self.status(name) == status == "UPDATE_ROLLBACK_COMPLETE"
        )

    def delete(self, name: str) -> str | None:
        self.client("cloudformation").delete_stack(StackName=name)
        return self.status(name)

    def status(self, name: str) -> str | None:
        stack = self.services.world.find(name, account=ACCOUNT, region=self.plan.region)
        return stack.status if stack else None

    def failures(self, name: str) -> dict[str, str]:
        """Gives why resources of a stack failed in its last operation, by logical id."""
        stack = self.services.world.find(name, account=ACCOUNT, region=self.plan.region)
        assert stack is not None
        events = [event for event in stack.events if event.operation_id == stack.operation_id]
        return {
            event.subject.logical_id: event.reason or ""
            for event in events
            if event.status.endswith("_FAILED") and event.subject.physical_id != stack.id
        }

    def physical_id(self, stack: str, resource_type: str) -> str:
        found = self.client("cloudformation").describe_stack_resources(StackName=stack)["StackResources"]
        return next(one["PhysicalResourceId"] for one in found if one["ResourceType"] == resource_type)

    def logical_id(self, stack: str, resource_type: str) -> str:
        return next(name for name, one in self.templates[stack]["Resources"].items() if one["Type"] == resource_type)

    def properties(self, stack: str, resource_type: str) -> dict[str, Any]:
        """Gives the properties of the only resource of a type in a template, to be changed."""
        return self.templates[stack]["Resources"][self.logical_id(stack, resource_type)]["Properties"]

    def survey(self) -> Survey:
        return survey(self.client, lambda endpoint: server_of(endpoint).described())

    def stands(self) -> str:
        """Tells what stands, without ids and without how often a stack was deployed."""
        return repr(_shape(self.survey()))

    def unprotect(self) -> None:
        """Lets the cluster be deleted, as a person does whose stack can't be rolled back."""
        eks = self.client("eks")
        for name in eks.list_clusters()["clusters"]:
            eks.update_cluster_config(name=name, deletionProtection=False)

    def put_data(self) -> None:
        self.client("s3").put_object(Bucket=BUCKET, Key=KEY, Body=b"weights")

    def data(self) -> bytes:
        return self.client("s3").get_object(Bucket=BUCKET, Key=KEY)["Body"].read()

    def held(self) -> dict[str, Any]:
        """Tells everything of what the templates retain, by physical id: one made anew under its name is another."""
        s3, found = self.client("s3"), {}
        for one in s3.list_buckets()["Buckets"]:
            if one["Name"] != TEMPLATES:
                objects = s3.list_object_versions(Bucket=one["Name"]).get("Versions", [])
                versions = {version["VersionId"]: (version["Key"], version["ETag"]) for version in objects}
                found[one["Name"]] = (one["CreationDate"], versions)
        for one in self.client("fsx").describe_file_systems()["FileSystems"]:
            found[one["FileSystemId"]] = (one["CreationTime"], one["Lifecycle"])
        for one in self.client("kms").list_keys()["Keys"]:
            key = self.client("kms").describe_key(KeyId=one["KeyId"])["KeyMetadata"]
            found[one["KeyId"]] = (key["CreationDate"], key["KeyState"])
        return found

    def retained(self) -> set[str]:
        """Gives the physical ids of what the stacks have and their templates retain, of the types that hold data."""
        ids = set()
        for name, template in self.templates.items():
            stack = self.services.world.find(name, account=ACCOUNT, region=self.plan.region)
            for logical_id, one in template["Resources"].items():
                if stack is not None and one["Type"] in HOLDING and logical_id in stack.resources:
                    assert {"DeletionPolicy", "UpdateReplacePolicy"} <= one.keys()
                    ids.add(stack.resources[logical_id].physical_id)
        return ids

    def _upload(self, name: str) -> str:
        # As the CLI does: a template may be larger than what a request takes.
        s3, region = self.client("s3"), self.plan.region
        s3.put_object(Bucket=TEMPLATES, Key=name, Body=json.dumps(self.templates[name]).encode())
        return f"https://s3.{region}.amazonaws.com/{TEMPLATES}/{name}"


@pytest.fixture(scope="session")
def planned() -> Plan:
    file = ROOT / "environments" / f"{ENVIRONMENT}.yaml"
    return plan(read_environment(file)[1], resolved(read(path_for(file))))


@pytest.fixture(scope="session")
def golden(planned) -> Mapping[str, dict[str, Any]]:
    """The templates of the environment but for those of what is in the cluster, by stack."""
    folder = ROOT / "tests" / "golden" / ENVIRONMENT
    names = [stack.name for stack in planned.stacks if stack.name != planned.kubernetes.stack]
    return {name: json.loads((folder / f"{name}.template.json").read_text()) for name in names}


@pytest.fixture(scope="class")
def opened(services, planned, golden) -> Iterator[Account]:
    """An account of the tests of a class, empty at first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(clock.VARIABLE, "2026-12-01T00:00:00Z")
        tags = {stack.name: stack.tags for stack in planned.stacks}
        yield Account(services, planned, {}, tags).emptied(golden)
        services.reset()


@pytest.fixture
def account(opened, golden) -> Account:
    """The account of the class, without faults, and with the environment's own templates."""
    opened.lift()
    opened.templates = deepcopy(golden)
    return opened
