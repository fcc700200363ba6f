import itertools
from dataclasses import replace

import pytest

from ami import lock as locks
from ami import offline
from ami.lock import ImagePin, Inputs
from ami.offline import NoPinError
from ami.tables import add_on_versions, ami_releases, sdk_releases

ADD_ONS = tuple(sorted(add_on_versions()))


INPUTS = Inputs(
    environment="llama3-8b",
    region="us-east-2",
    kubernetes_version="1.35",
    neuron_sdk="2.30.0",
    framework="pytorch",
    add_ons=ADD_ONS,
)


def inputs(**changes: object):
    return replace(INPUTS, **changes)


class TestLock:
    def test_pytorch_on_its_last_container(self):
        """SDK 2.30.0 gets the newest AMI with driver 2.28, not v20260714, whose driver 2.29 breaks its runtime."""
        lock = offline.lock(inputs())

        assert lock.neuron.driver == "2.28.0.0"
        assert lock.neuron.container_image == (
            "public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.30.0-ubuntu24.04"
        )
        assert lock.accelerator_image == ImagePin(
            ami_type="AL2023_x86_64_NEURON",
            release="v20260625",
            release_version="1.35.6-20260625",
            neuron_driver="2.28.0.0",
            kernel="6.12",
        )

    def test_system_nodes(self):
        """The system nodes run the standard AMI of the same release, which has no Neuron driver."""
        assert offline.lock(inputs()).system_image == ImagePin(
            ami_type="AL2023_x86_64_STANDARD",
            release="v20260625",
            release_version="1.35.6-20260625",
            neuron_driver=None,
            kernel="6.12",
        )

    @pytest.mark.parametrize(
        ("sdk", "minor", "release_version", "kernel"),
        [
            ("2.31.1", "1.36", "1.36.2-20260714", "6.18"),
            ("2.31.0", "1.34", "1.34.9-20260714", "6.12"),
            ("2.30.0", "1.36", "1.36.2-20260625", "6.18"),
            ("2.30.0", "1.33", "1.33.13-20260625", "6.12"),
            ("2.29.1", "1.35", "1.35.4-20260505", "6.12"),
            ("2.28.1", "1.35", "1.35.2-20260403", "6.12"),
            ("2.28.0", "1.35", "1.35.2-20260304", "6.12"),
            ("2.27.1", "1.35", "1.35.0-20260224", "6.12"),
            ("2.26.1", "1.34", "1.34.2-20251217", "6.12"),
        ],
    )
    def test_release_version(self, sdk, minor, release_version, kernel):
        """An SDK and a Kubernetes minor give the release version of the change log, with the patch version in it."""
        image = offline.lock(inputs(neuron_sdk=sdk, kubernetes_version=minor)).accelerator_image

        assert (image.release_version, image.kernel) == (release_version, kernel)

    def test_older_release_for_a_minor(self, monkeypatch):
        """Where the newest AMI with the driver lacks the minor, the next one that has it is taken."""
        newest = ami_releases()["v20260625"]
        without = replace(newest, release_versions={"1.36": newest.release_versions["1.36"]})
        monkeypatch.setattr(offline, "ami_releases", lambda: {**ami_releases(), "v20260625": without})

        assert offline.lock(inputs()).accelerator_image.release_version == "1.35.6-20260618"
        assert offline.lock(inputs(kubernetes_version="1.36")).accelerator_image.release_version == "1.36.2-20260625"

    def test_newest_build_of_a_component(self):
        """Of several builds of a component the lock pins the newest, the one that the container is of."""
        lock = offline.lock(inputs(neuron_sdk="2.28.0"))

        assert lock.neuron.components["torch-neuronx"] == "2.9.0.2.12.22436"

    @pytest.mark.parametrize("sdk", ["2.31.0", "2.31.1"])
    def test_framework_without_container(self, sdk):
        """A release without a container for the framework is no error for the lock, and its image is None."""
        assert offline.lock(inputs(neuron_sdk=sdk)).neuron.container_image is None

    def test_jax_goes_on(self):
        """JAX has a training container where PyTorch has none any more."""
        image = offline.lock(inputs(neuron_sdk="2.31.1", framework="jax")).neuron.container_image

        assert image == "public.ecr.aws/neuron/jax-training-neuronx:0.9.0-neuronx-py313-sdk2.31.1-ubuntu24.04"

    def test_add_ons(self):
        """Exactly the add-ons that were asked for are pinned, by name, in order."""
        lock = offline.lock(inputs(add_ons=("vpc-cni", "coredns")))

        assert list(lock.add_ons.items()) == [("coredns", "v1.13.2-eksbuild.31"), ("vpc-cni", "v1.22.4-eksbuild.3")]

    def test_deterministic(self, tmp_path):
        """The same inputs give the same bytes, and the lock reads back equal."""
        lock = offline.lock(inputs())
        locks.write(lock, tmp_path / "x.lock.json")

        assert locks.to_json(offline.lock(inputs())) == locks.to_json(lock)
        assert locks.read(tmp_path / "x.lock.json") == lock

    def test_made_from(self):
        """The lock says that tables made it, and of which day."""
        assert offline.lock(inputs()).made_from == "offline tables of 2026-11-30"

    @pytest.mark.parametrize(
        ("sdk", "minor"), list(itertools.product(sdk_releases(), ["1.32", "1.33", "1.34", "1.35", "1.36"]))
    )
    def test_driver_of_the_sdk(self, sdk, minor):
        """Whatever is asked, the AMI's driver is the SDK's own, or there is no lock."""
        try:
            lock = offline.lock(inputs(neuron_sdk=sdk, kubernetes_version=minor, add_ons=()))
        except NoPinError:
            assert sdk == "2.32.0" or minor in {"1.35", "1.36"}
        else:
            assert lock.accelerator_image.neuron_driver == lock.neuron.driver


class TestNoPin:
    """What has no pin is said in a sentence with the way out."""

    @pytest.mark.parametrize(
        ("changes", "message", "hint"),
        [
            pytest.param(
                {"neuron_sdk": "2.30.1"},
                "Neuron SDK '2.30.1' is not in the table of releases",
                "did you mean '2.30.0'? known: 2.32.0, 2.31.1, 2.31.0, 2.30.0, 2.29.1, 2.29.0, 2.28.1, 2.28.0, "
                "2.27.1, 2.27.0, 2.26.1",
                id="unknown SDK",
            ),
            pytest.param(
                {"neuron_sdk": "2.32.0"},
                "no known EKS AMI release has driver 2.30.2.0, which Neuron SDK 2.32.0 needs",
                "use 2.31.1, 2.31.0, 2.30.0, 2.29.1, 2.29.0, 2.28.1, 2.28.0, 2.27.1, 2.27.0 or 2.26.1, "
                "or let an account resolve the lock",
                id="SDK without AMI",
            ),
            pytest.param(
                {"neuron_sdk": "2.29.1", "kubernetes_version": "1.36"},
                "no known EKS AMI release with driver 2.27.4.0 of Neuron SDK 2.29.1 is for Kubernetes 1.36",
                "use Kubernetes 1.32, 1.33, 1.34 or 1.35, or Neuron SDK 2.31.1, 2.31.0 or 2.30.0",
                id="minor without AMI",
            ),
            pytest.param(
                {"kubernetes_version": "1.40"},
                "no known EKS AMI release with driver 2.28.0.0 of Neuron SDK 2.30.0 is for Kubernetes 1.40",
                "use Kubernetes 1.32, 1.33, 1.34, 1.35 or 1.36",
                id="minor that nobody has",
            ),
            pytest.param(
                {"kubernetes_version": "1.32", "add_ons": ("coredns", "kube-proxy", "vpc-cni")},
                "no version of coredns, kube-proxy and vpc-cni is known for Kubernetes 1.32",
                "use Kubernetes 1.33, 1.34, 1.35 or 1.36, or let an account resolve the lock",
                id="minor without add-ons",
            ),
            pytest.param(
                {"add_ons": ("core-dns",)},
                "the table of add-ons has no 'core-dns'",
                f"did you mean 'coredns'? known: {', '.join(add_on_versions())}",
                id="unknown add-on",
            ),
            pytest.param(
                {"framework": "tensorflow"},
                "the table of releases knows no framework 'tensorflow'",
                "known: pytorch, jax",
                id="unknown framework",
            ),
        ],
    )
    def test_sentence(self, changes, message, hint):
        """The error names what was asked, what is known, and the nearest to it."""
        with pytest.raises(NoPinError) as caught:
            offline.lock(inputs(**changes))

        assert (caught.value.message, caught.value.hint) == (message, hint)
        assert str(caught.value) == f"{message}; {hint}"


class TestTrainingContainers:
    def test_pytorch_ends(self):
        """PyTorch's last training container is that of SDK 2.30.0; a rule can name it."""
        assert offline.sdks_with_container("pytorch")[0] == "2.30.0"
        assert offline.training_containers("2.31.0")["pytorch"] is None

    def test_jax(self):
        """JAX has one in every release but the driver release 2.28.1."""
        assert set(sdk_releases()) - set(offline.sdks_with_container("jax")) == {"2.28.1"}

    def test_unknown_sdk(self):
        """A release that isn't in the table is an error, not an empty answer."""
        with pytest.raises(NoPinError, match=r"'2\.25\.0' is not in the table"):
            offline.training_containers("2.25.0")


class TestAddOnNotes:
    def test_unconfirmed(self):
        """Each unconfirmed pin is a sentence with its date and the command that asks AWS; confirmed ones are none."""
        (note,) = offline.add_on_notes(offline.lock(inputs(add_ons=("kube-proxy", "vpc-cni"))))

        assert note == (
            "kube-proxy v1.35.3-eksbuild.29 for Kubernetes 1.35 is unconfirmed, a third party's reading of 2026-10-02; "
            "ask AWS: aws eks describe-addon-versions --addon-name kube-proxy --kubernetes-version 1.35 "
            "--region us-east-2"
        )

    def test_resolved_by_an_account(self):
        """A version that isn't the table's own came from an account and needs no note."""
        lock = offline.lock(inputs(add_ons=("kube-proxy",)))
        lock.add_ons["kube-proxy"] = "v1.35.3-eksbuild.40"

        assert offline.add_on_notes(lock) == []

    def test_add_on_of_somebody_else(self):
        """An add-on that the table doesn't know needs no note."""
        lock = offline.lock(inputs(add_ons=()))
        lock.add_ons["adot"] = "v0.156.0-eksbuild.1"

        assert offline.add_on_notes(lock) == []
