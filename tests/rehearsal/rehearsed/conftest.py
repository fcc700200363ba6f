"""Environments in this process, whose templates are synthesized once for all tests."""

from pathlib import Path

import pytest

from rehearsal.rehearsed import rehearsed

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """A folder for what is made once: templates, and the helm of a layer."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(autouse=True)
def _kept_here(kept, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))


@pytest.fixture
def environment():
    """Returns the file of one of the project's environments."""
    return lambda name: ROOT / "environments" / f"{name}.yaml"


@pytest.fixture
def dev(environment):
    """The smallest environment, deployed."""
    with rehearsed(environment("dev-trn1")) as aws:
        yield aws
