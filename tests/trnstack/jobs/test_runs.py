"""Whose checkpoints a training job goes on from."""

import json

import pytest

pytestmark = pytest.mark.cli
MINE = "print('trains')"
KEEPS = {"TRNSTACK_KEEPS_CHECKPOINTS": "1"}


@pytest.fixture
def first(pods):
    """Returns the pods of a job whose run has begun."""
    pods.has(mine=MINE)
    pods.trains()
    assert pods.run(2, **KEEPS)[0][0] == 0
    return pods


def test_the_same(first):
    """A run goes on with more steps, and with more frequent checkpoints."""
    first.trains(steps=9, checkpoint_steps=1, checkpoints_kept=1)

    assert [code for code, _ in first.run(2, **KEEPS)] == [0, 0]


@pytest.mark.parametrize(
    ("name", "value"),
    [("model", "Llama-2-7B"), ("data", "/fsx/tokens"), ("framework", "jax"), ("tensor", 4), ("precision", "fp32")],
)
def test_another(first, name, value):
    """A run of the same name with another model, or on other tokens, is refused before it trains."""
    first.trains(**{name: value})

    for code, out in first.run(2, **KEEPS):
        assert code == 1
        assert f"has the checkpoints of another run, with {name} " in out
        assert f"and not {value!r}" in out
        assert "another --name" in out
        assert "trains\n" not in out


def test_all_the_same(first):
    """Who wants to go on from them does so by removing what they were."""
    first.trains(data="/fsx/tokens")
    (first.base / "checkpoints" / "j" / "run.json").unlink()

    assert [code for code, _ in first.run(2, **KEEPS)] == [0, 0]
    assert json.loads((first.base / "checkpoints" / "j" / "run.json").read_text())["data"] == "/fsx/tokens"


def test_others(pods):
    """A job that keeps no checkpoints leaves nothing."""
    pods.has(mine=MINE)

    assert pods.run(1)[0][0] == 0
    assert not (pods.base / "checkpoints").exists()
