"""Moving a lock forward, and what is refused."""

from dataclasses import replace

import pytest

from ami import ami_choice, fit, moving, offline
from ami.moving import RefusedMoveError, movable_sdks, refuse_move, refuse_release, upgraded
from ami.pins import EKS_OPTIMIZED, SYSTEM, UNRESOLVED, Inputs
from ami.tables import ami_releases, sdk_releases
from bench.locks import resolved

CUSTOM = {SYSTEM: EKS_OPTIMIZED, "trn1": "custom neuron sha256:0"}
INPUTS = Inputs(
    environment="jax",
    region="us-west-2",
    kubernetes_version="1.35",
    neuron_sdk="2.30.0",
    framework="jax",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": EKS_OPTIMIZED},
    image_regions=(),
    add_ons=("coredns", "vpc-cni"),
    charts=("kueue", "neuron-helm-chart"),
    chart_settings=(),
)
BY_HAND = "with a container of your own, write sdk"


def inputs(**changes):
    return replace(INPUTS, **changes)


def refused(made, sdk):
    with pytest.raises(RefusedMoveError) as caught:
        refuse_move(made, sdk, "x.yaml")
    return caught.value


class TestUpgraded:
    def test_moves_together(self):
        """SDK, driver, container and AMI release move in one step; what belongs to none of them stays."""
        old = resolved(offline.lock(INPUTS))
        lock = upgraded(inputs(neuron_sdk="2.31.1"), old=old)

        assert (lock.neuron.sdk, lock.neuron.driver) == ("2.31.1", "2.29.0.0")
        assert "sdk2.31.1" in lock.neuron.container.image
        assert {pin.release for pin in lock.images.values()} == {"v20260714"}
        assert lock.images["trn1"].neuron_driver == lock.neuron.driver
        assert lock.add_ons == old.add_ons
        assert lock.charts == old.charts

    def test_newest_that_fits(self):
        """Without another SDK the AMI release moves to the newest that fits it, not to the newest of all."""
        old = offline.lock(INPUTS, ami_release="v20260610")
        lock = upgraded(INPUTS, old=old)

        assert lock.images["trn1"].release == "v20260625"
        assert next(iter(ami_releases())) == "v20260714"

    def test_keeps_what_is_known(self):
        """Digests and ids of pins that stay are not forgotten, and those of pins that move are not carried over."""
        old = resolved(offline.lock(INPUTS, ami_release="v20260610"))
        lock = upgraded(INPUTS, old=old)

        assert lock.neuron == old.neuron
        assert lock.charts == old.charts
        assert lock.images["trn1"].image_id == UNRESOLVED

    def test_nothing_newer(self):
        """A lock that is the newest already is the same afterwards, its origin and all."""
        old = resolved(offline.lock(INPUTS))

        assert upgraded(INPUTS, old=old) == old

    def test_never_backwards(self):
        """Add-ons and charts that an account or a person named stay where the tables know older ones only."""
        made = offline.lock(INPUTS)
        newer = replace(made.charts["kueue"], version="0.20.0")
        old = replace(
            made,
            add_ons={**made.add_ons, "vpc-cni": "v1.99.0-eksbuild.1", "coredns": "v1.0.0-eksbuild.1"},
            charts={**made.charts, "kueue": newer},
        )
        lock = upgraded(INPUTS, old=old)

        assert lock.add_ons == {"coredns": made.add_ons["coredns"], "vpc-cni": "v1.99.0-eksbuild.1"}
        assert lock.charts["kueue"] == newer

    def test_another_minor(self):
        """With another Kubernetes version the add-ons are that version's, even where they are older."""
        old = replace(offline.lock(INPUTS), add_ons={"coredns": "v9.0.0-eksbuild.1", "vpc-cni": "v9.0.0-eksbuild.1"})
        lock = upgraded(inputs(kubernetes_version="1.36"), old=old)

        assert lock.add_ons["coredns"] == "v1.14.3-eksbuild.23"

    def test_minor_that_the_tables_lack(self):
        """An add-on that only an account can name for the Kubernetes version keeps its version."""
        minor = inputs(kubernetes_version="1.32")
        made = offline.lock(minor, account_follows=True)
        old = replace(made, add_ons={"coredns": "v1.11.4-eksbuild.2", "vpc-cni": UNRESOLVED})

        assert upgraded(minor, old=old).add_ons == {"coredns": "v1.11.4-eksbuild.2", "vpc-cni": UNRESOLVED}

    def test_release_that_the_tables_lack(self, monkeypatch):
        """A release of a newer trnstack's tables stays with its id, where this one's know earlier ones only."""
        old = resolved(offline.lock(INPUTS))
        known = {name: row for name, row in ami_releases().items() if name < "v20260625"}
        for module in (moving, ami_choice, fit):
            monkeypatch.setattr(module, "ami_releases", lambda: known)
        monkeypatch.setattr(ami_choice, "fitting_ami_releases", lambda *_: ("v20260618", "v20260610"))

        assert offline.lock(INPUTS).images["trn1"].release == "v20260618"
        assert upgraded(INPUTS, old=old) == old

    def test_later_release_whose_driver_serves(self):
        """A later release than the newest with the SDK's own driver stays, since its driver serves too."""
        older = inputs(neuron_sdk="2.29.1")
        made = offline.lock(older)
        later = {
            name: replace(pin, release="v20260625", neuron_driver=pin.neuron_driver and "2.28.0.0")
            for name, pin in made.images.items()
        }

        assert made.images["trn1"].release == "v20260505"
        assert upgraded(older, old=replace(made, images=later)).images == offline.lock(INPUTS).images

    @pytest.mark.parametrize("sdk", ["2.28.1", "2.30.0"])
    def test_parent_of_a_custom_image(self, sdk):
        """Under a custom image a later release stays, though an earlier one has the SDK's own driver."""
        custom = inputs(images=CUSTOM, neuron_sdk="2.28.1")
        old = offline.lock(custom, ami_release="v20260714")
        moved = inputs(images=CUSTOM, neuron_sdk=sdk)
        lock = upgraded(moved, old=old)

        assert offline.lock(moved).images["trn1"].release < "v20260714"
        assert {pin.release for pin in lock.images.values()} == {"v20260714"}
        assert lock.images["trn1"].nodes_driver == lock.neuron.driver == sdk_releases()[sdk].driver

    def test_release_that_does_not_fit(self):
        """A release whose driver does not serve the SDK's containers moves, though what fits is older."""
        made = offline.lock(INPUTS)
        wrong = {
            name: replace(pin, release="v20260714", neuron_driver=pin.neuron_driver and "2.29.0.0")
            for name, pin in made.images.items()
        }

        assert upgraded(INPUTS, old=replace(made, images=wrong)).images["trn1"].release == "v20260625"

    def test_asked_release(self):
        """A release may be asked for in place of the newest."""
        old = offline.lock(INPUTS, ami_release="v20260610")

        assert upgraded(INPUTS, old=old, ami_release="v20260618").images[SYSTEM].release == "v20260618"


class TestRefuseMove:
    @pytest.mark.parametrize("sdk", ["2.30.0", "2.31.0", "2.31.1"])
    def test_fits(self, sdk):
        """An environment may move to any later SDK with an AMI release and a container, and stay where it is."""
        refuse_move(INPUTS, sdk, "x.yaml")

    def test_no_ami(self):
        """No AMI release carries 2.32.0's driver; the two ways out are 2.31.1, and an image of one's own."""
        error = refused(INPUTS, "2.32.0")

        assert error.message == (
            "no EKS AMI release in the table carries driver 2.30.2.0, which Neuron SDK 2.32.0 needs"
        )
        first, second = error.ways_out
        assert first == (
            "run: trnstack lock --upgrade --sdk 2.31.1 x.yaml, the newest with an EKS AMI release and a training "
            "container for jax"
        )
        assert second.startswith(
            "image: {type: custom, recipe: neuron} on node group trn1, whose recipe installs driver 2.30.2.0"
        )

    def test_custom_image(self):
        """With images of one's own, no AMI release needs to have the driver."""
        refuse_move(inputs(images=CUSTOM), "2.32.0", "x.yaml")

    def test_minor_without_ami(self):
        """A Kubernetes version for which no release has the driver is named."""
        error = refused(inputs(kubernetes_version="1.36", neuron_sdk="2.28.1"), "2.29.1")

        assert error.message.startswith("no EKS AMI release in the table for Kubernetes 1.36 carries driver 2.27.4.0")
        assert "--sdk 2.31.1 x.yaml" in error.ways_out[0]

    @pytest.mark.parametrize("sdk", ["2.31.0", "2.31.1", "2.32.0"])
    def test_pytorch_ends(self, sdk):
        """PyTorch's last training container is 2.30.0's, so nothing moves beyond it."""
        error = refused(inputs(framework="pytorch"), sdk)

        assert error.message == (
            f"Neuron SDK {sdk} has no training container for pytorch; 2.30.0 is the last that has one"
        )
        assert error.ways_out == (
            "stay on 2.30.0, and move AMI release, add-ons and charts: trnstack lock --upgrade x.yaml",
            f'{BY_HAND}: "{sdk}" and run: trnstack lock x.yaml',
        )

    def test_pytorch_on_the_way(self):
        """From an older SDK the way to the last container is shown."""
        error = refused(inputs(framework="pytorch", neuron_sdk="2.29.1"), "2.31.1")

        assert error.ways_out[0] == "run: trnstack lock --upgrade --sdk 2.30.0 x.yaml"

    def test_gap(self):
        """A release without a container between two that have one: the next is named."""
        error = refused(inputs(neuron_sdk="2.28.0"), "2.28.1")

        assert error.message == "Neuron SDK 2.28.1 has no training container for jax; 2.29.0 is the next that has one"
        assert error.ways_out[0] == "run: trnstack lock --upgrade --sdk 2.31.1 x.yaml"

    def test_backwards(self):
        """An older SDK is refused, since EKS takes no node group back, the system nodes least of all."""
        error = refused(INPUTS, "2.29.1")

        assert (
            error.message
            == "Neuron SDK 2.29.1 is older than 2.30.0, and EKS takes no node group back to an earlier AMI"
        )
        assert error.ways_out == (
            'where nothing is deployed yet, write sdk: "2.29.1" and run: trnstack lock x.yaml',
            (
                "where it is deployed, deploy an environment beside it: a copy of x.yaml with another name and sdk: "
                '"2.29.1"; destroy the old one when its jobs have moved'
            ),
        )

    @pytest.mark.parametrize(("sdk", "meant"), [("2.30.1", "2.30.0"), ("2.31", "2.31.1"), ("2.31.11", "2.31.1")])
    def test_unknown(self, sdk, meant):
        """An SDK that the table lacks is answered with the likeliest."""
        error = refused(INPUTS, sdk)

        assert error.message == f"Neuron SDK '{sdk}' is not in the table of releases"
        assert error.ways_out[0].startswith(f"did you mean '{meant}'? known: ")


class TestRefuseRelease:
    @pytest.mark.parametrize("release", ["v20260625", "v20260714", "v20270101", "nothing"])
    def test_not_earlier(self, release):
        """The pinned release and later ones are not refused, nor is what the tables lack: that is said elsewhere."""
        refuse_release(offline.lock(INPUTS), release, "x.yaml")

    def test_earlier(self):
        """An earlier one is, with the two ways out."""
        with pytest.raises(RefusedMoveError) as caught:
            refuse_release(offline.lock(INPUTS), "v20260618", "x.yaml")

        assert caught.value.message == (
            "EKS AMI release v20260618 is earlier than v20260625, which is pinned, and EKS takes no node group back to "
            "an earlier AMI"
        )
        assert caught.value.ways_out == (
            "where nothing is deployed yet, run: trnstack lock --ami-release v20260618 x.yaml",
            (
                "where it is deployed, deploy an environment beside it: a copy of x.yaml with another name, locked "
                "with --ami-release v20260618; destroy the old one when its jobs have moved"
            ),
        )


class TestMovableSdks:
    @pytest.mark.parametrize("framework", ["pytorch", "jax"])
    @pytest.mark.parametrize("sdk", sdk_releases())
    def test_agrees_with_refusals(self, framework, sdk):
        """They are exactly the other releases that are not refused."""
        made = inputs(framework=framework, neuron_sdk=sdk, kubernetes_version="1.34")

        def moves(other):
            try:
                refuse_move(made, other, "x.yaml")
            except RefusedMoveError:
                return False
            return other != sdk

        assert movable_sdks(made) == tuple(filter(moves, sdk_releases()))
