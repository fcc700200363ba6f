"""Environments that stand in the embedded AWS of this process, deployed from their golden templates without the CLI."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rehearsal.seed import seed_file
from rehearsal.story.network import server_options
from rehearsal.survey import survey
from rehearsal.survey.records import Survey
from trnstack.environment import plan_file
from trnstack.plan import Plan

ROOT = Path(__file__).parents[3]


@pytest.fixture
def planned() -> Callable[[str], Plan]:
    """Returns the plan of one of the project's environments."""
    return lambda name: plan_file(ROOT / "environments" / f"{name}.yaml")


@pytest.fixture
def deployed(services, tmp_path) -> Callable[[Plan, str], Survey]:
    """Deploys the golden templates of an environment, stack by stack, and returns what stands."""

    def deploy(plan: Plan, name: str) -> Survey:
        services.reset()
        for file in server_options(plan, account="123456789012", folder=tmp_path)[1:]:
            seed_file(Path(file))
        cloudformation = services.transport.client("cloudformation", "123456789012", plan.region)
        for stack in plan.stacks:
            body = (ROOT / "tests" / "golden" / name / f"{stack.name}.template.json").read_text()
            cloudformation.create_stack(
                StackName=stack.name,
                TemplateBody=body,
                EnableTerminationProtection=stack.termination_protection,
                Capabilities=["CAPABILITY_NAMED_IAM"],
                Tags=[{"Key": key, "Value": value} for key, value in stack.tags.items()],
                Parameters=[],
            )
        return survey(lambda service: services.transport.client(service, "123456789012", plan.region))

    return deploy
