"""Checkpoints of a node that has no file system: in the bucket, and back from there."""

import shutil
import sys

import pytest

from tests.trnstack.jobs.pods import STAND_INS, free_port
from tests.trnstack.jobs.test_scripts import places, together

pytestmark = pytest.mark.cli
#: Writes checkpoints of the steps in STEPS, of which the last is not whole, and one a moment.
MINE = """
import os, pathlib, sys, time
import trnstack_pod as pod
folder = pod.run_folder("j")
print("there:", *pod.complete(folder), flush=True)
for step in map(int, os.environ.get("STEPS", "").split()):
    made = folder / f"step-{step}"
    made.mkdir(parents=True)
    (made / "part").write_text(f"{step}")
    if step < 90:
        (made / "done").touch()
    time.sleep(float(os.environ.get("PAUSE", "0")))
sys.exit(int(os.environ.get("CODE", "0")))
"""


@pytest.fixture
def bucket(pods):
    """Returns the folder that is the bucket, and what runs a pod of a run that keeps its checkpoints there."""
    puts_aws(pods.folder)
    folder = pods.base.parent / "bucket"
    folder.mkdir()
    pods.has(mine=MINE)
    pods.trains()

    def run(*, look=60.0, **variables):
        scratch = pods.folder / "scratch"
        if scratch.exists():  # another node has a disk of its own
            shutil.rmtree(scratch)
        told = {
            "FAKE_BUCKET": str(folder),
            "TRNSTACK_KEEPS_CHECKPOINTS": "1",
            "TRNSTACK_CHECKPOINT_PATH": "s3://bucket/checkpoints",
            "TRNSTACK_MOUNT_PATH": "",
            **variables,
        }
        ((code, out),) = pods.run(1, look=look, **told)
        return code, out

    return folder / "checkpoints" / "j", run


def puts_aws(folder):
    """Puts a command into a folder that stands in for the AWS CLI."""
    (folder / "aws").write_text(f"#!{sys.executable}\n{(STAND_INS / 'aws.py').read_text()}")
    (folder / "aws").chmod(0o755)


def calls(folder):
    return (folder.parents[2] / "calls").read_text().splitlines()


def whole(folder):
    return sorted(path.parent.name for path in folder.glob("*/done"))


def test_there_and_back(bucket):
    """Whole checkpoints reach the bucket, and a pod on another node begins with the newest."""
    folder, run = bucket

    code, out = run(STEPS="5 10 99", CODE="3")
    assert code == 3
    assert whole(folder) == ["step-10", "step-5"]
    assert not (folder / "step-99").exists()

    code, out = run()
    assert code == 0
    assert "fetched checkpoint step-10" in out
    assert "there: step-10\n" in out


def test_mark_last(bucket):
    """The mark of being whole goes last, both ways, so that half of one is never taken for a whole."""
    folder, run = bucket
    run(STEPS="5")
    run()

    copies = [call for call in calls(folder) if "cp" in call and "step-5" in call]
    ends = ["--exclude done", "--exclude * --include done"]

    assert [next(end for end in reversed(ends) if call.endswith(end)) for call in copies] == ends * 2


def test_while_it_runs(bucket):
    """They reach it while the program runs: the node may go at any time."""
    folder, run = bucket

    run(STEPS="5 6", PAUSE="2.5", look=0.1)

    first = next(number for number, call in enumerate(calls(folder)) if "step-5" in call)
    assert not any("step-6" in call for call in calls(folder)[: first + 2])
    assert whole(folder) == ["step-5", "step-6"]


def test_kept(bucket, pods):
    """Those beyond the number that is kept are removed, their mark first, and don't come back."""
    folder, run = bucket
    pods.trains(checkpoints_kept=2)

    run(STEPS="5 10 15 20")
    run(STEPS="25")

    assert whole(folder) == ["step-20", "step-25"]
    assert sorted(path.name for path in folder.iterdir()) == ["logs", "run.json", "step-20", "step-25"]
    removed = [call for call in calls(folder) if "s3 rm" in call and "step-5" in call]
    assert [call.split("/j/")[1] for call in removed] == ["step-5/done", "step-5/ --recursive"]


def test_refused(bucket):
    """A bucket that does not say what it has is none that has nothing: nothing is trained anew."""
    _, run = bucket
    run(STEPS="5")

    code, out = run(FAKE_FAILS="s3 ls", STEPS="1")

    assert code == 1
    assert "whether s3://bucket/checkpoints/j has checkpoints is not known" in out
    assert "AccessDenied" in out
    assert "there:" not in out


@pytest.mark.parametrize("part", ["--exclude done", "--include done"])
def test_half_fetched(bucket, part):
    """Neither is trained on where the checkpoint that is there can't be fetched."""
    _, run = bucket
    run(STEPS="5")

    code, out = run(FAKE_FAILS=f"cp .*s3://bucket/checkpoints/j/step-5 .*{part}$")

    assert code == 1
    assert "could not be copied" in out
    assert "there:" not in out


def test_lost(bucket):
    """A run whose last checkpoint did not reach the bucket has not ended well."""
    _, run = bucket

    code, out = run(FAKE_FAILS="cp .*step-5", STEPS="5")

    assert code == 1
    assert "did not reach the bucket; the program ended with 0" in out


def test_another_run(bucket, pods):
    """A bucket with another run's checkpoints is told, as a file system's folder is."""
    _, run = bucket
    run(STEPS="5")
    pods.trains(data="/data")

    code, out = run()

    assert code == 1
    assert "has the checkpoints of another run" in out


def test_log(bucket):
    """The pod's log is in the bucket too, where no file system keeps it."""
    folder, run = bucket
    run(CODE="4")

    (log,) = (folder / "logs").iterdir()

    assert "there:" in log.read_text()


def test_no_command(bucket, pods):
    """A container without the command ends with a sentence."""
    _, run = bucket
    (pods.folder / "aws").unlink()

    code, out = run(PATH="/nowhere")

    assert code == 1
    assert "the container has no aws command" in out


#: Leaves captures where Neuron's runtime does, in folders of its own.
CAPTURES = """
import os, pathlib, sys
folder = pathlib.Path(os.environ["NEURON_RT_INSPECT_OUTPUT_DIR"])
for name in os.environ.get("LEAVES", "").split():
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(name)
sys.exit(int(os.environ.get("CODE", "0")))
"""


class TestCaptures:
    @pytest.fixture
    def profile(self, bucket, pods):
        """Returns the folder of captures in the bucket, and what runs the pod of a profile."""
        folder, run = bucket
        pods.has(mine=CAPTURES)
        captures = str(pods.folder / "scratch" / "profiles" / "j")

        def profiled(**variables):
            told = {"NEURON_RT_INSPECT_OUTPUT_DIR": captures, "TRNSTACK_CAPTURES": captures}
            told |= {"TRNSTACK_CHECKPOINT_BUCKET": "bucket", "TRNSTACK_KEEPS_CHECKPOINTS": ""}
            return run(**told, **variables)

        return folder.parents[1] / "profiles" / "j", profiled

    def test_kept(self, profile):
        """What a profile has captured is in the bucket when its pod and the node's disk are gone."""
        folder, run = profile

        code, out = run(LEAVES="host/a.ntff host/a.neff system.json")

        assert code == 0
        assert "is in s3://bucket/profiles/j\n" in out
        files = [file for file in folder.rglob("*") if file.is_file()]
        assert sorted(str(file.relative_to(folder)) for file in files) == ["host/a.neff", "host/a.ntff", "system.json"]

    def test_of_what_failed(self, profile):
        """A program that fails tells that, and what it has captured is kept."""
        folder, run = profile

        code, _ = run(LEAVES="a.ntff", CODE="4")

        assert code == 4
        assert (folder / "a.ntff").is_file()

    @pytest.mark.parametrize(
        ("told", "why"),
        [
            ({}, "left nothing in"),
            ({"LEAVES": "a", "FAKE_FAILS": "s3 cp .*profiles"}, "could not be copied to s3://bucket/profiles/j"),
        ],
    )
    def test_lost(self, profile, told, why):
        """A profile without captures, or whose captures are lost, has not ended well."""
        code, out = profile[1](**told)

        assert code == 1
        assert why in out

    def test_no_command(self, profile, pods):
        """A container that could not keep them ends before anything is captured."""
        (pods.folder / "aws").unlink()

        code, out = profile[1](PATH="/nowhere", LEAVES="a")

        assert code == 1
        assert "no aws command, by which captures would reach the bucket" in out
        assert not (pods.folder / "scratch" / "profiles").exists()


class TestCheckpointIo:
    @pytest.fixture
    def measured(self, script, monkeypatch, tmp_path):
        """Returns what measures with so many pods, each with a disk of its own, and the folder that is the bucket."""
        puts_aws(tmp_path)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        bucket = tmp_path / "bucket"
        bucket.mkdir()
        monkeypatch.setenv("FAKE_BUCKET", str(bucket))
        module, meeting, pod = script("checkpoint_io_bucket"), script("trnstack_meeting"), script("trnstack_pod")
        monkeypatch.setattr(script("checkpoint_io"), "BLOCK", 4096)
        monkeypatch.setattr(module, "_ROOM", 0)

        def run(nodes, total):
            port, pods = free_port(), places(pod, nodes)

            def work(rank):
                met = meeting.Meeting(pods[rank], port, seconds=20)
                try:
                    disk = tmp_path / f"disk-{rank}" / "checkpoint-io"
                    return module.measure(pods[rank], met, total, disk, "s3://bucket/checkpoint-io/j")
                finally:
                    met.close()

            return together(nodes, work)[0]

        return run, bucket

    @pytest.mark.parametrize(("nodes", "total"), [(1, 100_000), (3, 1_000_003)])
    def test_measure(self, measured, tmp_path, nodes, total):
        """All pods send their shares, fetch each other's, and leave nothing behind: on no disk, and in no bucket."""
        run, bucket = measured

        found = run(nodes, total)

        assert (found["kind"], found["through"], found["bytes"]) == ("checkpoint-io", "bucket", total)
        assert found["write_mbps"] > 0
        assert found["read_mbps"] > 0
        assert [file for file in tmp_path.glob("disk-*/**/*") if file.is_file()] == []
        assert [file for file in bucket.rglob("*") if file.is_file()] == []
        copied = [call for call in (tmp_path / "calls").read_text().splitlines() if call.startswith("s3 cp")]
        to = sorted(call.split()[-2].rpartition("/")[2] for call in copied if call.split()[-2].startswith("s3:"))
        assert to == [f"{rank:04}" for rank in range(nodes)]
        assert len(copied) == 2 * nodes

    def test_left_over(self, measured):
        """What a job that was killed has left in the bucket is gone."""
        run, bucket = measured
        old = bucket / "checkpoint-io" / "j" / "0007" / "shard-0007-0"
        old.parent.mkdir(parents=True)
        old.write_text("old")

        run(1, 1000)

        assert not old.exists()

    @pytest.mark.parametrize("way", [r"cp .* s3://bucket\S* --rec", r"cp \S+ s3://bucket"])
    def test_refused(self, measured, monkeypatch, way):
        """A bucket that can't be written ends the job, and no rate is told."""
        monkeypatch.setenv("FAKE_FAILS", way)

        with pytest.raises(SystemExit, match="could not be copied to"):
            measured[0](1, 1000)

    def test_spoilt(self, measured, script, monkeypatch):
        """What comes back otherwise than it was sent is no result."""
        bucket, copy = script("trnstack_bucket"), script("trnstack_bucket").copy

        def spoils(source, target, *extra):
            found = copy(source, target, *extra)
            for file in measured[1].rglob("shard-0000-3"):
                file.write_bytes(b"x" * file.stat().st_size)
            return found

        monkeypatch.setattr(bucket, "copy", spoils)

        with pytest.raises(SystemExit, match="does not hold what was written"):
            measured[0](1, 1000)

    def test_no_room(self, measured, script, monkeypatch):
        """A disk without room for the checkpoint says so before it is full."""
        monkeypatch.setattr(script("checkpoint_io_bucket"), "_ROOM", 10**18)

        with pytest.raises(SystemExit, match=r"the node's disk has .* GB free"):
            measured[0](1, 1000)
