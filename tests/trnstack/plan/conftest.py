"""Plans of the environment builder's environments, with a lock from the offline tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ami.lock import Lock
from ami.lock import read as read_lock
from trnstack.findings import has_errors
from trnstack.plan import Plan, plan
from trnstack.rules import check

ENVIRONMENTS = Path(__file__).parents[3] / "environments"


@pytest.fixture(scope="session")
def lock() -> Lock:
    """A lock whose pins fit the builder's environment: the same region, Kubernetes version and SDK."""
    return read_lock(ENVIRONMENTS / "llama3-8b-trn1.lock.json")


@pytest.fixture
def planned(environment, lock) -> Callable[..., Plan]:
    """Returns a builder: ``planned(lustre={...})`` is the plan of the builder's environment, which has no errors."""

    def build(**sections: object) -> Plan:
        made = environment(**sections)
        assert not has_errors(check(made))
        return plan(made, lock)

    return build
