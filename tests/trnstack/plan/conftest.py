"""Plans of the environment builder's environments, with a lock from the offline tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ami import offline
from ami.lock import read as read_lock
from ami.pins import Lock
from trnstack.findings import has_errors
from trnstack.plan import Plan, lock_inputs, plan
from trnstack.rules import check
from trnstack.spec import Environment

ENVIRONMENTS = Path(__file__).parents[3] / "environments"


@pytest.fixture(scope="session")
def lock() -> Lock:
    """A lock whose pins fit the builder's environment: the same region, Kubernetes version and SDK."""
    return read_lock(ENVIRONMENTS / "llama3-8b-trn1.lock.json")


@pytest.fixture
def locked(lock) -> Callable[[Environment], Lock]:
    """Returns a maker of an environment's offline lock, with the pins of the one above where they answer it."""
    return lambda made: offline.lock(lock_inputs(made), keep=lock)


@pytest.fixture
def planned(environment, locked) -> Callable[..., Plan]:
    """Returns a builder: ``planned(lustre={...})`` is the plan of the builder's environment, which has no errors."""

    def build(**sections: object) -> Plan:
        made = environment(**sections)
        assert not has_errors(check(made))
        return plan(made, locked(made))

    return build
