"""What is newer than the pins, and why to take it or not."""

from dataclasses import replace

import pytest

from ami import offline
from ami.outdated import _misfit, rows
from ami.pins import EKS_OPTIMIZED, SYSTEM, Inputs
from ami.tables import ami_releases

INPUTS = Inputs(
    environment="jax",
    region="us-west-2",
    kubernetes_version="1.35",
    neuron_sdk="2.30.0",
    framework="jax",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": EKS_OPTIMIZED},
    image_regions=(),
    add_ons=("coredns", "vpc-cni"),
    charts=("kubeflow-trainer", "kueue"),
    chart_settings=(),
)


def lock(**changes):
    return offline.lock(replace(INPUTS, **changes), account_follows=True)


def row(name, made):
    return next(each for each in rows(made, "x.yaml") if each.name == name)


class TestSdk:
    def test_take_one_and_not_the_other(self):
        """For JAX 2.31.1 fits, and 2.32.0 does not: both are said with their reasons."""
        sdk = row("Neuron SDK", lock())

        assert (sdk.pinned, sdk.fits, sdk.newest) == ("2.30.0", "2.31.1", "2.32.0")
        assert sdk.reason == (
            "take it: trnstack lock --upgrade --sdk 2.31.1 x.yaml; not 2.32.0: no EKS AMI release in the table carries "
            "driver 2.30.2.0, which Neuron SDK 2.32.0 needs"
        )

    def test_pytorch(self):
        """For PyTorch nothing newer has a training container."""
        sdk = row("Neuron SDK", lock(framework="pytorch"))

        assert sdk.fits == sdk.pinned
        assert "has no training container for pytorch; 2.30.0 is the last" in sdk.reason

    def test_newest(self):
        """On the newest there is nothing to say."""
        custom = {SYSTEM: EKS_OPTIMIZED, "trn1": "custom neuron sha256:0"}
        sdk = row("Neuron SDK", lock(neuron_sdk="2.32.0", images=custom))

        assert (sdk.fits, sdk.newest, sdk.reason) == ("2.32.0", "2.32.0", "")


class TestAmiRelease:
    def test_newer_driver(self):
        """v20260714 is newer and does not fit SDK 2.30.0: its driver needs another runtime."""
        ami = row("EKS AMI release", lock())

        assert (ami.pinned, ami.fits, ami.newest) == ("v20260625", "v20260625", "v20260714")
        assert ami.reason == (
            "not v20260714: it has driver 2.29.0.0; that needs runtime 2.33 or later, and containers of Neuron SDK "
            "2.30.0 have 2.32.31.0"
        )

    def test_older_pin(self):
        """A release that fits and is newer comes with the command that takes it."""
        ami = row("EKS AMI release", offline.lock(INPUTS, ami_release="v20260610"))

        assert ami.fits == "v20260625"
        assert ami.reason.startswith("take it: trnstack lock --upgrade x.yaml; not v20260714: ")

    def test_driver_of_another_sdk(self):
        """A driver that would serve the containers is still not the SDK's own."""
        assert _misfit(lock(neuron_sdk="2.29.1"), ami_releases()["v20260625"]) == (
            "its driver 2.28.0.0 is not the SDK's own 2.27.4.0"
        )

    def test_kernel(self):
        """That a driver was tested on other kernels than the nodes' is said, since no rule forbids it."""
        untested = row("EKS AMI release", lock(neuron_sdk="2.31.1"))

        assert untested.reason == (
            "the release notes list driver 2.29.0.0 as tested on AL2023 kernels 6.18, 6.1, not on 6.12"
        )
        assert row("EKS AMI release", lock(neuron_sdk="2.31.1", kubernetes_version="1.36")).reason == ""


class TestAddOns:
    def test_older_pin(self):
        """What fits is the tables' build for the minor; why it was chosen and when it was read is the reason."""
        made = lock()
        add_on = row("add-on vpc-cni", replace(made, add_ons={**made.add_ons, "vpc-cni": "v1.20.0-eksbuild.1"}))

        assert (add_on.fits, add_on.newest) == (made.add_ons["vpc-cni"], made.add_ons["vpc-cni"])
        assert add_on.reason.startswith("EKS's default, read on 2026-")

    def test_of_another_minor(self):
        """A build that is newer for another Kubernetes version alone does not fit."""
        add_on = row("add-on coredns", lock())

        assert (add_on.fits, add_on.newest) == ("v1.13.2-eksbuild.31", "v1.14.3-eksbuild.23")
        assert add_on.reason == "v1.14.3-eksbuild.23 is known for Kubernetes 1.36 alone"

    def test_newer_pin(self):
        """A pin that is newer than the tables is outdated by nothing."""
        made = lock()
        add_on = row("add-on vpc-cni", replace(made, add_ons={**made.add_ons, "vpc-cni": "v9.9.9-eksbuild.1"}))

        assert (add_on.fits, add_on.newest, add_on.reason) == ("v9.9.9-eksbuild.1", "v9.9.9-eksbuild.1", "")


class TestCharts:
    @pytest.mark.parametrize(("minor", "fits"), [("1.35", "2.3.0"), ("1.30", "2.0.0")])
    def test_kubernetes_minimum(self, minor, fits):
        """A chart's newer version fits from the Kubernetes version on that its authors name."""
        made = lock()
        older = {**made.charts, "kubeflow-trainer": replace(made.charts["kubeflow-trainer"], version="2.0.0")}
        made = replace(made, charts=older, inputs=replace(made.inputs, kubernetes_version=minor))
        chart = row("chart kubeflow-trainer", made)

        assert (chart.fits, chart.newest) == (fits, "2.3.0")
        assert chart.reason == ("read on 2026-08-06" if fits == "2.3.0" else "2.3.0 is for Kubernetes 1.31 and later")
