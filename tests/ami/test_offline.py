import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from ami import ami_choice, fit, moving, offline
from ami import lock as locks
from ami.no_pin import UnknownReleaseError
from ami.offline import NoPinError
from ami.pins import EKS_OPTIMIZED, SYSTEM, UNRESOLVED, ContainerPin, ImagePin, Inputs
from ami.tables import add_on_versions, ami_releases, charts, kube_schedulers, sdk_releases
from bench.locks import resolved
from trnstack.environment import read_environment
from trnstack.plan import lock_inputs

ENVIRONMENTS = sorted((Path(__file__).parents[2] / "environments").glob("*.yaml"))
ADD_ONS = tuple(sorted(add_on_versions()))


INPUTS = Inputs(
    environment="llama3-8b",
    region="us-east-2",
    kubernetes_version="1.35",
    neuron_sdk="2.30.0",
    framework="pytorch",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": EKS_OPTIMIZED},
    image_regions=(),
    add_ons=ADD_ONS,
    charts=("kueue", "neuron-helm-chart"),
    chart_settings=("neuron_scheduler",),
)


def inputs(**changes: object):
    return replace(INPUTS, **changes)


class TestLock:
    def test_pytorch_on_its_last_container(self):
        """SDK 2.30.0 gets the newest AMI with driver 2.28, not v20260714, whose driver 2.29 breaks its runtime."""
        lock = offline.lock(inputs())

        assert lock.neuron.driver == "2.28.0.0"
        assert lock.neuron.container == ContainerPin(
            image="public.ecr.aws/neuron/pytorch-training-neuronx:2.9.0-neuronx-py312-sdk2.30.0-ubuntu24.04",
            digest=UNRESOLVED,
        )
        assert lock.images["trn1"] == ImagePin(
            ami_type="AL2023_x86_64_NEURON",
            release="v20260625",
            release_version="1.35.6-20260625",
            image_id=UNRESOLVED,
            owner=UNRESOLVED,
            neuron_driver="2.28.0.0",
            kernel="6.12",
            custom=None,
        )

    def test_system_nodes(self):
        """The system nodes run the standard AMI of the same release, which has no Neuron driver."""
        assert offline.lock(inputs()).images[SYSTEM] == ImagePin(
            ami_type="AL2023_x86_64_STANDARD",
            release="v20260625",
            release_version="1.35.6-20260625",
            image_id=UNRESOLVED,
            owner=UNRESOLVED,
            neuron_driver=None,
            kernel="6.12",
            custom=None,
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
        image = offline.lock(inputs(neuron_sdk=sdk, kubernetes_version=minor)).images["trn1"]

        assert (image.release_version, image.kernel) == (release_version, kernel)

    def test_older_release_for_a_minor(self, monkeypatch):
        """Where the newest AMI with the driver lacks the minor, the next one that has it is taken."""
        newest = ami_releases()["v20260625"]
        without = replace(newest, release_versions={"1.36": newest.release_versions["1.36"]})
        changed = {**ami_releases(), "v20260625": without}
        for module in (ami_choice, fit):
            monkeypatch.setattr(module, "ami_releases", lambda: changed)

        assert offline.lock(inputs()).images["trn1"].release_version == "1.35.6-20260618"
        assert offline.lock(inputs(kubernetes_version="1.36")).images["trn1"].release_version == "1.36.2-20260625"

    def test_newest_build_of_a_component(self):
        """Of several builds of a component the lock pins the newest, the one that the container is of."""
        lock = offline.lock(inputs(neuron_sdk="2.28.0"))

        assert lock.neuron.components["torch-neuronx"] == "2.9.0.2.12.22436"

    @pytest.mark.parametrize("sdk", ["2.31.0", "2.31.1"])
    def test_framework_without_container(self, sdk):
        """A release without a container for the framework is no error for the lock, and its image is None."""
        assert offline.lock(inputs(neuron_sdk=sdk)).neuron.container is None

    def test_jax_goes_on(self):
        """JAX has a training container where PyTorch has none any more."""
        image = offline.lock(inputs(neuron_sdk="2.31.1", framework="jax")).neuron.container.image

        assert image == "public.ecr.aws/neuron/jax-training-neuronx:0.9.0-neuronx-py313-sdk2.31.1-ubuntu24.04"

    def test_add_ons(self):
        """Exactly the add-ons that were asked for are pinned, in the order of the inputs."""
        lock = offline.lock(inputs(add_ons=("coredns", "vpc-cni")))

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
            assert lock.images["trn1"].neuron_driver == lock.neuron.driver


class TestKept:
    """What a lock pins stays, while what it answers is asked unchanged."""

    @pytest.fixture
    def old(self):
        """A lock that an account resolved, with pins that are not the newest of the tables."""
        return resolved(offline.lock(inputs(), ami_release="v20260618"))

    def test_nothing_moves(self, old):
        """A lock made anew of the same inputs is the same to the last byte, however new the tables' rows are."""
        assert locks.to_json(offline.lock(inputs(), keep=old)) == locks.to_json(old)

    def test_a_new_node_group_gets_the_release_of_the_others(self, old):
        """A cluster's nodes are of one release, and the id that was asked for is known already."""
        images = {SYSTEM: EKS_OPTIMIZED, "more": EKS_OPTIMIZED, "trn1": EKS_OPTIMIZED}
        lock = offline.lock(inputs(images=images), keep=old)

        assert lock.images["more"] == old.images["trn1"]
        assert (lock.neuron, lock.add_ons, lock.unresolved) == (old.neuron, old.add_ons, ())

    def test_another_kubernetes_version(self, old):
        """Images, add-ons and charts are chosen for the new minor; the training container stays with its digest."""
        lock = offline.lock(inputs(kubernetes_version="1.36"), keep=old)

        assert lock.images["trn1"].release_version == "1.36.2-20260625"
        assert lock.images["trn1"].image_id == UNRESOLVED
        assert lock.add_ons["kube-proxy"].startswith("v1.36.")
        assert lock.neuron == old.neuron

    def test_another_sdk(self, old):
        """Container and image move together with the SDK; add-ons stay."""
        lock = offline.lock(inputs(neuron_sdk="2.29.1"), keep=old)

        assert lock.neuron.container.image.endswith("sdk2.29.1-ubuntu24.04")
        assert lock.images["trn1"].neuron_driver == lock.neuron.driver == "2.27.4.0"
        assert lock.unresolved == (
            *("neuron.container.digest", "images.system.image_id", "images.system.owner"),
            *("images.trn1.image_id", "images.trn1.owner"),
        )
        assert lock.add_ons == old.add_ons

    def test_another_region(self, old):
        """The releases stay, and their ids, which are a region's own, are unknown again."""
        lock = offline.lock(inputs(region="us-west-2"), keep=old)

        assert lock.images["trn1"].release == "v20260618"
        assert lock.images["trn1"].image_id == UNRESOLVED
        assert lock.neuron == old.neuron

    def test_another_add_on(self, old):
        """A further add-on is pinned, and the others stay as they are."""
        kept = replace(old, add_ons={**old.add_ons, "coredns": "v1.13.2-eksbuild.1"})
        fewer = replace(kept, inputs=inputs(add_ons=("coredns",)), add_ons={"coredns": "v1.13.2-eksbuild.1"})
        lock = offline.lock(inputs(), keep=fewer)

        assert lock.add_ons["coredns"] == "v1.13.2-eksbuild.1"
        assert set(lock.add_ons) == set(ADD_ONS)

    def test_rehearsal(self, old):
        """Nothing that an embedded AWS told reaches a lock for AWS."""
        lock = offline.lock(inputs(), keep=replace(old, rehearsal_account="123456789012"))

        assert lock.rehearsal_account is None
        assert set(lock.unresolved) >= set(offline.lock(inputs()).unresolved)
        assert lock.images["trn1"].release == "v20260618"

    @pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda path: path.stem)
    def test_rehearsed_and_offline_again(self, environment):
        """A rehearsal's lock made offline again is byte for byte one that was made offline: nothing of it is left."""
        wanted = lock_inputs(read_environment(environment)[1])
        fresh = offline.lock(wanted)
        rehearsed = resolved(replace(fresh, rehearsal_account="123456789012"))
        told = {name: replace(pin, digest=f"sha256:{'e' * 64}") for name, pin in rehearsed.charts.items()}
        rehearsed = replace(rehearsed, made_from="a rehearsal in us-east-2", charts=told)
        assert rehearsed.unresolved == ()

        assert locks.to_json(offline.lock(wanted, keep=rehearsed)) == locks.to_json(fresh)

    def test_chart_of_a_rehearsal(self, old):
        """What a rehearsal told of another version than the tables' is forgotten, and the tables' own digest stays."""
        assert charts()["kueue"].digest
        newer = replace(old.charts["kueue"], version="0.20.0", digest=f"sha256:{'d' * 64}")
        rehearsed = replace(old, rehearsal_account="123456789012", charts={**old.charts, "kueue": newer})
        lock = offline.lock(inputs(), keep=rehearsed)

        assert (lock.charts["kueue"].version, lock.charts["kueue"].digest) == ("0.20.0", UNRESOLVED)
        assert lock.charts["neuron-helm-chart"].digest == charts()["neuron-helm-chart"].digest

    def test_add_on_of_a_rehearsal(self):
        """For a minor that the tables lack a rehearsal made up the version; a version of AWS's is kept."""
        minor = inputs(kubernetes_version="1.32", add_ons=("coredns",))
        made = replace(offline.lock(minor, account_follows=True), add_ons={"coredns": "v1.11.4-eksbuild.2"})
        rehearsed = replace(made, rehearsal_account="123456789012")

        assert offline.lock(minor, keep=made, account_follows=True).add_ons == made.add_ons
        assert offline.lock(minor, keep=rehearsed, account_follows=True).add_ons == {"coredns": UNRESOLVED}
        with pytest.raises(NoPinError, match="no version of coredns is known"):
            offline.lock(minor, keep=rehearsed)

    def test_add_on_that_nobody_told(self, old):
        """An add-on that was left unresolved gets the tables' version."""
        lock = offline.lock(inputs(), keep=replace(old, add_ons={**old.add_ons, "coredns": UNRESOLVED}))

        assert lock.add_ons["coredns"] == add_on_versions()["coredns"]["1.35"].version

    def test_order_of_the_file(self, old):
        """Images stand in the order of the environment, whatever the older lock's was."""
        images = {"trn1": EKS_OPTIMIZED, SYSTEM: EKS_OPTIMIZED}

        assert list(offline.lock(inputs(images=images), keep=old).images) == ["trn1", SYSTEM]

    def test_upgraded(self, old):
        """An upgrade takes the newest pins, and forgets nothing of those that are the newest already."""
        lock = moving.upgraded(inputs(), old=old)

        assert lock.images["trn1"].release == "v20260625"
        assert lock.images["trn1"].image_id == UNRESOLVED
        assert lock.neuron == old.neuron

    def test_toolkit(self, old):
        """A lock made anew says which toolkit made it; only that changes."""
        older = replace(old, toolkit=replace(old.toolkit, trnstack="0.0.1"))
        lock = offline.lock(inputs(), keep=older)

        assert lock == old


class TestAmiRelease:
    def test_asked(self):
        """A release that fits may be asked for in place of the newest."""
        lock = offline.lock(inputs(), ami_release="v20260610")

        assert {pin.release for pin in lock.images.values()} == {"v20260610"}

    @pytest.mark.parametrize(
        ("release", "message", "hint"),
        [
            (
                "v20260714",
                "EKS AMI release v20260714 has driver 2.29.0.0, and Neuron SDK 2.30.0 needs 2.28.0.0",
                "these have it: v20260625, v20260618, v20260610",
            ),
            (
                "v20260107",
                "EKS AMI release v20260107 is not for Kubernetes 1.35",
                "it is for 1.32, 1.33 or 1.34",
            ),
        ],
    )
    def test_refused(self, release, message, hint):
        """One that does not fit is refused with those that do."""
        with pytest.raises(NoPinError) as caught:
            offline.lock(inputs(), ami_release=release)

        assert (caught.value.message, caught.value.hint) == (message, hint)

    def test_unknown(self):
        """Of a release that the table lacks nobody knows the driver."""
        with pytest.raises(UnknownReleaseError, match="its driver is not known"):
            offline.lock(inputs(), ami_release="v20270101")


class TestCustomImage:
    def test_parent(self):
        """A recipe installs the driver itself, so an SDK that no AMI release has the driver of gets the newest one."""
        images = {SYSTEM: EKS_OPTIMIZED, "trn1": "custom neuron 0123456789ab"}
        asked = inputs(neuron_sdk="2.32.0", framework="jax", images=images, image_regions=("us-west-2",))
        pin = offline.lock(asked).images["trn1"]

        assert (pin.release, pin.neuron_driver, pin.nodes_driver) == ("v20260714", "2.29.0.0", "2.30.2.0")
        assert pin.custom.recipe == "neuron"
        assert dict(pin.custom.image_ids) == {"us-east-2": UNRESOLVED, "us-west-2": UNRESOLVED}

    def test_what_was_built_is_remembered(self):
        """The built image stays known until anything that goes into it changes."""
        images = {SYSTEM: EKS_OPTIMIZED, "trn1": "custom neuron 0123456789ab"}
        old = resolved(offline.lock(inputs(images=images)))
        edited = {**images, "trn1": "custom neuron ba9876543210"}

        assert offline.lock(inputs(images=images), keep=old) == old
        assert offline.lock(inputs(images=edited), keep=old).images["trn1"].custom.version == UNRESOLVED

    @pytest.mark.parametrize(
        ("changes", "known"),
        [
            ({"image_regions": ("eu-north-1", "us-west-2")}, ["us-east-2", "us-west-2"]),
            ({"image_regions": ()}, ["us-east-2"]),
            ({"region": "eu-north-1"}, []),
        ],
    )
    def test_its_regions_are_the_inputs(self, changes, known):
        """An image is looked for where it goes now; what is known of the regions that stay is kept."""
        images = {SYSTEM: EKS_OPTIMIZED, "trn1": "custom neuron 0123456789ab"}
        old = resolved(offline.lock(inputs(images=images, image_regions=("us-west-2",))))
        asked = inputs(**{"images": images, "image_regions": ("us-west-2",), **changes})
        ids = offline.lock(asked, keep=old).images["trn1"].custom.image_ids

        assert list(ids) == [asked.region, *asked.image_regions]
        assert [region for region, image_id in ids.items() if image_id != UNRESOLVED] == known


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
                "use Neuron SDK 2.31.1, or image: {type: custom, recipe: neuron}, whose recipe installs the driver",
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

    def test_no_kube_scheduler(self, monkeypatch):
        """Of a minor without a kube-scheduler the Neuron scheduler can't be pinned; what starts none still can."""
        known = {minor: image for minor, image in kube_schedulers().items() if minor != "1.35"}
        monkeypatch.setattr(offline, "kube_schedulers", lambda: known)

        with pytest.raises(NoPinError) as told:
            offline.lock(inputs())
        assert told.value.message.endswith("needs a kube-scheduler of Kubernetes 1.35, and none is known")
        assert told.value.hint == "use Kubernetes 1.32, 1.33, 1.34 or 1.36, or neuron_scheduler: false"
        assert offline.lock(inputs(chart_settings=())).charts["neuron-helm-chart"]

    def test_kube_scheduler(self):
        """The lock pins the kube-scheduler of the cluster's own minor."""
        images = offline.lock(inputs()).charts["neuron-helm-chart"].images

        assert [name.rpartition(":")[2] for name in images if "/kube-scheduler:" in name] == ["v1.35.6-eks-1-35-13"]


class TestTrainingContainers:
    def test_pytorch_ends(self):
        """PyTorch's last training container is that of SDK 2.30.0; a rule can name it."""
        assert offline.sdks_with_container("pytorch")[0] == "2.30.0"
        assert sdk_releases()["2.31.0"].training_containers["pytorch"] is None

    def test_jax(self):
        """JAX has one in every release but the driver release 2.28.1."""
        assert set(sdk_releases()) - set(offline.sdks_with_container("jax")) == {"2.28.1"}


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

    @pytest.mark.parametrize(
        ("changes", "is_noted"),
        [
            ({"made_from": "AWS in us-east-2"}, False),
            ({"made_from": "a rehearsal in us-east-2", "rehearsal_account": "123456789012"}, True),
            ({}, True),
            ({"made_from": "AWS in us-east-2", "add_ons": {"kube-proxy": "v1.35.0-eksbuild.1"}}, True),
            ({"made_from": "AWS in us-east-2", "inputs": inputs(kubernetes_version="1.34")}, True),
        ],
    )
    def test_kept_from_an_account(self, changes, is_noted):
        """A version that AWS confirmed for the older lock is confirmed, whoever makes the lock anew."""
        made = offline.lock(inputs(add_ons=("kube-proxy",)))

        assert bool(offline.add_on_notes(made, replace(made, **changes))) is is_noted

    def test_add_on_of_somebody_else(self):
        """An add-on that the table doesn't know needs no note."""
        lock = offline.lock(inputs(add_ons=()))
        lock.add_ons["adot"] = "v0.156.0-eksbuild.1"

        assert offline.add_on_notes(lock) == []
