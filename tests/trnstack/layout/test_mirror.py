"""What a mirror has to hold."""

from dataclasses import replace
from pathlib import Path

import pytest

from ami.lock import path_for, read
from bench.locks import resolved
from trnstack.layout.mirror import as_lines, mirror

ENVIRONMENT = Path(__file__).parents[3] / "environments" / "jax-trn1.yaml"
MIRROR = "111122223333.dkr.ecr.us-west-2.amazonaws.com/mirror"


@pytest.fixture
def lock():
    return resolved(read(path_for(ENVIRONMENT)))


class TestMirror:
    def test_everything_once(self, lock):
        """The training container, what every chart starts, and the charts: each once, images first, in order."""
        rows = mirror(lock, MIRROR)

        assert {row.source for row in rows if row.kind == "image"} == {
            lock.neuron.container.image,
            *(image for pin in lock.charts.values() for image in pin.images),
        }
        assert sum(row.kind != "image" for row in rows) == len(lock.charts)
        assert [row.kind == "image" for row in rows] == sorted((row.kind == "image" for row in rows), reverse=True)
        assert len({row.target for row in rows}) == len(rows)
        assert all(row.digest.startswith("sha256:") for row in rows)

    def test_targets(self, lock):
        """A target is the source's own path and tag below the mirror, as templates name it; charts lie beside it."""
        targets = {row.source: row.target for row in mirror(lock, MIRROR)}

        image = lock.neuron.container.image
        assert targets[image] == f"{MIRROR}/{image.partition('/')[2]}"
        assert targets["registry.k8s.io/kueue/charts/kueue:0.19.2"] == f"{MIRROR}/kueue/charts/kueue:0.19.2"
        assert targets["https://aws.github.io/eks-charts/aws-efa-k8s-device-plugin:v0.5.30"] == (
            f"{MIRROR}/eks-charts/aws-efa-k8s-device-plugin:v0.5.30"
        )

    def test_version_with_a_plus(self, lock):
        """A chart's version may hold a plus, a tag may not."""
        charts = {"kueue": replace(lock.charts["kueue"], version="0.19.2+1")}

        (row,) = (row for row in mirror(replace(lock, charts=charts), MIRROR) if row.kind == "chart")
        assert (row.source.rpartition(":")[2], row.target.rpartition(":")[2]) == ("0.19.2+1", "0.19.2_1")

    def test_without_container(self, lock):
        """An SDK without a training container leaves the charts."""
        rows = mirror(replace(lock, neuron=replace(lock.neuron, container=None)), MIRROR)

        assert not any("training" in row.source for row in rows)
        assert rows


class TestAsLines:
    def test_form(self, lock):
        """A line has four words, the last of them a hyphen without a mirror."""
        for line in as_lines(mirror(lock, None)):
            kind, _, digest, target = line.split(" ")
            assert kind in {"image", "chart", "archive"}
            assert len(digest) == len("sha256:") + 64
            assert target == "-"
