import base64
import shutil
from dataclasses import replace

import pytest

from ami.recipes import documents

KERNEL = "6.12.94-123.180.amzn2023.x86_64"
#: A key and its fingerprint as GnuPG 2.2 has made them; nobody has its private part any more.
FINGERPRINT = "115BD15E20A934FDCCAA8FFC993BC0AC8F9488F1"
KEY = """-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEaw3FNhYJKwYBBAHaRw8BAQdA/3x80Q6VpuDByBAGHpSG8dTWLavUgxqnlp10
cK3lUf20F3Rlc3QgPHRlc3RAZXhhbXBsZS5jb20+iJAEExYIADgWIQQRW9FeIKk0
/cyqj/yZO8Csj5SI8QUCaw3FNgIbAwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAK
CRCZO8Csj5SI8cxuAPoCdYlESmL+GZro4BfgCg0rtA2TjTdemZWMBNTs+jXdfwD9
E0tjMRePWkIgUuR2STkmq2a/cDJfyfPqY5/1erWlsQg=
=PVZh
-----END PGP PUBLIC KEY BLOCK-----
"""
PACKETS = base64.b64decode("".join(KEY.split("\n\n")[1].splitlines()[:-2]))
#: The first packet: its header of two bytes, and what the fingerprint is made of.
PRIMARY = PACKETS[2:53]
REST = PACKETS[53:]
REFUSED = "driver: the key of Neuron's repository can't be taken: "


def armored(packets, *, headers=""):
    """A block of packets, as a person would have it."""
    text = base64.encodebytes(packets).decode()
    return f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n{headers}\n{text}-----END PGP PUBLIC KEY BLOCK-----\n"


@pytest.fixture
def key(machine):
    """The key of Neuron's repository, to download."""
    return machine.write(machine.state / "downloads" / "GPG-PUB-KEY-AMAZON-AWS-NEURON.PUB", KEY)


@pytest.fixture
def downloads(key, monkeypatch):  # noqa: ARG001 - what there is to download
    """Neuron's repository, whose key the recipe names."""
    variables = documents._variables
    monkeypatch.setattr(
        documents,
        "_variables",
        lambda made, values: variables(replace(made, gpg_fingerprint=FINGERPRINT), values),
    )


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

    def test_twice(self, machine, success):
        """A kernel that is held already stays held, once."""
        success("kernel", "build")
        held = (machine.state / "held").read_text()
        success("kernel", "build")

        assert (machine.state / "held").read_text() == held

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
        assert (built.root / "etc/pki/rpm-gpg/RPM-GPG-KEY-aws-neuron").read_text() == KEY
        assert f"rpm --import {built.root}/etc/pki/rpm-gpg/RPM-GPG-KEY-aws-neuron" in built.calls

    @pytest.mark.parametrize(
        "text",
        [
            KEY.replace("\n", "\r\n"),
            armored(PACKETS, headers="Version: GnuPG v2.0.22 (GNU/Linux)\n"),
            armored(b"\x99" + len(PRIMARY).to_bytes(2, "big") + PRIMARY + REST),
            armored(b"\x9a" + len(PRIMARY).to_bytes(4, "big") + PRIMARY + REST),
            armored(b"\xc6" + len(PRIMARY).to_bytes(1, "big") + PRIMARY + REST),
            armored(b"\xc6\xff" + len(PRIMARY).to_bytes(4, "big") + PRIMARY + REST),
            armored(PACKETS + b"\xcd\xc0\x08" + b"o" * 200),
        ],
        ids=["line ends", "headers", "two bytes", "four bytes", "one byte", "five bytes", "a long owner"],
    )
    @pytest.mark.usefixtures("downloads")
    def test_the_same_key(self, machine, key, success, text):
        """However a key is written down, its fingerprint is the same."""
        machine.write(key, text)
        success("driver", "build")

        assert machine.installed()["aws-neuronx-dkms"] == "2.30.2.0"

    def test_another_key(self, machine, key, failure):  # noqa: ARG002 - what there is to download
        """Another key than the recipe's stops before rpm trusts anything."""
        assert failure("driver", "build") == (
            f"driver: the key of Neuron's repository has the fingerprint {FINGERPRINT}, "
            "the recipe says 00FA2C1079260870A76D2C285749CAD8646D9185"
        )
        assert not [call for call in machine.calls if call.startswith(("rpm", "dnf"))]
        assert not (machine.root / "etc/yum.repos.d/neuron.repo").exists()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (armored(PACKETS + b"\xb8" + PACKETS[1:53]), "something else than one public key without subkeys"),
            (armored(PACKETS + PACKETS), "something else than one public key without subkeys"),
            (armored(REST + PACKETS), "something else than one public key without subkeys"),
            (armored(b"\x98\x33\x03" + PACKETS[3:]), "something else than one public key without subkeys"),
            (KEY + KEY, "not one block with a public key"),
            (KEY + "text -----BEGIN PGP PUBLIC KEY BLOCK-----", "not one block with a public key"),
            (KEY.replace("PUBLIC", "PRIVATE"), "not one block with a public key"),
            (KEY[:200], "not one block with a public key"),
            ("<html>", "not one block with a public key"),
            ("", "not one block with a public key"),
            (armored(PACKETS[:-1]), "a damaged packet"),
            (armored(b"\x9b" + len(PRIMARY).to_bytes(8, "big") + PRIMARY + REST), "a damaged packet"),
            (armored(b"\x18" + PACKETS[1:]), "a damaged packet"),
            (armored(b"\xc6\xe1" + PACKETS[2:]), "a packet of partial length"),
        ],
        ids=[
            *("subkey", "second key", "not first", "version 3", "second block", "second block in a line", "private"),
            *("cut off", "no key", "empty", "cut packet", "no length", "no packet", "partial length"),
        ],
    )
    @pytest.mark.usefixtures("downloads")
    def test_more_than_the_key(self, machine, key, failure, text, message):
        """What rpm would trust besides the key stops it too: rpm may take a subkey unchecked."""
        machine.write(key, text)

        assert failure("driver", "build") == REFUSED + message
        assert not [call for call in machine.calls if call.startswith(("rpm", "dnf"))]

    def test_twice(self, built, success):
        """A second run leaves the same packages, held once."""
        installed, held = built.installed(), sorted((built.state / "held").read_text().split())
        success("driver", "build")

        assert built.installed() == installed
        assert sorted((built.state / "held").read_text().split()) == held
        assert len([call for call in built.calls if call.startswith("dnf remove")]) == 1
        assert success("driver", "validate") == ""

    @pytest.mark.usefixtures("downloads")
    def test_after_an_attempt_that_failed(self, machine, success):
        """An attempt that ended between the removal and the installation is followed by one that installs."""
        machine.write(machine.state / "repository-down", "")
        assert machine.run("driver", "build").returncode == 1
        assert "aws-neuronx-dkms" not in machine.installed()

        (machine.state / "repository-down").unlink()
        success("driver", "build")

        assert machine.installed()["aws-neuronx-dkms"] == "2.30.2.0"

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
