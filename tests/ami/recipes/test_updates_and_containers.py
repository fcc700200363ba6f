from dataclasses import replace

import pytest

REFERENCE = "public.ecr.aws/neuron/jax-training-neuronx@sha256:" + "a" * 64
MIRROR = "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror/neuron/jax"
TIMERS = ["dnf-automatic", "dnf-automatic-download", "dnf-automatic-install", "dnf-automatic-notifyonly"]


class TestUpdates:
    @pytest.fixture
    def built(self, machine, success):
        """The machine after the build, whose parent had left everything on."""
        machine.write(
            machine.root / "etc/cloud/cloud.cfg",
            "cloud_final_modules:\n - package-update-upgrade-install\n - scripts-user\n",
        )
        machine.write(
            machine.root / "etc/cloud/cloud.cfg.d/50-more.cfg",
            "cloud_final_modules:\n  - package_update_upgrade_install\n",
        )
        machine.write(machine.root / "etc/dnf/vars/releasever", "latest\n")
        success("updates", "build")
        return machine

    def test_everything_off(self, built, success):
        """Timers are masked, cloud-init leaves packages alone, and no release floats."""
        assert (built.root / "etc/cloud/cloud.cfg").read_text() == (
            "cloud_final_modules:\n # - package-update-upgrade-install\n - scripts-user\n"
        )
        assert not (built.root / "etc/dnf/vars/releasever").exists()
        assert (built.state / "masked").read_text().split() == [f"{timer}.timer" for timer in TIMERS]
        assert success("updates", "validate") == ""
        assert success("updates", "test", "validate") == ""

    def test_a_pinned_release_stays(self, machine, success):
        """A release that is named is no floating one."""
        path = machine.write(machine.root / "etc/dnf/vars/releasever", "2023.12.20260710\n")
        success("updates", "build")

        assert path.read_text() == "2023.12.20260710\n"
        assert success("updates", "validate") == ""

    def test_a_parent_without_cloud_init(self, success):
        """What is not there needs no turning off."""
        success("updates", "build")

        assert success("updates", "validate") == ""

    @pytest.mark.parametrize("timer", TIMERS)
    def test_a_timer(self, built, failure, timer):
        """Each timer has to be masked."""
        masked = (built.state / "masked").read_text().replace(f"{timer}.timer\n", "")
        built.write(built.state / "masked", masked)

        assert failure("updates", "validate") == f"updates: {timer}.timer is disabled, not masked"

    @pytest.mark.parametrize("file", ["etc/cloud/cloud.cfg", "etc/cloud/cloud.cfg.d/99-own.cfg"])
    def test_cloud_init(self, built, failure, file):
        """A file that turns it on again is named."""
        built.write(built.root / file, "cloud_final_modules:\n - package-update-upgrade-install\n")

        assert failure("updates", "validate") == f"updates: cloud-init updates packages at launch: /{file}"

    def test_latest(self, built, failure):
        """So is a release that floats."""
        built.write(built.root / "etc/dnf/vars/releasever", "latest\n")

        assert failure("updates", "validate") == "updates: dnf follows the latest release: /etc/dnf/vars/releasever"

    def test_live_patches(self, built, failure):
        """And live patching, which changes the kernel under the modules."""
        built.packages(kpatch_dnf="0.9")

        assert failure("updates", "validate") == ("updates: kpatch-dnf is installed, which patches the running kernel")


class TestContainersBuild:
    def test_by_digest(self, machine, success):
        """A container is stored under repository and digest, as containerd looks for it, and safe from collection."""
        success("containers", "build")

        assert machine.calls == [
            "systemctl start containerd",
            "aws ecr-public get-login-password --region us-east-1",
            f"ctr --namespace k8s.io images pull --user AWS:secret-of-ecr-public {REFERENCE}",
            f"ctr --namespace k8s.io images label {REFERENCE} io.cri-containerd.pinned=pinned",
            "sync ",
            "systemctl stop containerd",
        ]

    def test_anonymous(self, machine, success):
        """The public registry is asked without a name where the instance profile has none."""
        machine.write(machine.state / "no-credentials", "")
        success("containers", "build")

        assert f"ctr --namespace k8s.io images pull {REFERENCE}" in machine.calls

    def test_a_mirror(self, machine, success):
        """A mirror in ECR is signed in to in its own region."""
        machine.values = replace(machine.values, containers=(f"{MIRROR}:1.2@sha256:{'b' * 64}",))
        success("containers", "build")

        assert "aws ecr get-login-password --region us-east-2" in machine.calls
        assert (
            f"ctr --namespace k8s.io images pull --user AWS:secret-of-ecr {MIRROR}@sha256:{'b' * 64}" in machine.calls
        )

    def test_a_mirror_without_permission(self, machine, failure):
        """A mirror that does not let the instance in is named."""
        machine.values = replace(machine.values, containers=(f"{MIRROR}:1.2@sha256:{'b' * 64}",))
        machine.write(machine.state / "no-credentials", "")

        assert failure("containers", "build") == (
            "containers: the instance profile may not sign in to 111122223333.dkr.ecr.us-east-2.amazonaws.com"
        )
        assert machine.calls[-1] == "systemctl stop containerd"

    def test_a_port(self, machine, success):
        """A registry's port is not taken for a tag, and nobody signs in to a registry that is not ECR."""
        machine.values = replace(machine.values, containers=(f"localhost:5000/a/b:1@sha256:{'b' * 64}",))
        success("containers", "build")

        assert f"ctr --namespace k8s.io images pull localhost:5000/a/b@sha256:{'b' * 64}" in machine.calls

    def test_a_registry_that_is_down(self, machine):
        """A pull is tried four times, and containerd is stopped in the end."""
        machine.write(machine.state / "registry-down", "")
        done = machine.run("containers", "build")

        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"containers: {REFERENCE} could not be pulled"
        assert len([call for call in machine.calls if " pull " in call]) == 4
        assert machine.calls[-1] == "systemctl stop containerd"

    def test_none(self, machine, success):
        """Without a container nothing is pulled."""
        machine.values = replace(machine.values, containers=())
        success("containers", "build")

        assert not [call for call in machine.calls if call.startswith(("ctr", "aws"))]
        assert success("containers", "validate") == ""


class TestContainersValidate:
    @pytest.fixture
    def built(self, machine, success):
        """The machine after the build."""
        success("containers", "build")
        return machine

    def test_agrees(self, built, success):
        """What was pulled passes, on the build instance and after a boot; containerd is left stopped."""
        assert success("containers", "validate") == ""
        assert success("containers", "test", "validate") == ""
        assert built.calls[-1] == "systemctl stop containerd"

    @pytest.mark.parametrize("ready", ["", f"{REFERENCE}0\n", REFERENCE.replace("@", ":1@") + "\n"])
    def test_not_whole(self, built, failure, ready):
        """A container that is missing, or stored under another name, fails."""
        built.write(built.state / "ready", ready)

        assert failure("containers", "validate") == (f"containers: {REFERENCE} is not whole and unpacked in containerd")

    def test_not_pinned(self, built, failure):
        """So does one that the kubelet may delete."""
        built.write(built.state / "labels", f"{REFERENCE} io.cri-containerd.image=managed\n")

        assert failure("containers", "validate") == f"containers: {REFERENCE} is not pinned"
