import pytest

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

    def test_twice(self, built, success):
        """A second run changes nothing."""
        before = (built.root / "etc/cloud/cloud.cfg").read_text()
        success("updates", "build")

        assert (built.root / "etc/cloud/cloud.cfg").read_text() == before
        assert success("updates", "validate") == ""

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
