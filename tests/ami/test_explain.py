"""Why a lock pins what it pins."""

from dataclasses import replace

import pytest

from ami import offline
from ami.explain import explanations, names
from ami.pins import EKS_OPTIMIZED, SYSTEM, Inputs

INPUTS = Inputs(
    environment="demo",
    region="us-east-2",
    kubernetes_version="1.35",
    neuron_sdk="2.30.0",
    framework="pytorch",
    images={SYSTEM: EKS_OPTIMIZED, "trn1": EKS_OPTIMIZED, "own": "custom neuron sha256:0"},
    image_regions=(),
    add_ons=("coredns", "vpc-cni"),
    charts=("kueue", "neuron-helm-chart"),
    chart_settings=(),
)
LOCK = offline.lock(INPUTS)


def explained(name, lock=LOCK):
    (found,) = explanations(lock, name)
    return found


class TestNames:
    @pytest.mark.parametrize("name", names(LOCK))
    def test_each_is_explained(self, name):
        """Every name says what it answers, why it was chosen, and on what that rests."""
        for each in explanations(LOCK, name):
            assert each.value
            assert each.answers
            assert each.chosen
            assert each.sources

    def test_unknown(self):
        """A name that is no pin's has no explanation."""
        assert explanations(LOCK, "nothing") == ()

    def test_several(self):
        """A node group that is called as an add-on is: both are explained."""
        images = {**LOCK.images, "coredns": LOCK.images["trn1"]}
        lock = replace(LOCK, images=images, inputs=replace(INPUTS, images={**INPUTS.images, "coredns": EKS_OPTIMIZED}))

        assert [each.name for each in explanations(lock, "coredns")] == [
            "image of node group coredns",
            "add-on coredns",
        ]


class TestImages:
    def test_node_group(self):
        """The newest release with the SDK's driver; newer and older ones each with why not."""
        found = explained("trn1")
        others = dict(found.alternatives)

        assert found.chosen == (
            "the newest EKS AMI release for Kubernetes 1.35 with driver 2.28.0.0, which is Neuron SDK 2.30.0's own"
        )
        assert others["v20260714"].startswith("has driver 2.29.0.0; that needs runtime 2.33 or later")
        assert others["v20260618"] == "fits too, and is older"
        assert others["v20260505"] == "has driver 2.27.4.0; containers of Neuron SDK 2.30.0 need 2.28.0.0 or later"
        assert found.alternatives[-1][0].endswith(" more")
        assert "IMG004" in found.rules

    def test_older_release(self):
        """A release that is not the newest is not called so, and the newer one is named."""
        found = explained("trn1", offline.lock(INPUTS, ami_release="v20260610"))

        assert found.chosen == "an EKS AMI release for Kubernetes 1.35 with driver 2.28.0.0"
        assert dict(found.alternatives)["v20260625"] == "fits too, and is newer"

    def test_custom(self):
        """Under a custom image stands its parent, and the image with its driver and ids is shown."""
        found = explained("own")

        assert found.chosen == "the parent of the custom image, whose recipe installs driver 2.28.0.0"
        assert found.value["recipe"] == "neuron unresolved"
        assert found.value["its id in us-east-2"] == "unresolved"
        assert "IMG016" in found.rules

    def test_parents(self):
        """Where every accelerator node has a custom image the driver of a parent does not matter: each release fits."""
        images = {SYSTEM: EKS_OPTIMIZED, "own": "custom neuron sha256:0"}
        lock = offline.lock(replace(INPUTS, neuron_sdk="2.32.0", framework="jax", images=images))
        for name in ("own", SYSTEM):
            others = dict(explained(name, lock).alternatives)
            assert others["v20260625"] == "fits too, since the recipe installs the driver, and is older"
            assert not any("driver 2.2" in reason for reason in others.values())

    def test_parents_beside_plain_nodes(self):
        """Beside nodes with EKS's own AMI it does, since all nodes are of one release."""
        assert dict(explained("own").alternatives)["v20260505"].startswith("has driver 2.27.4.0; containers of")

    def test_kernel_of_a_parent(self):
        """A kernel on which the recipe's driver does not work forbids a parent."""
        images = {SYSTEM: EKS_OPTIMIZED, "own": "custom neuron sha256:0"}
        lock = offline.lock(replace(INPUTS, kubernetes_version="1.36", images=images))
        built = replace(lock.images["own"].custom, neuron_driver="2.25.4.0")
        older = replace(lock, images={**lock.images, "own": replace(lock.images["own"], custom=built)})

        assert set(dict(explained("own", older).alternatives).values()) == {
            "has kernel 6.18, on which the recipe's driver 2.25.4.0 does not work: 2.26.10 is the first"
        }

    def test_driver_that_is_not_the_sdks(self):
        """A release whose pinned driver is another than the SDK's is not called the SDK's own."""
        wrong = replace(LOCK.images["trn1"], neuron_driver="2.21.0.0")
        found = explained("trn1", replace(LOCK, images={**LOCK.images, "trn1": wrong}))

        assert found.chosen == "an EKS AMI release for Kubernetes 1.35 with driver 2.21.0.0"

    def test_system(self):
        """The system nodes follow the accelerator nodes."""
        assert explained(SYSTEM).chosen.startswith("the standard AMI of the accelerator nodes' release")


class TestOthers:
    def test_container(self):
        """Other SDKs' containers are the alternatives; the image's own name finds it too."""
        found = explained("container")

        assert found == explained(LOCK.neuron.container.image)
        assert all("2.30.0 is pinned" in reason for _, reason in found.alternatives)
        assert not any("sdk2.30.0" in image for image, _ in found.alternatives)

    def test_add_on(self):
        """A table's row says why it was chosen; a version that is not the table's says who named it."""
        assert explained("vpc-cni").chosen == "EKS's default for Kubernetes 1.35, read on 2026-10-02"
        lock = replace(LOCK, add_ons={**LOCK.add_ons, "vpc-cni": "v9.0.0-eksbuild.1"}, made_from="AWS in us-east-2")
        found = explained("vpc-cni", lock)
        assert found.chosen.startswith("an account or an older lock named it")
        assert found.sources == ("AWS in us-east-2",)

    def test_chart(self):
        """A chart that is not the tables' has the tables' as alternative."""
        older = {**LOCK.charts, "kueue": replace(LOCK.charts["kueue"], version="0.18.0")}

        assert explained("kueue").alternatives == ()
        assert explained("kueue", replace(LOCK, charts=older)).alternatives == (("0.19.2", "is the tables'"),)

    def test_component(self):
        """Of a component, other SDKs' versions are named."""
        found = explained("aws-neuronx-dkms")

        assert ("2.29.0.0", "is Neuron SDK 2.31.1's") in found.alternatives
        assert found.rules == ("IMG004",)

    def test_chart_image(self):
        """An image says which chart starts it."""
        assert explained("registry.k8s.io/kueue/kueue:v0.19.2").answers == "chart kueue 0.19.2"
