"""The teardowns that the tests read."""

from collections.abc import Callable, Iterable

import pytest

from tests.trnstack.advice.teardown.variants import VARIANTS
from trnstack.advice.teardown import Step, Teardown, teardown
from trnstack.plan import Plan


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest, planned: Callable[..., Plan]) -> tuple[Plan, Teardown]:
    """Each of the environments in turn, with its teardown."""
    plan = planned(**VARIANTS[request.param])
    return plan, teardown(plan)


@pytest.fixture
def found(planned: Callable[..., Plan]) -> Callable[..., Teardown]:
    """Returns the teardown of an environment of the builder."""
    return lambda **sections: teardown(planned(**sections))


@pytest.fixture
def named(found: Callable[..., Teardown]) -> Callable[[str], Teardown]:
    """Returns the teardown of one of the environments, by its name."""
    return lambda name: found(**VARIANTS[name])


@pytest.fixture
def commands() -> Callable[..., list[str]]:
    """Returns all commands of some steps."""
    return lambda *parts: [command for steps in parts for step in steps for command in step.commands]


@pytest.fixture
def step() -> Callable[[Iterable[Step], str], Step]:
    """Returns the step of that title."""

    def find(steps: Iterable[Step], title: str) -> Step:
        (one,) = (each for each in steps if each.title == title)
        return one

    return find
