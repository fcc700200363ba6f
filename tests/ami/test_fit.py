"""Whether the pins of a lock fit each other."""

import itertools
from dataclasses import replace

import pytest

from ami import offline
from ami.fit import driver_misfits, image_misfits
from ami.lock import Inputs
from ami.offline import NoPinError
from ami.tables import ami_releases, sdk_releases
from trnstack.catalog import KUBERNETES_VERSIONS

EVERY = list(itertools.product(sdk_releases(), KUBERNETES_VERSIONS, ("pytorch", "jax")))


def lock_of(sdk="2.30.0", minor="1.35", framework="pytorch"):
    inputs = Inputs(
        environment="demo",
        region="us-east-2",
        kubernetes_version=minor,
        neuron_sdk=sdk,
        framework=framework,
        add_ons=(),
    )
    return offline.lock(inputs)


def with_image(lock, **changes):
    return replace(lock, accelerator_image=replace(lock.accelerator_image, **changes))


def with_neuron(lock, **changes):
    return replace(lock, neuron=replace(lock.neuron, **changes))


@pytest.mark.parametrize(("sdk", "minor", "framework"), EVERY)
def test_offline_locks_fit(sdk, minor, framework):
    """NRN-01, AMI-03: Whatever the tables give fits: driver, runtime, container, AL2023 images of the minor."""
    try:
        lock = lock_of(sdk, minor, framework)
    except NoPinError:
        return
    assert driver_misfits(lock) == ()
    assert image_misfits(lock) == ()


class TestDriverMisfits:
    @pytest.mark.parametrize("release", ami_releases())
    def test_every_image_with_every_sdk(self, release):
        """NRN-01: An image whose driver is older than the SDK's own is refused, with every SDK; one as new is not."""
        driver = ami_releases()[release].neuron_driver
        for sdk in sdk_releases().values():
            fitting = next(iter(sdk.eks_ami_releases), None)
            if fitting is None:
                continue
            lock = with_image(
                lock_of(sdk.sdk, next(iter(ami_releases()[fitting].release_versions))), neuron_driver=driver
            )
            older = tuple(map(int, driver.split("."))) < tuple(map(int, sdk.driver.split(".")))
            assert any("or later" in each and "containers" in each for each in driver_misfits(lock)) == older

    def test_sentence(self):
        """NRN-01: The sentence names the image, its driver, the SDK and the driver that it needs."""
        (misfit,) = driver_misfits(with_image(lock_of(), release="v20260403", neuron_driver="2.26.10.0"))

        assert misfit == (
            "image v20260403 has Neuron driver 2.26.10.0, and containers of Neuron SDK 2.30.0 need 2.28.0.0 or later"
        )

    @pytest.mark.parametrize(
        ("runtime", "fits"), [("2.32.31.0", False), ("2.33.0.0", True), ("2.33.10.0", True), ("2.34.10.0", True)]
    )
    @pytest.mark.parametrize("driver", ["2.29.0.0", "2.30.2.0"])
    def test_new_driver_and_old_runtime(self, driver, runtime, fits):
        """NRN-01: From driver 2.29 on the container's runtime must be 2.33 at least: newer is not always safe."""
        components = {**lock_of().neuron.components, "aws-neuronx-runtime-lib": runtime}
        misfits = driver_misfits(with_neuron(with_image(lock_of(), neuron_driver=driver), components=components))

        assert (not misfits) == fits

    def test_container_of_another_sdk(self):
        """NRN-01: A container that was exchanged by hand for a newer SDK's is seen by its tag."""
        image = "public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0-ubuntu24.04"

        assert driver_misfits(with_neuron(lock_of(), container_image=image)) == (
            "the training container is of Neuron SDK 2.32.0, the other pins of 2.30.0",
        )
        assert driver_misfits(with_neuron(lock_of(), container_image="registry.example/own:1")) == ()

    def test_image_without_driver(self):
        """NRN-01: An accelerator image without Neuron is refused."""
        assert driver_misfits(with_image(lock_of(), neuron_driver=None)) == ("image v20260625 has no Neuron driver",)


class TestImageMisfits:
    @pytest.mark.parametrize("ami_type", ["AL2_x86_64", "AL2_x86_64_GPU", "BOTTLEROCKET_x86_64", "CUSTOM"])
    @pytest.mark.parametrize("part", ["accelerator_image", "system_image"])
    def test_type(self, part, ami_type):
        """AMI-03: An image type that is not of AL2023 is refused, of accelerators and of system nodes alike."""
        lock = lock_of()
        changed = replace(lock, **{part: replace(getattr(lock, part), ami_type=ami_type)})

        assert image_misfits(changed) == (f"image type {ami_type} is not of AL2023, which nodes are configured for",)

    def test_release_of_another_minor(self):
        """AMI-03: An image release of another Kubernetes version than the cluster's is refused."""
        assert image_misfits(with_image(lock_of(), release_version="1.32.9-20260625")) == (
            "image release 1.32.9-20260625 is not for Kubernetes 1.35",
        )


class TestRegions:
    def test_no_image_id(self):
        """AMI-02: A lock names releases, which every region has, and no image id, which is one region's."""
        assert "ami-" not in str(lock_of())
