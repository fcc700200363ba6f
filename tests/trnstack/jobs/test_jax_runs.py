"""The way of a JAX run through checkpoints, signals and starts: real processes, with stand-ins for JAX and NumPy.

The stand-ins split arrays over processes and let processes wait for each other. The model's own sums are left out.
"""

import signal
import zipfile

import pytest

from tests.trnstack.jobs.pods import ended, until

pytestmark = pytest.mark.cli
#: A run whose weights count the steps.
MINE = """
import time
import jax, jax_checkpoints, jax_pods, pretrain_jax
import numpy as np

def begin(told, mesh):
    return {"weights": jax.make_array_from_callback((8,), "split", lambda index: [0.0] * (8 // jax.process_count())),
            "step": jax.make_array_from_callback((), "whole", lambda index: 0)}

def step(told, state, batches):
    time.sleep(PAUSE)
    for array in state.values():
        for shard in array.addressable_shards:
            shard.data = [each + 1 for each in shard.data] if array.shape else shard.data + 1
    return state, 1.0

pretrain_jax.begin, pretrain_jax.step = begin, step
pretrain_jax.tokens = lambda told, number: np.array([0])
jax_pods.spread = lambda *_: None
pretrain_jax.main()
"""
QUICK, SLOW = MINE.replace("PAUSE", "0"), MINE.replace("PAUSE", "0.1")


@pytest.fixture
def run(pods):
    """Returns what runs a JAX run of two pods to its end, or of as many as are said."""

    def done(nodes=2, body=QUICK, **told):
        pods.has(mine=body)
        pods.trains(framework="jax", nodes=nodes, **told)
        return pods.run(nodes, "jax")

    return done


def checkpoints(pods):
    return sorted(path.parent.name for path in (pods.base / "checkpoints" / "j").glob("*/done"))


def weights(pods, name):
    """Returns what a checkpoint has of the weights, its parts one behind the other."""
    found = []
    for file in sorted((pods.base / "checkpoints" / "j" / name).glob("part-*.npz")):
        with zipfile.ZipFile(file) as opened:
            found += [opened.read(each).decode() for each in opened.namelist() if "weights" in each]
    return found


@pytest.mark.parametrize("nodes", [1, 2])
def test_whole_run(pods, run, nodes):
    """A run starts from nothing, and leaves its checkpoints."""
    found = run(nodes)

    assert [code for code, _ in found] == [0] * nodes
    assert "starting from random weights" in found[0][1]
    assert checkpoints(pods) == ["step-00000002", "step-00000004", "step-00000006"]
    assert weights(pods, "step-00000006") == [str([6.0] * (8 // nodes))] * nodes


def test_patience(run):
    """JAX waits for as long as pods do: a node pulls its container longer than JAX's own five minutes."""
    assert all("joins within 1800 seconds" in out for _, out in run())


@pytest.mark.parametrize("told", [0, 1])
def test_one_is_told_to_end(pods, run, told):
    """When one pod is told to end all save the same step and end as ended ones, so that the job starts again."""
    pods.has(mine=SLOW)
    pods.trains(framework="jax", steps=500)
    started = pods.start(2, "jax")
    until(lambda: checkpoints(pods))

    started[told].send_signal(signal.SIGTERM)

    assert [code for code, _ in ended(started)] == [143, 143]
    last = checkpoints(pods)[-1]
    step = int(last.removeprefix("step-"))
    assert step < 500
    (code, out), _ = run(steps=step + 1)
    assert code == 0
    assert f"resuming from {pods.base}/checkpoints/j/{last}" in out
    assert weights(pods, f"step-{step + 1:08}") == [str([step + 1.0] * 4)] * 2


def test_kept(pods, run):
    """No more checkpoints are kept than are asked for, and they are the newest."""
    run(checkpoints_kept=2)

    assert checkpoints(pods) == ["step-00000004", "step-00000006"]


def test_nothing_left(run):
    """A run that has all its steps says so, and does not do as if it had trained."""
    run()

    (code, out), _ = run()

    assert code == 0
    assert "the run has 6 of 6 steps already, and nothing is trained: another --name is another run" in out


def cut(file):
    file.write_bytes(file.read_bytes()[:20])


def lose(file):
    file.unlink()


def spoil(file):
    data = file.read_bytes()
    place = data.index(b"[6.0")
    file.write_bytes(data[:place] + b"[\x000" + data[place + 3 :])


@pytest.mark.parametrize("breaks", [cut, lose, spoil])
@pytest.mark.parametrize("part", [0, 1])
def test_broken(pods, run, breaks, part):
    """A checkpoint that one of the pods can't read is passed over by all, for the one before it."""
    run()
    breaks(pods.base / "checkpoints" / "j" / "step-00000006" / f"part-{part:05}.npz")

    found = run()

    assert [code for code, _ in found] == [0, 0]
    assert "resuming from" in found[0][1]
    assert "step-00000004" in found[0][1]
    assert "checkpoint step-00000006 can't be read" in found[part][1]
    assert weights(pods, "step-00000006") == [str([6.0] * 4)] * 2


def test_all_broken(pods, run):
    """Where none can be read nothing is trained over them."""
    run()
    for file in (pods.base / "checkpoints" / "j").glob("*/part-00000.npz"):
        cut(file)

    found = run()

    # The one that ends last may have seen that the other is gone.
    assert sorted(code for code, _ in found) in ([1, 1], [1, 75])
    assert "none of the checkpoints in" in found[0][1]


def test_other_cores(run):
    """Another number of cores is told, and is no broken checkpoint."""
    run()

    ((code, out),) = run(1)

    assert code == 1
    assert "it was written by another number of cores" in out


SYNCED = """
import os
real = os.fsync
def fsync(handle):
    print("synced", os.readlink(f"/proc/self/fd/{handle}"), flush=True)
    real(handle)
os.fsync = fsync
"""


def test_never_half(pods, run):
    """A part has its name only when the file system has all of it, and the mark comes after all parts."""
    (_, first), (_, second) = run(body=SYNCED + QUICK, steps=6, checkpoint_steps=6)

    folder = f"{pods.base}/checkpoints/j/step-00000006"
    synced = [[line.split()[1] for line in out.splitlines() if line.startswith("synced")] for out in (first, second)]
    assert synced[0] == [f"{folder}/part-00000.part", folder, f"{folder}/done.part", folder]
    assert synced[1] == [f"{folder}/part-00001.part", folder]
    names = {path.name for path in (pods.base / "checkpoints" / "j" / "step-00000006").iterdir()}

    assert names == {"part-00000.npz", "part-00001.npz", "done"}
