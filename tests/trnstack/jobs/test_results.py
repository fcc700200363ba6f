"""What jobs measured, against what is possible."""

import json

import pytest

from tests.trnstack.jobs.conftest import planned
from trnstack.jobs.results import ResultError, results_in, verdicts

TRN1 = "llama3-8b-trn1"


def result(kind, **told):
    return {"trnstack-result": 1, "job": "j", "node_group": "", "kind": kind, **told}


def collectives(gbps, **told):
    rows = [
        {"bytes": 65_536, "microseconds": 1.0, "algorithm_gbps": 1.0, "bus_gbps": 2.0},
        {"bytes": 2**30, "microseconds": 1.0, "algorithm_gbps": gbps, "bus_gbps": 2 * gbps},
    ]
    return result("collectives", nodes=2, ranks=64, rows=rows, **told)


def checkpoint_io(write, read):
    figures = {"write_mbps": write, "write_seconds": 1.0, "read_mbps": read, "read_seconds": 1.0}
    return result("checkpoint-io", nodes=32, bytes=10**11, **figures)


def judged(told, name=TRN1):
    found = planned(name)
    return verdicts(found.environment, found.plan, told, "x.json")


class TestReading:
    def test_log(self):
        """A result is found in a log, whatever stands before it on its line and around it."""
        line = json.dumps(result("smoke", losses=[1, 0]))
        text = f"pod 0 of 2: torchrun\nI0101 {{not json\n2026-01-01 [pod/x] {line}\nbye"

        (found,) = results_in(text, "log")

        assert found["losses"] == [1, 0]

    def test_file(self):
        """A file of one result may be indented by hand."""
        assert results_in(json.dumps(result("smoke"), indent=2), "file")[0]["kind"] == "smoke"

    def test_several(self):
        """A text may hold several."""
        text = "\n".join(json.dumps(result("smoke", job=name)) for name in "ab")

        assert [each["job"] for each in results_in(text, "log")] == ["a", "b"]

    @pytest.mark.parametrize(
        "text", ["", "nonsense", "[]", "{}", '{"kind": "smoke"}', "trnstack-result {", "[" * 100_000]
    )
    @pytest.mark.usefixtures("no_collection")
    def test_nothing(self, text):
        """What holds no result is told in a sentence."""
        with pytest.raises(ResultError, match=r"^x holds no result: "):
            results_in(text, "x")

    def test_version(self):
        """A result of another version is not guessed at."""
        with pytest.raises(ResultError, match="version 2"):
            results_in(json.dumps({**result("smoke"), "trnstack-result": 2}), "x")


@pytest.mark.parametrize("kind", ["smoke", "kernel", "collectives", "checkpoint-io"])
def test_time(kind):
    """Every figure tells when it was measured, so that an earlier one is not taken for today's."""
    told = {
        "smoke": result("smoke", losses=[2.0, 1.0], step_seconds=1.0),
        "kernel": result("smoke", largest_error=0.0),
        "collectives": collectives(100.0),
        "checkpoint-io": checkpoint_io(1.0, 1.0),
    }[kind]

    assert {each.time for each in judged({**told, "time": "2026-01-01T00:00:00Z"})} == {"2026-01-01T00:00:00Z"}
    assert {each.time for each in judged(told)} == {""}


class TestSmoke:
    def test_falls(self):
        """A loss that falls passes."""
        loss, step = judged(result("smoke", losses=[4.1, 2.0, 1.5], step_seconds=0.02))

        assert loss.passed
        assert step.value == 0.02
        assert step.passed is None

    @pytest.mark.parametrize("losses", [[1.0, 1.0], [1.0, 2.0], [1.0, float("nan")], [1.0, float("inf")]])
    def test_does_not(self, losses):
        """One that does not fails, and so does one that is no number any more."""
        loss, _ = judged(result("smoke", losses=losses, step_seconds=0.02))

        assert not loss.passed

    @pytest.mark.parametrize(("error", "passed"), [(0.0, True), (0.5, False)])
    def test_kernel(self, error, passed):
        """A kernel passes when its sums are right."""
        (only,) = judged(result("smoke", largest_error=error))

        assert only.passed is passed


class TestCollectives:
    def test_published_example(self):
        """What Neuron's own example reaches between two nodes passes: 23.92 GiB/s of 1 GiB."""
        bus, sent = judged(collectives(23.92 * 2**30 * 8 / 1e9))

        assert bus.passed is None
        assert sent.possible == 800
        assert sent.value == pytest.approx(205.5, abs=0.1)
        assert sent.passed

    def test_by_tcp(self):
        """A rate that no EFA was needed for fails."""
        _, sent = judged(collectives(20.0))

        assert sent.needed == pytest.approx(0.8 * 205.5)
        assert not sent.passed

    @pytest.mark.parametrize(
        ("name", "nodes"), [(TRN1, 32), ("trn2-eks-sample", 2), ("llama3-8b-trn2-block", 2)], ids=str
    )
    def test_nothing_published(self, name, nodes):
        """Where no rate is published, it has to be one that no single connection without EFA reaches, and no more."""
        _, by_efa = judged({**collectives(110.0), "nodes": nodes}, name)
        _, by_tcp = judged({**collectives(10.0), "nodes": nodes}, name)

        assert by_efa.needed == 25
        assert by_efa.passed
        assert not by_tcp.passed

    def test_one_node(self):
        """On one node nothing goes over the network."""
        (bus,) = judged({**collectives(100.0), "nodes": 1})

        assert bus.possible is None
        assert bus.passed is None

    @pytest.mark.parametrize(
        ("name", "nodes"), [(TRN1, 1), (TRN1, 2), ("ultraserver-trn2u", 4), ("llama3-8b-trn2", 1)], ids=str
    )
    def test_nothing_sent(self, name, nodes):
        """A rate of nothing fails, whether or not anything is known of what is possible."""
        told = collectives(0.0)
        told |= {"nodes": nodes, "rows": told["rows"][1:]}

        assert [each.passed for each in judged(told, name)] == [False] * min(nodes, 2)

    def test_ultraserver(self):
        """On an UltraServer chips of several nodes are joined besides, so EFA is no limit."""
        _, sent = judged({**collectives(9000.0), "nodes": 4}, "ultraserver-trn2u")

        assert sent.possible is None
        assert sent.passed is None


class TestCheckpointIo:
    def test_against_the_file_system(self):
        """The rate is compared with what the file system keeps up, which its size and rate come to."""
        write, read = judged(checkpoint_io(1190.0, 500.0))

        assert write.possible == planned(TRN1).plan.training.write.file_system_mbps
        assert write.passed
        assert not read.passed

    def test_few_nodes(self):
        """A few nodes need not reach what only many can."""
        alone, _ = judged({**checkpoint_io(1.0, 1.0), "nodes": 1}, "llama3-70b-trn1")
        all_together, _ = judged({**checkpoint_io(1.0, 1.0), "nodes": 32}, "llama3-70b-trn1")

        assert alone.possible < all_together.possible

    def test_none(self):
        """Where there is no file system nothing is asked."""
        write, read = judged({**checkpoint_io(1.0, 0.0), "nodes": 1, "through": "bucket"}, "llama3-8b-trn2")

        assert write.what.startswith("write through the bucket 100.0 GB")
        assert write.possible is None
        assert write.passed is None
        assert read.passed is False

    def test_through_the_bucket(self):
        """What went through the bucket is not held against a file system that the environment has got since."""
        write, read = judged({**checkpoint_io(1.0, 1.0), "through": "bucket"})

        assert (write.possible, read.possible) == (None, None)
        assert (write.passed, read.passed) == (None, None)

    def test_not_described(self, changed):
        """Nor is it of an adopted one whose size is not known."""
        storage = planned("adopted-storage-trn1").environment.storage
        lustre = type(storage.lustre)(existing_file_system=storage.lustre.existing_file_system)
        found = changed("adopted-storage-trn1", storage=storage.model_copy(update={"lustre": lustre}))
        told = {**checkpoint_io(1.0, 1.0), "nodes": 1}

        write, _ = verdicts(found.environment, found.plan, told, "x.json")

        assert write.possible is None
        assert write.passed is None


class TestNonsense:
    @pytest.mark.parametrize(
        "told",
        [
            result("collectives"),
            result("collectives", nodes=2, ranks=2, rows=[]),
            result("collectives", nodes=0, ranks=2, rows=[{}]),
            result("collectives", nodes=2, ranks=2, rows="x"),
            collectives(-1.0) | {"rows": [{"algorithm_gbps": -1, "bus_gbps": 1, "bytes": 1}]},
            collectives(float("nan")),
            result("checkpoint-io", nodes=1, bytes=1, write_mbps="fast"),
            result("smoke", losses=[]),
            result("smoke", losses=["x", "y"]),
            result("smoke", losses=5),
            result("smoke"),
        ],
    )
    def test_not_whole(self, told):
        """What is not whole is told in a sentence."""
        with pytest.raises(ResultError, match=r"^x\.json holds a result of kind .* that is not whole: "):
            judged(told)

    @pytest.mark.parametrize("kind", ["train", None, [], {}])
    def test_kind(self, kind):
        """What is of no kind that is judged is told."""
        with pytest.raises(ResultError, match="known are smoke, collectives, checkpoint-io"):
            judged(result(kind))

    def test_group(self):
        """A result of another cluster is told."""
        with pytest.raises(ResultError, match=r"it has trn1$"):
            judged({**collectives(1.0), "node_group": "p5"})
