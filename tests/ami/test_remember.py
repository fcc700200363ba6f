"""What is carried over from an older lock, and what is forgotten on purpose."""

from dataclasses import replace

import pytest

from ami import offline
from ami.pins import EKS_OPTIMIZED, SYSTEM, UNRESOLVED, Inputs
from ami.remember import forgotten, forgotten_builds, holds_answers
from bench.locks import resolved

INPUTS = Inputs(
    environment="demo",
    region="us-west-2",
    kubernetes_version="1.35",
    neuron_sdk="2.32.0",
    framework="jax",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": "custom neuron sha256:0"},
    image_regions=("us-east-2",),
    add_ons=("coredns",),
    charts=("kueue", "neuron-helm-chart"),
    chart_settings=(),
)


@pytest.fixture
def chosen():
    return offline.lock(INPUTS)


class TestForgottenBuilds:
    def test_ids_alone(self, chosen):
        """The AMIs that were built are asked for anew, in every region; parents, versions and digests stay."""
        lock = resolved(chosen)
        left = forgotten_builds(lock)

        assert left.unresolved == (
            "images.trn1.custom.image_ids.us-west-2",
            "images.trn1.custom.image_ids.us-east-2",
            "images.trn1.custom.owner",
        )
        assert left.images[SYSTEM] == lock.images[SYSTEM]
        assert left.images["trn1"].custom.version == lock.images["trn1"].custom.version


class TestHoldsAnswers:
    def test_offline(self, chosen):
        """What the tables gave is no answer of anybody, the digests of charts that they know included."""
        assert chosen.charts["neuron-helm-chart"].digest != UNRESOLVED or chosen.charts["kueue"].digest != UNRESOLVED
        assert not holds_answers(chosen)

    def test_resolved(self, chosen):
        """What an account resolved is, until it is forgotten."""
        lock = resolved(chosen)

        assert holds_answers(lock)
        assert not holds_answers(forgotten(lock))

    def test_one_is_enough(self, chosen):
        """A single id or digest is worth keeping."""
        lock = resolved(chosen)

        assert holds_answers(replace(chosen, images={**chosen.images, SYSTEM: lock.images[SYSTEM]}))
        assert holds_answers(replace(chosen, neuron=lock.neuron))
        assert holds_answers(replace(chosen, charts={"kueue": lock.charts["kueue"]}))

    def test_without_container(self, chosen):
        """A lock without a training container has none to tell of."""
        assert not holds_answers(replace(chosen, neuron=replace(chosen.neuron, container=None)))
