"""Environments that stand in the embedded AWS of this process, deployed from their golden templates without the CLI."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ami.lock import path_for, read
from bench.locks import resolved
from rehearsal.kubernetes.view import server_of
from rehearsal.pins import publish
from rehearsal.seed import seed_file
from rehearsal.story.standing import server_options
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from tests.rehearsal.assets import assets
from trnstack.environment import read_environment
from trnstack.plan import Plan, plan

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"
TEMPLATES = "templates-123456789012"


@pytest.fixture
def planned() -> Callable[[str], Plan]:
    """Returns the plan of one of the project's environments, as its golden templates are made from it."""

    def make(name: str) -> Plan:
        file = ROOT / "environments" / f"{name}.yaml"
        return plan(read_environment(file)[1], resolved(read(path_for(file))))

    return make


def inside(endpoint: str) -> Mapping[str, Any]:
    """Gives what the cluster at an endpoint holds."""
    return server_of(endpoint).described()


@pytest.fixture
def deployed(services, tmp_path, request, monkeypatch) -> Callable[[Plan, str], Survey]:
    """Deploys the golden templates of an environment, stack by stack, and returns what stands."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def deploy(decided: Plan, name: str) -> Survey:
        services.reset()
        publish(resolved(read(path_for(ROOT / "environments" / f"{name}.yaml"))))
        for file in server_options(decided, account="123456789012", folder=tmp_path)[1:]:
            seed_file(Path(file))
        cloudformation = services.transport.client("cloudformation", "123456789012", decided.region)
        s3 = services.transport.client("s3", "123456789012", decided.region)
        place = {} if decided.region == "us-east-1" else {"LocationConstraint": decided.region}
        s3.create_bucket(Bucket=TEMPLATES, **({"CreateBucketConfiguration": place} if place else {}))
        if decided.kubernetes.stack:
            helm = request.getfixturevalue("helm")
            template = json.loads((GOLDEN / name / f"{decided.kubernetes.stack}.template.json").read_text())
            # Of an environment that names its account the template names that account's bucket.
            bucket = f"cdk-hnb659fds-assets-{decided.account or '123456789012'}-{decided.region}"
            s3.create_bucket(Bucket=bucket, **({"CreateBucketConfiguration": place} if place else {}))
            for key, content in assets(template, decided, helm):
                s3.put_object(Bucket=bucket, Key=key, Body=content)
        for stack in decided.stacks:
            # As the CLI does: a template may be larger than what a request takes.
            s3.put_object(
                Bucket=TEMPLATES,
                Key=stack.name,
                Body=(GOLDEN / name / f"{stack.name}.template.json").read_bytes(),
            )
            cloudformation.create_stack(
                StackName=stack.name,
                TemplateURL=f"https://s3.{decided.region}.amazonaws.com/{TEMPLATES}/{stack.name}",
                EnableTerminationProtection=stack.termination_protection,
                Capabilities=["CAPABILITY_NAMED_IAM"],
                Tags=[{"Key": key, "Value": value} for key, value in stack.tags.items()],
                Parameters=[],
            )
            s3.delete_object(Bucket=TEMPLATES, Key=stack.name)
        s3.delete_bucket(Bucket=TEMPLATES)
        return survey(lambda service: services.transport.client(service, "123456789012", decided.region), inside)

    return deploy
