"""The environments of the repository with their plans, and the scripts that run in pods, to be called here."""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from ami.lock import path_for, read
from bench.locks import resolved
from tests.trnstack.jobs.pods import Pods
from trnstack.environment import read_environment
from trnstack.jobs.refusals import refusals
from trnstack.jobs.render import render
from trnstack.jobs.request import JobRequest
from trnstack.jobs.shape import shape
from trnstack.plan import Plan, plan
from trnstack.spec import Environment

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "trnstack" / "jobs" / "scripts"
ENVIRONMENTS = sorted(path.stem for path in (ROOT / "environments").glob("*.yaml"))


@dataclass(frozen=True)
class Planned:
    environment: Environment
    plan: Plan

    def codes(self, **asked: Any) -> list[str]:
        """Returns the codes of what refuses a job."""
        return [finding.code for finding in refusals(self.environment, self.plan, JobRequest(**asked))]

    def text(self, **asked: Any) -> str:
        """Returns a job's manifests, which nothing refuses."""
        request = JobRequest(**asked)
        assert refusals(self.environment, self.plan, request) == []
        return render(shape(self.environment, self.plan, request))

    def objects(self, **asked: Any) -> dict[str, dict[str, Any]]:
        """Returns a job's manifests by their kind."""
        return {found["kind"]: found for found in yaml.safe_load_all(self.text(**asked)) if found}


@cache
def planned(name: str) -> Planned:
    """Returns an environment of the repository, and its plan by a lock as an account would resolve it."""
    file = ROOT / "environments" / f"{name}.yaml"
    _, environment = read_environment(file)
    return Planned(environment, plan(environment, resolved(read(path_for(file)))))


@pytest.fixture
def changed() -> Callable[..., Planned]:
    """Returns what makes an environment with sections replaced, under the lock of the one that it was made from."""

    def make(name: str, **sections: Any) -> Planned:
        environment = planned(name).environment.model_copy(update=sections)
        lock = resolved(read(path_for(ROOT / "environments" / f"{name}.yaml")))
        return Planned(environment, plan(environment, lock))

    return make


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Returns what imports a script as it is in a pod: by its bare name, beside the others."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(SCRIPTS)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if (SCRIPTS / f"{name}.py").exists():
            del sys.modules[name]


@pytest.fixture
def pods(tmp_path: Path) -> Iterator[Pods]:
    """Returns what runs pods, none of which outlives the test."""
    made = Pods(tmp_path)
    yield made
    made.close()
