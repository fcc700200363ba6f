import shutil
from dataclasses import replace

import pytest

KERNEL = "6.12.94-123.180.amzn2023.x86_64"
FINGERPRINT = "00FA2C1079260870A76D2C285749CAD8646D9185"
SUBKEY = "F" * 40


def colons(*fingerprints):
    """What gpg prints of keys, each with a subkey, which has a fingerprint too."""
    return "".join(
        f"pub:-:2048:1:{each[-16:]}:1573493367::::::\nfpr:::::::::{each}:\nsub:-:2048:1:0:0::\nfpr:::::::::{SUBKEY}:\n"
        for each in fingerprints
    )


@pytest.fixture
def downloads(machine):
    """Neuron's repository with its key."""
    machine.write(machine.state / "downloads" / "GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB", "the key")
    machine.write(machine.state / "fingerprints", colons(FINGERPRINT))


@pytest.fixture
def built(machine, downloads, success):  # noqa: ARG001 - what there is to download
    """The machine after the driver's build, with its module."""
    success("driver", "build")
    machine.write(machine.state / "modules" / "neuron", "2.30.2.0\n")
    return machine


@pytest.fixture
def booted(built):
    """The same after a boot on a type with two Neuron devices."""
    built.write(built.state / "loaded", "Module Size Used by\nneuron 286720 0\nena 1 0\n")
    built.write(built.root / "sys/module/neuron/version", "2.30.2.0\n")
    built.write(built.root / "dev/neuron0", "")
    built.write(built.root / "dev/neuron1", "")
    built.command(built.root / "opt/aws/neuron/bin/neuron-ls", "echo two devices")
    return built


class TestKernel:
    def test_is_held(self, machine, success):
        """The kernel is held, and the checks agree."""
        success("kernel", "build")

        assert machine.calls[-1] == "dnf versionlock add kernel*"
        assert success("kernel", "validate") == ""
        assert success("kernel", "test", "validate") == ""

    def test_two_digits(self, machine, failure):
        """Kernel 6.1 is not 6.12."""
        machine.values = replace(machine.values, kernel="6.1")

        assert failure("kernel", "build") == f"kernel: the parent runs {KERNEL}, the lock says 6.1"
        assert failure("kernel", "validate") == f"kernel: the instance runs {KERNEL}, the lock says 6.1"

    def test_no_headers(self, machine, failure):
        """Without the kernel's headers dkms would leave the modules out in silence."""
        shutil.rmtree(machine.root / "lib/modules")

        assert failure("kernel", "build") == f"kernel: the parent has no headers of {KERNEL} to build modules with"

    @pytest.mark.parametrize(
        "held",
        [
            "",
            "kernel6.12-0:6.12.90-1.amzn2023.*\n",
            "kernel6.12-devel-0:6.12.94-123.180.amzn2023.*\n",
            "kernel6.12-0:6.12.94-123.1800.amzn2023.*\n",
        ],
    )
    def test_is_not_held(self, machine, failure, held):
        """A lock of another version or of another package does not hold the kernel."""
        machine.write(machine.state / "held", held)

        assert failure("kernel", "validate") == "kernel: dnf does not hold kernel 6.12.94-123.180.amzn2023"


class TestDriverBuild:
    def test_replaces_the_parents(self, built):
        """The parent's driver goes, the lock's comes from Neuron's repository, and both packages are held."""
        assert built.installed()["aws-neuronx-dkms"] == "2.30.2.0"
        assert built.installed()["aws-neuronx-tools"] == "2.32.28.0"
        assert [call for call in built.calls if call.startswith("dnf ")] == [
            "dnf versionlock delete aws-neuronx-dkms aws-neuronx-tools",
            "dnf remove -y --noautoremove aws-neuronx-dkms",
            "dnf install -y --enablerepo=neuron aws-neuronx-dkms-2.30.2.0 aws-neuronx-tools-2.32.28.0",
            "dnf versionlock add aws-neuronx-dkms aws-neuronx-tools",
        ]

    @pytest.mark.usefixtures("downloads")
    def test_the_same_driver(self, machine, success):
        """A parent that has the driver already keeps it."""
        machine.packages(aws_neuronx_dkms="2.30.2.0")
        success("driver", "build")

        assert not [call for call in machine.calls if call.startswith("dnf remove")]

    def test_the_repository(self, built):
        """The repository is left behind disabled, and trusts the compared key and no other."""
        text = (built.root / "etc/yum.repos.d/neuron.repo").read_text()

        assert "enabled=0\ngpgcheck=1\ngpgkey=file:///etc/pki/rpm-gpg/RPM-GPG-KEY-aws-neuron\n" in text
        assert (built.root / "etc/pki/rpm-gpg/RPM-GPG-KEY-aws-neuron").read_text() == "the key"

    @pytest.mark.parametrize(
        ("fingerprints", "shown"),
        [
            (["A" * 40], "A" * 40),
            ([], ""),
            ([FINGERPRINT, "A" * 40], f"{FINGERPRINT} and {'A' * 40}"),
        ],
        ids=["another", "none", "one more"],
    )
    @pytest.mark.usefixtures("downloads")
    def test_another_key(self, machine, failure, fingerprints, shown):
        """Another key, no key, and a second key beside the right one stop before rpm trusts anything."""
        machine.write(machine.state / "fingerprints", colons(*fingerprints))

        assert failure("driver", "build") == (
            f"driver: the key of Neuron's repository has the fingerprint {shown}, the recipe says {FINGERPRINT}"
        )
        assert not [call for call in machine.calls if call.startswith(("rpm", "dnf"))]
        assert not (machine.root / "etc/yum.repos.d/neuron.repo").exists()

    def test_the_key_by_https_alone(self, built):
        """No redirect leads to a download without encryption."""
        (call,) = [call for call in built.calls if call.startswith("curl")]

        assert "--fail" in call
        assert "--proto =https" in call
        assert call.endswith("https://yum.repos.neuron.amazonaws.com/GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB")

    @pytest.mark.usefixtures("downloads")
    def test_pci_ids_are_left_alone(self, machine, success):
        """The package's scripts get an update-pciids that asks nobody."""
        machine.command(machine.commands / "dnf", f"{shutil.which('bash')} -c update-pciids; exit 0")

        assert "update-pciids: left as the parent has it" in success("driver", "build")


class TestDriverValidate:
    @pytest.mark.usefixtures("built")
    def test_agrees(self, success):
        """What the build has installed passes."""
        assert success("driver", "validate") == ""

    @pytest.mark.parametrize(
        ("package", "version", "message"),
        [
            ("aws-neuronx-dkms", "2.29.0.0", "aws-neuronx-dkms is 2.29.0.0, the lock says 2.30.2.0"),
            ("aws-neuronx-dkms", None, "aws-neuronx-dkms is not installed"),
            ("aws-neuronx-tools", "2.31.15.0", "aws-neuronx-tools is 2.31.15.0, the lock says 2.32.28.0"),
            ("aws-neuronx-tools", None, "aws-neuronx-tools is not installed"),
        ],
    )
    def test_packages(self, built, failure, package, version, message):
        """A package of another version, or none, is named."""
        path = built.state / "packages" / package
        if version:
            path.write_text(version)
        else:
            path.unlink()

        assert failure("driver", "validate") == f"driver: {message}"

    def test_module_of_another_version(self, built, failure):
        """A module that the build has left behind is named, with the kernel."""
        built.write(built.state / "modules/neuron", "2.29.0.0\n")

        assert failure("driver", "validate") == (
            f"driver: the neuron module for kernel {KERNEL} is 2.29.0.0, the lock says 2.30.2.0"
        )

    def test_no_module(self, built, machine):
        """So is a module that dkms has not built."""
        (built.state / "modules/neuron").unlink()
        done = machine.run("driver", "validate")

        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"driver: there is no neuron module for kernel {KERNEL}"

    @pytest.mark.parametrize(
        ("package", "version"), [("aws-neuronx-dkms", "2.30.2.0"), ("aws-neuronx-tools", "2.32.28.0")]
    )
    @pytest.mark.parametrize("instead", ["", "{package}-0:2.29.0.0-1.*\n", "{package}-doc-0:{version}-1.*\n"])
    def test_not_held(self, built, failure, package, version, instead):
        """Both packages have to be held, at the lock's version."""
        held = (built.state / "held").read_text()
        line = f"{package}-0:{version}-1.*\n"
        assert line in held
        built.write(built.state / "held", held.replace(line, instead.format(package=package, version=version)))

        assert failure("driver", "validate") == f"driver: dnf does not hold {package} at {version}"

    def test_repository_enabled(self, built, failure):
        """Neuron's repository has to stay disabled."""
        path = built.root / "etc/yum.repos.d/neuron.repo"
        path.write_text(path.read_text().replace("enabled=0", "enabled=1"))

        assert failure("driver", "validate") == "driver: Neuron's repository is enabled"


class TestDriverTest:
    @pytest.mark.usefixtures("booted")
    def test_agrees(self, success):
        """A booted instance with devices passes, and neuron-ls was asked."""
        assert success("driver", "test") == "two devices\n"

    def test_not_loaded(self, booted, failure):
        """Without the module, the likely cause is told: an instance type without devices."""
        booted.write(booted.state / "loaded", "Module Size Used by\nneuron_other 1 0\nena 1 1 neuron\n")

        assert failure("driver", "test") == (
            "driver: the neuron module is not loaded; the test needs an instance type with Neuron devices, "
            "such as trn1.2xlarge"
        )

    def test_another_version_runs(self, booted, failure):
        """The version that runs counts, not the one that modinfo reads from the file."""
        booted.write(booted.root / "sys/module/neuron/version", "2.29.0.0\n")

        assert failure("driver", "test") == "driver: the loaded neuron module is 2.29.0.0, the lock says 2.30.2.0"

    def test_no_device_file(self, booted, failure):
        """A loaded module without a device file fails."""
        (booted.root / "dev/neuron0").unlink()
        (booted.root / "dev/neuron1").unlink()

        assert failure("driver", "test") == (
            "driver: there is no device file /dev/neuron0; the test needs an instance type with Neuron devices, "
            "such as trn1.2xlarge"
        )

    def test_neuron_ls_fails(self, booted, failure):
        """So does a driver with which the tools can't talk."""
        booted.command(booted.root / "opt/aws/neuron/bin/neuron-ls", "exit 1")

        assert failure("driver", "test") == "driver: neuron-ls can't read the devices"
