"""One account for all rows: what stands around their resources takes longer to make than they do."""

import pytest

from .harness import Place


@pytest.fixture(scope="session")
def shared_place(services):
    return Place(services)


@pytest.fixture
def place(shared_place):
    """The account in which the surroundings stand."""
    shared_place.stand()
    return shared_place
