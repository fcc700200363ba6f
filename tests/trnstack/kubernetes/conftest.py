"""Plans of the committed environments and of the builder's, with every pin resolved as an account would."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ami import offline
from ami.pins import Lock
from bench.locks import resolved
from tests.rehearsal.assets import unpack_helm
from trnstack.environment import check_file
from trnstack.findings import has_errors
from trnstack.plan import Plan, lock_inputs, plan
from trnstack.rules import check
from trnstack.spec import Environment

ENVIRONMENTS = sorted((Path(__file__).parents[3] / "environments").glob("*.yaml"))


def decided(environment: Environment) -> tuple[Plan, Lock]:
    """Returns the plan of an environment by the tables as they are, and the lock that it came from."""
    lock = resolved(offline.lock(lock_inputs(environment)))
    return plan(environment, lock), lock


@pytest.fixture(params=ENVIRONMENTS, ids=lambda file: file.stem)
def each(request: pytest.FixtureRequest) -> tuple[Plan, Lock]:
    """The plan and the lock of each committed environment in turn."""
    environment = check_file(request.param, with_lock=False).environment
    assert environment is not None
    return decided(environment)


@pytest.fixture
def planned(environment: Callable[..., Environment]) -> Callable[..., Plan]:
    """Returns a builder: ``planned(lustre={...})`` is the plan of the builder's environment, which has no errors."""

    def build(**sections: object) -> Plan:
        made = environment(**sections)
        assert not has_errors(check(made))
        return decided(made)[0]

    return build


@pytest.fixture(scope="session")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The helm of the layer that is deployed for Kubernetes 1.35, unpacked once."""
    return unpack_helm(tmp_path_factory.mktemp("helm"))
