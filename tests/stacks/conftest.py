"""Synthesizes every environment once, and variants of one where a test asks for something that none of them has."""

import functools
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ami import offline
from ami.lock import path_for
from ami.lock import read as read_lock
from bench.locks import resolved
from trnstack import source
from trnstack.environment import read_environment
from trnstack.findings import InvalidEnvironmentError, has_errors
from trnstack.plan import Plan, lock_inputs, plan
from trnstack.rules import check
from trnstack.spec.load import load

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = tuple(sorted(path.stem for path in (ROOT / "environments").glob("*.yaml")))

# The Node that came with the packages, as in stacks/__main__.py; an older one may be first on the PATH.
os.environ.setdefault("JSII_NODE", str(Path(sys.prefix) / "bin" / "node"))


class Template(dict[str, Any]):
    """A synthesized template that answers what tests ask of it."""

    def of(self, resource_type: str) -> dict[str, Any]:
        """Returns the resources of a type by their logical ids."""
        return {name: made for name, made in self["Resources"].items() if made["Type"] == resource_type}

    def properties(self, resource_type: str) -> list[Any]:
        """Returns the properties of all resources of a type."""
        return [made["Properties"] for made in self.of(resource_type).values()]

    def one(self, resource_type: str) -> Any:
        """Returns the properties of the only resource of a type."""
        (properties,) = self.properties(resource_type)
        return properties

    def exports(self) -> dict[str, Any]:
        """Returns the exported values by their names."""
        return {
            output["Export"]["Name"]: output["Value"]
            for output in self.get("Outputs", {}).values()
            if "Export" in output
        }

    def printed(self) -> dict[str, Any]:
        """Returns the outputs that people and scripts read, by their keys."""
        return {key: output["Value"] for key, output in self.get("Outputs", {}).items() if "Export" not in output}


class Assembly(dict[str, Template]):
    """The templates of one environment by their stacks' names, the plan, and the folder that they were written to."""

    def __init__(self, folder: Path, decided: Plan) -> None:
        names = [stack.name for stack in decided.stacks]
        super().__init__(
            {stack: Template(json.loads((folder / f"{stack}.template.json").read_text())) for stack in names}
        )
        self.folder = folder
        self.plan = decided

    def artifacts(self) -> Any:
        """Returns what the CDK CLI is told of each stack."""
        return json.loads((self.folder / "manifest.json").read_text())["artifacts"]


@functools.cache
def _context() -> dict[str, Any]:
    context: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text())["context"]
    return context


def _synthesize(decided: Plan, outdir: Path) -> Assembly:
    from aws_cdk import App

    from stacks.app import build

    app = App(
        outdir=str(outdir), context=_context(), analytics_reporting=False, builtin_cloud_formation_validation=False
    )
    build(app, decided)
    app.synth()
    return Assembly(outdir, decided)


@pytest.fixture(scope="session")
def plans() -> dict[str, Plan]:
    """The plans of all environments, by their file's name."""
    return {name: _planned(ROOT / "environments" / f"{name}.yaml") for name in ENVIRONMENTS}


def _planned(file: Path) -> Plan:
    """Returns the plan of an environment with its lock as an account would have resolved it."""
    return plan(read_environment(file)[1], resolved(read_lock(path_for(file))))


@pytest.fixture(scope="session")
def templates(plans: dict[str, Plan], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Assembly]:
    """The templates of all environments: environment, then the stack's name."""
    return {name: _synthesize(decided, tmp_path_factory.mktemp(name)) for name, decided in plans.items()}


@pytest.fixture(scope="session")
def every(templates: dict[str, Assembly]) -> dict[str, Template]:
    """The templates of all environments, by the stack's name."""
    return {stack: template for stacks in templates.values() for stack, template in stacks.items()}


@pytest.fixture(params=ENVIRONMENTS)
def environment_name(request: pytest.FixtureRequest) -> str:
    """Each environment's name in turn."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Plan], Assembly]:
    """Returns a builder of the templates of a plan."""
    return lambda decided: _synthesize(decided, tmp_path_factory.mktemp("plan"))


def _merged(base: Any, override: Any) -> Any:
    if not isinstance(base, Mapping) or not isinstance(override, Mapping):
        return override
    return {**base, **{key: _merged(base.get(key), value) for key, value in override.items()}}


@pytest.fixture(scope="session")
def variant(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Assembly]:
    """Returns a builder of templates: ``variant("dev-trn1", network={...})`` is that environment with sections changed.

    ``node_group`` changes the first node group, ``more_node_groups`` are added to it; what the rules refuse is refused.
    """

    def build(
        name: str, *, node_group: Any = None, more_node_groups: tuple[Any, ...] = (), **sections: Any
    ) -> Assembly:
        file = ROOT / "environments" / f"{name}.yaml"
        data = _merged(source.read(file).data, sections)
        first, *others = data["node_groups"]
        data["node_groups"] = (_merged(first, node_group or {}), *others, *more_node_groups)
        environment = load(source.Source(str(file), data))
        findings = list(check(environment))
        if has_errors(findings):
            raise InvalidEnvironmentError(findings)
        lock = offline.lock(lock_inputs(environment), keep=read_lock(path_for(file)))
        return _synthesize(plan(environment, resolved(lock)), tmp_path_factory.mktemp("variant"))

    return build
