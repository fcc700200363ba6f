"""What must hold of a lock beside its environment."""

import itertools
from dataclasses import replace

import pytest

from ami import offline
from ami.offline import NoPinError
from ami.pins import NOT_BUILT, SYSTEM, UNRESOLVED
from ami.tables import ami_releases, sdk_releases
from trnstack.catalog import KUBERNETES_VERSIONS
from trnstack.findings import Severity
from trnstack.plan import lock_inputs
from trnstack.rules.pins import (
    ami_releases_are_as_published,
    check_lock,
    chips_are_served_by_the_sdk,
    container_is_of_framework_sdk_and_python,
    custom_images_are_built_in_the_account,
    driver_serves_the_containers,
    images_are_of_the_kubernetes_version,
    kernel_is_served_by_the_driver,
    sdk_has_the_frameworks_package,
    training_container_exists,
)

MAKE = "run: trnstack lock x.yaml"
UPGRADE = "run: trnstack lock --upgrade x.yaml"
CUSTOM = {"image": {"type": "custom", "recipe": "neuron"}}
EVERY = list(itertools.product(sdk_releases(), KUBERNETES_VERSIONS, ("pytorch", "jax")))


@pytest.fixture
def locked(environment):
    """Returns an environment with the lock that the tables give it."""

    def build(**sections):
        built = environment(**sections)
        return built, offline.lock(lock_inputs(built))

    return build


def with_image(lock, name="trn1", **changes):
    return replace(lock, images={**lock.images, name: replace(lock.images[name], **changes)})


def with_neuron(lock, **changes):
    return replace(lock, neuron=replace(lock.neuron, **changes))


def with_container(lock, image):
    return with_neuron(lock, container=replace(lock.neuron.container, image=image))


@pytest.mark.parametrize(("sdk", "minor", "framework"), EVERY)
def test_offline_locks_fit(locked, sdk, minor, framework):
    """NRN-01, AMI-03: Whatever the tables give fits: driver, runtime, container, AL2023 images of the minor."""
    try:
        environment, lock = locked(neuron={"sdk": sdk, "framework": framework}, eks={"kubernetes_version": minor})
    except NoPinError:
        return
    assert [each for each in check_lock(environment, lock, MAKE) if each.severity is Severity.ERROR] == []


class TestDriverServesTheContainers:
    def test_names_the_releases_that_fit(self, locked):
        """NRN-01: An AMI with driver 2.29 under an SDK 2.30.0 container: what fits, and the command that takes it."""
        environment, lock = locked()
        lock = with_image(lock, release="v20260714", neuron_driver="2.29.0.0")
        (finding,) = driver_serves_the_containers(environment, lock, MAKE)

        assert finding.path == ("node_groups", 0, "image")
        assert finding.message == (
            "EKS AMI release v20260714 has Neuron driver 2.29.0.0; that needs runtime 2.33 or later, and containers of "
            "Neuron SDK 2.30.0 have 2.32.31.0"
        )
        assert finding.hint == f"fits: v20260625, v20260618, v20260610; {UPGRADE}"

    def test_only_releases_of_the_minor(self, locked):
        """A release that is not for the cluster's Kubernetes version is not named as one that fits."""
        environment, lock = locked(neuron={"sdk": "2.27.1"}, eks={"kubernetes_version": "1.35"})
        (finding,) = driver_serves_the_containers(environment, with_image(lock, neuron_driver="2.24.7.0"), MAKE)

        assert "v20260114" in finding.hint
        assert "v20260107" not in finding.hint

    @pytest.mark.parametrize("release", ami_releases())
    def test_every_image_with_every_sdk(self, locked, release):
        """NRN-01: An image whose driver is older than the SDK's own is refused, with every SDK; its own is not."""
        driver = ami_releases()[release].neuron_driver
        for sdk in sdk_releases().values():
            if not sdk.eks_ami_releases:
                continue
            environment, lock = locked(neuron={"sdk": sdk.sdk}, eks={"kubernetes_version": "1.34"})
            findings = list(driver_serves_the_containers(environment, with_image(lock, neuron_driver=driver), MAKE))
            older = tuple(map(int, driver.split("."))) < tuple(map(int, sdk.driver.split(".")))
            assert any(f"need {sdk.driver} or later" in each.message for each in findings) == older
            assert driver != sdk.driver or not findings

    @pytest.mark.parametrize(
        ("runtime", "fits"), [("2.32.31.0", False), ("2.33.0.0", True), ("2.33.10.0", True), ("2.34.10.0", True)]
    )
    @pytest.mark.parametrize("driver", ["2.29.0.0", "2.30.2.0"])
    def test_new_driver_and_old_runtime(self, locked, driver, runtime, fits):
        """NRN-01: From driver 2.29 on the container's runtime must be 2.33 at least: newer is not always safe."""
        environment, lock = locked()
        components = {**lock.neuron.components, "aws-neuronx-runtime-lib": runtime}
        changed = with_neuron(with_image(lock, neuron_driver=driver), components=components)
        findings = list(driver_serves_the_containers(environment, changed, MAKE))

        assert (not findings) == fits

    @pytest.mark.parametrize(("driver", "known"), [("2.26.10.0", True), ("2.25.4.0", True), ("2.27.4.0", False)])
    def test_new_runtime_and_old_driver(self, locked, driver, known):
        """NRN-01: Runtime 2.32 on driver 2.26 is known not to work, and that is said; on 2.27 it is only too old."""
        environment, lock = locked()
        (finding,) = driver_serves_the_containers(environment, with_image(lock, neuron_driver=driver), MAKE)

        assert "need 2.28.0.0 or later" in finding.message
        assert ("runtime 2.32.31.0 does not work on driver 2.26 or older" in finding.message) == known

    def test_without_driver(self, locked):
        """NRN-01: Accelerator nodes without a Neuron driver are refused."""
        environment, lock = locked()
        (finding,) = driver_serves_the_containers(environment, with_image(lock, neuron_driver=None), MAKE)

        assert finding.message == "EKS AMI release v20260625 has no Neuron driver; jobs need one"

    def test_custom_image(self, locked):
        """A custom image has its recipe's driver, not its parent's."""
        environment, lock = locked(neuron={"sdk": "2.32.0", "framework": "jax"}, node_group=CUSTOM)

        assert lock.images["trn1"].neuron_driver == "2.29.0.0"
        assert not list(driver_serves_the_containers(environment, lock, MAKE))
        older = replace(lock.images["trn1"].custom, neuron_driver="2.28.0.0")
        (finding,) = driver_serves_the_containers(environment, with_image(lock, custom=older), MAKE)
        assert finding.message.startswith("the custom image on v20260714 has Neuron driver 2.28.0.0; ")
        assert finding.hint.startswith("no EKS AMI release with driver 2.30.2.0 is known: image: {type: custom, ")


class TestImagesAreOfTheKubernetesVersion:
    @pytest.mark.parametrize("ami_type", ["AL2_x86_64", "AL2_x86_64_GPU", "BOTTLEROCKET_x86_64", "CUSTOM"])
    @pytest.mark.parametrize(
        ("name", "path"), [("trn1", ("node_groups", 0, "image")), (SYSTEM, ("eks", "system_node_group"))]
    )
    def test_type(self, locked, name, path, ami_type):
        """AMI-03: An image type that is not of AL2023 is refused, of accelerators and of system nodes alike."""
        environment, lock = locked()
        (finding,) = images_are_of_the_kubernetes_version(environment, with_image(lock, name, ami_type=ami_type), MAKE)

        assert finding.path == path
        assert finding.message == f"image type {ami_type} is not of AL2023, which nodes are configured for"

    def test_another_minor(self, locked):
        """AMI-03: An image release of another Kubernetes version than the cluster's is refused."""
        environment, lock = locked()
        changed = with_image(lock, release_version="1.32.9-20260625")
        (finding,) = images_are_of_the_kubernetes_version(environment, changed, MAKE)

        assert finding.message == "image release 1.32.9-20260625 is not for Kubernetes 1.35"

    def test_fits(self, locked):
        """The lock of the tables is of the cluster's version."""
        assert not list(images_are_of_the_kubernetes_version(*locked(), MAKE))


class TestAmiReleasesAreAsPublished:
    def test_as_published(self, locked):
        """What the tables say now is what they said when the lock was made; a release they lack is nobody's fault."""
        environment, lock = locked()

        assert not list(ami_releases_are_as_published(environment, lock, MAKE))
        assert not list(ami_releases_are_as_published(environment, with_image(lock, release="v20990101"), MAKE))

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            (
                {"neuron_driver": "2.29.0.0"},
                "EKS AMI release v20260625 has driver 2.28.0.0, and the lock says 2.29.0.0",
            ),
            ({"kernel": "6.18"}, "EKS AMI release v20260625 has kernel 6.12, and the lock says 6.18"),
            (
                {"release_version": "1.35.3-20260625"},
                "EKS AMI release v20260625 has release version 1.35.6-20260625, and the lock says 1.35.3-20260625",
            ),
        ],
    )
    def test_otherwise(self, locked, changes, message):
        """A lock that believes something else of a release is told what its publishers say."""
        environment, lock = locked()
        (finding,) = ami_releases_are_as_published(environment, with_image(lock, **changes), MAKE)

        assert (finding.message, finding.hint) == (message, UPGRADE)

    def test_release_that_lacks_the_minor(self, locked):
        """A release that was never published for the cluster's version is said to be none for it."""
        environment, lock = locked(eks={"kubernetes_version": "1.36"})
        changed = with_image(lock, release="v20260505", neuron_driver="2.27.4.0")
        messages = [each.message for each in ami_releases_are_as_published(environment, changed, MAKE)]

        assert "EKS AMI release v20260505 has no kernel for Kubernetes 1.36, and the lock says 6.18" in messages


class TestContainerIsOfFrameworkSdkAndPython:
    @pytest.mark.parametrize(
        ("image", "message"),
        [
            (
                "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.32.0-ubuntu24.04",
                "the training container is of Neuron SDK 2.32.0, the other pins are of 2.30.0",
            ),
            (
                "public.ecr.aws/neuron/jax-training-neuronx:0.9.0-neuronx-py313-sdk2.30.0-ubuntu24.04",
                "the training container is of jax, and the environment's framework is pytorch",
            ),
            (
                "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py310-sdk2.30.0-ubuntu24.04",
                "the training container has Python 3.10, and Neuron SDK 2.30.0 is for 3.11, 3.12, 3.13",
            ),
        ],
    )
    def test_exchanged(self, locked, image, message):
        """NRN-01: A container that was exchanged for another framework's, SDK's or Python's is seen by its tag."""
        environment, lock = locked()
        (finding,) = container_is_of_framework_sdk_and_python(environment, with_container(lock, image), MAKE)

        assert (finding.path, finding.message) == (("neuron", "framework"), message)

    def test_own_container(self, locked):
        """The tables' container fits, none at all is no misfit, and what a team's own tag means nobody can tell."""
        environment, lock = locked()

        for fitting in (lock, with_neuron(lock, container=None), with_container(lock, "registry.example/own:1")):
            assert not list(container_is_of_framework_sdk_and_python(environment, fitting, MAKE))


class TestSdkHasTheFrameworksPackage:
    def test_ends(self, locked):
        """PyTorch's package is last in 2.31.1, which the warning names."""
        environment, lock = locked(neuron={"sdk": "2.32.0"}, node_group=CUSTOM)
        (finding,) = sdk_has_the_frameworks_package(environment, lock, MAKE)

        assert (finding.path, finding.severity) == (("neuron", "sdk"), Severity.WARNING)
        assert finding.message == "SDK 2.32.0 has no torch-neuronx, with which pytorch trains"
        assert finding.hint == f'the newest that has it is 2.31.1: write sdk: "2.31.1" and {MAKE}'

    @pytest.mark.parametrize(("sdk", "framework"), [("2.31.1", "pytorch"), ("2.31.1", "jax"), ("2.26.1", "pytorch")])
    def test_has_it(self, locked, sdk, framework):
        """Other releases have it."""
        neuron = {"sdk": sdk, "framework": framework}

        assert not list(
            sdk_has_the_frameworks_package(*locked(neuron=neuron, eks={"kubernetes_version": "1.34"}), MAKE)
        )


class TestTrainingContainerExists:
    def test_ends(self, locked):
        """PyTorch's training container is last in 2.30.0, which the warning names."""
        (finding,) = training_container_exists(*locked(neuron={"sdk": "2.31.1"}), MAKE)

        assert finding.severity is Severity.WARNING
        assert finding.message == "SDK 2.31.1 has no training container for pytorch"
        assert finding.hint.startswith('the newest that has one is 2.30.0: write sdk: "2.30.0" and run: ')

    def test_goes_on(self, locked):
        """JAX goes on having one."""
        assert not list(training_container_exists(*locked(neuron={"sdk": "2.31.1", "framework": "jax"}), MAKE))


class TestKernelIsServedByTheDriver:
    @pytest.mark.parametrize(("driver", "fits"), [("2.26.5.0", False), ("2.26.10.0", True), ("2.28.0.0", True)])
    def test_new_kernel(self, locked, driver, fits):
        """Kernel 6.18 needs driver 2.26.10; 6.12 does not."""
        environment, lock = locked()
        findings = list(
            kernel_is_served_by_the_driver(environment, with_image(lock, kernel="6.18", neuron_driver=driver), MAKE)
        )

        assert (not findings) == fits
        for finding in findings:
            assert "on which Neuron driver 2.26.5.0 does not work: 2.26.10 is the first that does" in finding.message
        assert not list(kernel_is_served_by_the_driver(environment, with_image(lock, neuron_driver=driver), MAKE))


class TestChipsAreServedByTheSdk:
    def test_trn3(self, locked):
        """Trn3 is listed from SDK 2.29.0 on, which the hint names."""
        trn1, lock = locked(neuron={"sdk": "2.28.1"})
        trn3 = trn1.model_copy(
            update={"node_groups": (trn1.node_groups[0].model_copy(update={"instance_type": "trn3.48xlarge"}),)}
        )
        (finding,) = chips_are_served_by_the_sdk(trn3, lock, MAKE)

        assert finding.path == ("node_groups", 0, "instance_type")
        assert finding.message == "the driver of Neuron SDK 2.28.1 is for trn1, trn2, not for trn3"
        assert finding.hint == f'write sdk: "2.29.0" or later, and {MAKE}'

    @pytest.mark.parametrize("instance_type", ["trn1.2xlarge", "trn1n.32xlarge", "trn2u.48xlarge"])
    def test_families(self, locked, instance_type):
        """Every size and variant of a family is of its chip; an SDK that the table lacks is not judged."""
        environment, lock = locked(node_group={"instance_type": instance_type})

        assert not list(chips_are_served_by_the_sdk(environment, lock, MAKE))
        assert not list(chips_are_served_by_the_sdk(environment, with_neuron(lock, sdk="2.99.0"), MAKE))


class TestCustomImagesAreBuiltInTheAccount:
    OWN, OTHER = "111122223333", "999988887777"

    @pytest.fixture
    def built(self, locked):
        """Returns an environment with a custom image that an account owns."""

        def build(owner, **sections):
            environment, lock = locked(neuron={"sdk": "2.32.0", "framework": "jax"}, node_group=CUSTOM, **sections)
            return environment, with_image(lock, custom=replace(lock.images["trn1"].custom, owner=owner))

        return build

    def test_another(self, built):
        """An image of another account is none that the environment's nodes start from; both are named."""
        environment, lock = built(self.OTHER, account=self.OWN)
        (finding,) = custom_images_are_built_in_the_account(environment, lock, MAKE)

        assert (finding.path, finding.severity) == (("node_groups", 0, "image"), Severity.ERROR)
        assert finding.message == (
            "the custom image on v20260714 was built in account 999988887777, and the environment is for account "
            "111122223333"
        )
        assert finding.hint == f"with credentials of 111122223333, {MAKE}"

    @pytest.mark.parametrize("owner", [OWN, NOT_BUILT, UNRESOLVED])
    def test_own(self, built, owner):
        """One of the account itself fits, and one that is still to be built or asked for has no owner yet."""
        assert not list(custom_images_are_built_in_the_account(*built(owner, account=self.OWN), MAKE))

    def test_no_account(self, built):
        """An environment that names no account is for whichever deploys it."""
        assert not list(custom_images_are_built_in_the_account(*built(self.OTHER), MAKE))

    def test_rehearsal(self, built):
        """A rehearsal builds in the embedded account, whichever account the environment names."""
        environment, lock = built("123456789012", account=self.OWN)
        rehearsed = replace(lock, rehearsal_account="123456789012")

        assert not list(custom_images_are_built_in_the_account(environment, rehearsed, MAKE))

    def test_release(self, locked):
        """The publisher's own AMIs are for everybody."""
        environment, lock = locked(account=self.OWN)
        owned = with_image(lock, owner="602401143452")

        assert not list(custom_images_are_built_in_the_account(environment, owned, MAKE))
