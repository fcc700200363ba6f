"""Plans of the environment builder's environments, as the planning tests have them."""

from collections.abc import Callable

import pytest

from ami import offline
from trnstack.findings import has_errors
from trnstack.plan import Plan, lock_inputs, plan
from trnstack.rules import check


@pytest.fixture
def planned(environment) -> Callable[..., Plan]:
    """Returns a builder: ``planned(lustre={...})`` is the plan of the builder's environment with an offline lock."""

    def build(**sections: object) -> Plan:
        made = environment(**sections)
        assert not has_errors(check(made))
        return plan(made, offline.lock(lock_inputs(made)))

    return build
