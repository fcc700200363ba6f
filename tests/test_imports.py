"""What starts what: an answer that needs no template starts no Node and loads no AWS client.

The contracts on imports are checked by import-linter; these tests look at what a real process has loaded.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NODE = str(Path(sys.prefix) / "bin" / "node")
CDK = {"aws_cdk", "jsii", "constructs", "cdk_nag"}
AWS = {"boto3", "botocore", "moto"}
#: What only some commands need, and takes long to load.
SLOW = {"cfnlint", "matplotlib", "kubernetes_validate", "ruamel"}


def loaded(code: str, *, folder: Path = ROOT) -> set[str]:
    """Returns the top-level packages that a new process has loaded after running code."""
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "JSII_NODE": NODE}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=settings, check=True, capture_output=True, text=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def parts(package: str) -> set[str]:
    """Returns the modules and packages that lie in a package's folder."""
    found = (ROOT / package).iterdir()
    names = {path.stem for path in found if path.suffix == ".py" or (path / "__init__.py").exists()}
    return {f"{package}.{name}" for name in names - {"__init__"}}


def contract(name: str) -> set[str]:
    """Returns the modules that a contract of import-linter's holds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (found,) = (each for each in settings["tool"]["importlinter"]["contracts"] if each["name"] == name)
    return set(found["source_modules"])


class TestContracts:
    """A module that no contract names may import anything, so each is in one."""

    @pytest.mark.parametrize(
        "name", ["trnstack decides without CDK, AWS or the renderers", "trnstack compares pins and chooses none"]
    )
    def test_deciding(self, name):
        """All of trnstack but the command decides, and is held to it."""
        assert contract(name) == parts("trnstack") - {"trnstack.cli"}

    def test_pins(self):
        """All of ami asks nobody, but what is there to ask."""
        asks = {"ami.resolve", "ami.registry"}
        held = contract("choosing pins asks nobody") | contract("ami.lock stands on the standard library alone")

        assert held == parts("ami") - asks


@pytest.mark.cli
class TestImports:
    @pytest.mark.parametrize(
        "module",
        [
            "trnstack.environment",
            "trnstack.plan",
            "trnstack.rules",
            "trnstack.advice.steps",
            "trnstack.catalog",
            "trnstack.advice.impact",
            "trnstack.revisions",
            "trnstack.cli",
            "ami.lock",
            "ami.moving",
            "ami.outdated",
            "ami.explain",
            "stacks.__main__",
        ],
    )
    def test_deciding_loads_neither_cdk_nor_aws(self, module):
        """Reading, checking and planning load none of CDK, of AWS's clients, and of what is slow."""
        assert not loaded(f"import {module}") & (CDK | AWS | SLOW)

    def test_planning_a_file_loads_neither(self):
        """Nor does doing it: nothing is loaded on the way to a plan's JSON."""
        code = (
            "from trnstack.environment import plan_file\n"
            "from trnstack.plan import to_json\n"
            "to_json(plan_file('environments/llama3-8b-trn1.yaml'))"
        )

        assert not loaded(code) & (CDK | AWS | SLOW)

    def test_the_lock_stands_alone(self):
        """Reading a lock takes nothing beyond the standard library, so anything may read one."""
        third_party = {"pydantic", "yaml", "jinja2", "typer", "rich", "trnstack"}

        assert not loaded("import ami.lock") & (third_party | CDK | AWS)

    @pytest.mark.parametrize("module", ["infra.node_group", "stacks.app"])
    def test_rendering_asks_nobody(self, module):
        """Constructs and stacks load CDK and no client of AWS."""
        names = loaded(f"import {module}")

        assert "aws_cdk" in names
        assert not names & AWS

    def test_rendering_a_plan_loads_one_module_of_cdk(self, tmp_path):
        """A synthesis loads none of CDK's service modules, each of which takes a part of its second.

        Only what works in the cluster is CDK's own, and takes some of them: an environment that has it delivered by a
        repository does without.
        """
        code = (
            "import dataclasses\n"
            "from aws_cdk import App\n"
            "from stacks.app import build\n"
            "from trnstack.environment import plan_file\n"
            f"app = App(outdir={str(tmp_path)!r}, builtin_cloud_formation_validation=False)\n"
            f"plan = plan_file({str(ROOT / 'environments' / 'llama3-8b-trn1.yaml')!r})\n"
            "kubernetes = dataclasses.replace(plan.kubernetes, stack=None)\n"
            "build(app, dataclasses.replace(plan, kubernetes=kubernetes))\n"
            "app.synth()\n"
            "services = [name for name in sys.modules if name.startswith('aws_cdk.aws_')]\n"
            "assert not services, services"
        )

        assert not loaded(code, folder=tmp_path) & AWS
