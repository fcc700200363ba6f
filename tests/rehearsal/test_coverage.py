"""Nothing of a template is left out in silence: each property of each environment reaches a service or says why not."""

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from ami.lock import path_for, read
from rehearsal.application import Rehearsal
from rehearsal.handlers import handler_for
from rehearsal.handlers.base import Handler
from rehearsal.overlays import overlay_for
from rehearsal.pins import publish
from rehearsal.pins.made_up import resolved
from rehearsal.schemas import schemas
from rehearsal.seed import seed_file
from rehearsal.story.standing import server_options
from tests.rehearsal.assets import assets
from tests.rehearsal.tracing import Made, Recorder, change, is_left_out, is_left_out_of_updates, leaves, named, replayed
from trnstack.environment import read_environment
from trnstack.plan import plan

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
ACCOUNT = "123456789012"

#: What makes no other call when it is another, at first or in what stands, each with the reason.
NOT_PASSED_ON = {
    "AWS::EKS::Nodegroup ForceUpdateEnabled": "it goes with a new version or launch template, and says nothing alone",
    "AWS::KMS::Key PendingWindowInDays": "it is of ScheduleKeyDeletion, when the key goes",
}


def templates(environment: str) -> dict[str, dict]:
    """Returns the golden templates of an environment by the names of their stacks."""
    files = sorted((GOLDEN / environment).glob("*.template.json"))
    return {file.name.removesuffix(".template.json"): json.loads(file.read_bytes()) for file in files}


def used(environment: str) -> set[tuple[str, str]]:
    """Returns each property that an environment's templates give, as they are written."""
    return {
        (resource["Type"], named(tuple(step for step in path if not str(step).startswith(("Fn::", "Ref")))))
        for template in templates(environment).values()
        for resource in template["Resources"].values()
        for path, _ in leaves(resource.get("Properties", {}))
    }


@cache
def chosen() -> tuple[str, ...]:
    """Returns environments that between them use every property that any of them uses."""
    left = {folder.name: used(folder.name) for folder in sorted(GOLDEN.iterdir())}
    found, names = set(), []
    while any(each - found for each in left.values()):
        name = max(left, key=lambda one: len(left[one] - found))
        found |= left.pop(name)
        names.append(name)
    return tuple(names)


def deploy(aws: Rehearsal, environment: str, folder: Path, helm: Path) -> None:
    """Deploys the golden templates of an environment into an AWS."""
    file = ROOT / "environments" / f"{environment}.yaml"
    lock = resolved(read(path_for(file)))
    decided = plan(read_environment(file)[1], lock)
    account = decided.account or ACCOUNT
    publish(lock)
    for seeds in server_options(decided, account=account, folder=folder)[1:]:
        seed_file(Path(seeds))
    clients = {name: aws.transport.client(name, account, decided.region) for name in ("cloudformation", "s3")}
    place = {} if decided.region == "us-east-1" else {"LocationConstraint": decided.region}
    bucket = f"cdk-hnb659fds-assets-{account}-{decided.region}"
    clients["s3"].create_bucket(Bucket=bucket, **({"CreateBucketConfiguration": place} if place else {}))
    made = templates(environment)
    for stack in decided.stacks:
        for key, content in assets(made[stack.name], decided, helm):
            clients["s3"].put_object(Bucket=bucket, Key=key, Body=content)
        clients["s3"].put_object(Bucket=bucket, Key=stack.name, Body=json.dumps(made[stack.name]).encode())
        clients["cloudformation"].create_stack(
            StackName=stack.name,
            TemplateURL=f"https://s3.{decided.region}.amazonaws.com/{bucket}/{stack.name}",
            Capabilities=["CAPABILITY_NAMED_IAM"],
            Tags=[{"Key": key, "Value": value} for key, value in stack.tags.items()],
        )
        (found,) = clients["cloudformation"].describe_stacks(StackName=stack.name)["Stacks"]
        events = aws.world.find(stack.name, account=account, region=decided.region).events
        failed = [event.reason for event in events if event.status.endswith("_FAILED")]
        assert found["StackStatus"] == "CREATE_COMPLETE", failed


@pytest.fixture(scope="module")
def made(tmp_path_factory, helm):
    """Every resource that handlers make of the chosen environments, one for each property."""
    recorder, found = Recorder(), []
    aws = Rehearsal(
        handler_for=lambda kind: recorder.wrap(handler_for(kind)), overlay_for=overlay_for, hold_seconds=600
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRNSTACK_REHEARSAL_NOW", "2026-12-01T00:00:00Z")
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        for environment in chosen():
            aws.reset()
            deploy(aws, environment, tmp_path_factory.mktemp(environment), helm)
            found += recorder.made
            recorder.made = []
    aws.reset()
    return found


def left_out(made: list[Made], is_out: Callable[[Made, Handler, tuple], bool]) -> set[str]:
    """Returns the properties for which a look finds nothing, each looked at once."""
    seen, found = set(), set()
    for each in made:
        for path, _ in leaves(each.resource.properties):
            name = f"{each.type} {named(path)}"
            if name not in seen:
                seen.add(name)
                if is_out(each, handler_for(each.type), path):
                    found.add(name)
    return found


def changes_in_place(made: Made, handler: Handler, path: tuple) -> bool:
    """Tells whether a change of a value is one in place, and makes no call."""
    altered = copy.deepcopy(made.resource.properties)
    change(altered, path)
    schema = schemas(made.scope.region).get(made.type)
    replaces = schema is not None and schema.replaced_by(made.resource.properties, altered)
    return not replaces and is_left_out_of_updates(made, handler, path)


class TestCoverage:
    @pytest.mark.parametrize("environment", sorted(folder.name for folder in GOLDEN.iterdir()))
    def test_every_type_has_a_handler(self, environment):
        """A type that the rehearsal can't make is named."""
        types = {one["Type"] for template in templates(environment).values() for one in template["Resources"].values()}

        assert sorted(name for name in types if handler_for(name) is None) == []

    def test_every_property_is_passed_on(self, made):
        """A value that is another makes other calls, or is refused, or its reason to be left out is in the table."""
        assert left_out(made, is_left_out) == NOT_PASSED_ON.keys()

    def test_every_change_is_passed_on(self, made):
        """So does a change of a value in what stands, unless it replaces the resource."""
        assert left_out(made, changes_in_place) == NOT_PASSED_ON.keys()

    def test_what_is_dropped_is_found(self, made):
        """A handler that leaves one property out, at any depth, is found to."""
        bucket = next(each for each in made if each.type == "AWS::S3::Bucket")
        handler = handler_for(bucket.type)
        path, _ = next(one for one in leaves(bucket.resource.properties) if "BucketEncryption" in one[0])

        assert is_left_out(bucket, Dropping(handler, "BucketEncryption"), path)
        assert not is_left_out(bucket, handler, path)

    def test_a_record_plays_back(self, made):
        """What is compared is what handlers do: the same properties make the same calls twice."""
        for each in made:
            handler, properties = handler_for(each.type), each.resource.properties
            assert replayed(each, handler, properties) == replayed(each, handler, properties)


class Dropping:
    """Makes resources without one of their properties."""

    def __init__(self, handler, name):
        self.handler, self.name = handler, name

    def create(self, scope, resource):
        del resource.properties[self.name]
        self.handler.create(scope, resource)
