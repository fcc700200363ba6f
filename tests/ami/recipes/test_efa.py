import hashlib
import io
import tarfile
from dataclasses import replace

import pytest

from ami.recipes import documents, recipe

KERNEL = "6.12.94-123.180.amzn2023.x86_64"
ARCHIVE = "aws-efa-installer-1.47.0.tar.gz"
#: What an installer does that is asked like the real one: installs what is not there or older, and lists what it has.
INSTALLER = """#!/usr/bin/env bash
echo "efa_installer.sh $*" >>"$STATE/calls"
if [[ -f $STATE/installer-fails ]]; then exit 1; fi
packages=()
for package in efa=3.0.0 rdma-core=61.0 libfabric-aws=2.4.0; do
  name=${package%=*} version=${package#*=}
  packages+=("$name-$version-1.noarch")
  if [[ -f $STATE/packages/$name && $(cat "$STATE/packages/$name") > $version ]]; then continue; fi
  printf '%s' "$version" >"$STATE/packages/$name"
done
printf '%s\\n' '# EFA installer version: 1.47.0' '# Debug packages installed: no' '# Packages installed:' \\
  "${packages[*]}" >"$ROOT/opt/amazon/efa_installed_packages"
printf '1.2.3' >"$STATE/packages/efa-nv-peermem"
printf '3.0.0g\\n' >"$STATE/modules/efa"
"""
#: What the parent's installer has left: its newer packages, and dkms, which the Neuron driver needs too.
PARENT = """# EFA installer version: 1.49.0
# Debug packages installed: no
# Packages installed:
efa-3.1.0-1.noarch rdma-core-62.0-1.noarch dkms-3.1.5-1.noarch gone-1.0-1.noarch
"""


def archive():
    """An archive like the installer's, the same bytes each time."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        info = tarfile.TarInfo("aws-efa-installer/efa_installer.sh")
        info.size, info.mode = len(INSTALLER), 0o755
        tar.addfile(info, io.BytesIO(INSTALLER.encode()))
    return stream.getvalue()


@pytest.fixture
def download(machine, monkeypatch):
    """The installer to download, whose sum the recipe has."""
    content = archive()
    (machine.state / "downloads").mkdir()
    (machine.state / "downloads" / ARCHIVE).write_bytes(content)
    (machine.state / "modules").mkdir()
    machine.write(machine.root / "opt/amazon/efa_installed_packages", PARENT)
    told = replace(recipe("neuron").efa_installer, sha256=hashlib.sha256(content).hexdigest())
    variables = documents._variables
    monkeypatch.setattr(
        documents, "_variables", lambda made, values: variables(replace(made, efa_installer=told), values)
    )
    return machine.state / "downloads" / ARCHIVE


@pytest.fixture
def built(machine, download, success):  # noqa: ARG001 - what there is to download
    """The machine after the build."""
    success("efa", "build")
    machine.command(machine.root / "opt/amazon/efa/bin/fi_info", "echo fi_info here")
    return machine


class TestBuild:
    def test_the_pinned_packages(self, built):
        """The installer's own packages are there afterwards, also where the parent had newer ones."""
        installed = built.installed()

        assert (installed["efa"], installed["rdma-core"], installed["libfabric-aws"]) == ("3.0.0", "61.0", "2.4.0")
        assert "rpm --erase --nodeps efa-3.1.0-1.noarch rdma-core-62.0-1.noarch" in built.calls
        assert "efa_installer.sh --yes --no-verify" in built.calls

    def test_dkms_stays(self, built):
        """What also builds the Neuron driver is not taken out."""
        assert built.installed()["dkms"] == "3.1.5"

    def test_no_peermem(self, built):
        """What loads NVIDIA's module at boot does not stay."""
        assert "efa-nv-peermem" not in built.installed()

    @pytest.mark.usefixtures("download")
    def test_a_parent_without_efa(self, machine, success):
        """A parent without EFA gets it all the same."""
        (machine.root / "opt/amazon/efa_installed_packages").unlink()
        for package in ("efa", "rdma-core", "efa-nv-peermem"):
            (machine.state / "packages" / package).unlink()
        success("efa", "build")

        assert machine.installed()["efa"] == "3.0.0"

    def test_twice(self, built, success):
        """A second run installs the same packages anew."""
        installed = built.installed()
        success("efa", "build")

        assert built.installed() == installed
        assert success("efa", "validate") == "fi_info here\n"

    @pytest.mark.usefixtures("download")
    def test_after_an_attempt_that_failed(self, machine, success):
        """An attempt that ended after the parent's packages were taken out is followed by one that installs."""
        machine.write(machine.state / "installer-fails", "")
        assert machine.run("efa", "build").returncode == 1
        assert "efa" not in machine.installed()

        (machine.state / "installer-fails").unlink()
        success("efa", "build")

        assert machine.installed()["efa"] == "3.0.0"
        assert machine.installed()["dkms"] == "3.1.5"

    def test_another_sum(self, machine, download, failure):
        """An archive with another sum stops the build before anything of it runs or anything is taken out."""
        content = archive() + b"\0"
        download.write_bytes(content)
        before = machine.installed()

        assert failure("efa", "build") == (
            f"efa: the SHA-256 of {ARCHIVE} is {hashlib.sha256(content).hexdigest()}, "
            f"the recipe says {hashlib.sha256(archive()).hexdigest()}"
        )
        assert [call.split()[0] for call in machine.calls] == ["curl"]
        assert machine.installed() == before

    @pytest.mark.usefixtures("download")
    def test_no_download(self, machine):
        """Nor does anything run when the download fails."""
        machine.command(machine.commands / "curl", "echo 'curl: (22) 403' >&2; exit 22")
        done = machine.run("efa", "build")

        assert done.returncode == 22
        assert [call.split()[0] for call in machine.calls] == ["curl"]

    def test_the_address(self, built):
        """The release is named, never the latest, and no redirect leads to a download without encryption."""
        (call,) = [call for call in built.calls if call.startswith("curl")]

        assert call.endswith(f"https://efa-installer.amazonaws.com/{ARCHIVE}")
        assert "--fail" in call
        assert "--proto =https" in call


class TestValidate:
    @pytest.mark.usefixtures("built")
    def test_agrees(self, success):
        """What the build has installed passes."""
        assert success("efa", "validate") == "fi_info here\n"

    def test_another_installer(self, built, failure):
        """The parent's installer is not taken for the pinned one."""
        built.write(built.root / "opt/amazon/efa_installed_packages", PARENT)

        assert failure("efa", "validate") == (
            "efa: the list of packages begins with '# EFA installer version: 1.49.0', the recipe says 1.47.0"
        )

    def test_a_longer_version(self, built, failure):
        """Installer 1.47.01 is another one."""
        path = built.root / "opt/amazon/efa_installed_packages"
        path.write_text(path.read_text().replace("1.47.0", "1.47.01"))

        assert "1.47.01', the recipe says 1.47.0" in failure("efa", "validate")

    def test_no_installer(self, built, failure):
        """No list, no installer."""
        (built.root / "opt/amazon/efa_installed_packages").unlink()

        assert failure("efa", "validate") == "efa: the EFA installer has left no list of its packages"

    def test_a_newer_package_stayed(self, built, failure):
        """A package that the installer left as it was does not pass for its own."""
        built.packages(efa="3.1.0")

        assert failure("efa", "validate") == ("efa: the package efa is 3.1.0, which installer 1.47.0 does not bring")

    def test_no_package(self, built, failure):
        """The kernel module's package has to be there."""
        (built.state / "packages/efa").unlink()

        assert failure("efa", "validate") == "efa: the package efa is not installed"

    @pytest.mark.parametrize("version", ["3.1.0g", "3.0.0gg", "3.0.01", "3x0.0"])
    def test_module_of_another_version(self, built, failure, version):
        """The module for this kernel has to be the package's."""
        built.write(built.state / "modules/efa", f"{version}\n")

        assert failure("efa", "validate") == (
            f"efa: the efa module for kernel {KERNEL} is {version}, its package is 3.0.0"
        )

    def test_no_module(self, built, machine):
        """A module that was not built for this kernel is missed."""
        (built.state / "modules/efa").unlink()
        done = machine.run("efa", "validate")

        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"efa: there is no efa module for kernel {KERNEL}"

    def test_no_libfabric(self, built, failure):
        """Libfabric has to run."""
        built.command(built.root / "opt/amazon/efa/bin/fi_info", "exit 1")

        assert failure("efa", "validate") == "efa: fi_info does not run"

    def test_peermem(self, built, failure):
        """efa-nv-peermem has to be gone."""
        built.packages(efa_nv_peermem="1.2.3")

        assert failure("efa", "validate") == ("efa: efa-nv-peermem is installed, which needs NVIDIA's driver at boot")


class TestTest:
    @pytest.fixture
    def pci(self, built):
        """Adds a PCI device by its vendor and device."""

        def add(address, vendor, device):
            folder = built.root / "sys/bus/pci/devices" / address
            built.write(folder / "vendor", f"{vendor}\n")
            built.write(folder / "device", f"{device}\n")

        return add

    def test_without_efa(self, success, pci):
        """With an ordinary interface the module loads, and libfabric is not asked for what is not there."""
        pci("0000:00:05.0", "0x1d0f", "0xec20")
        pci("0000:00:06.0", "0x8086", "0xefa1")

        assert success("efa", "test") == "efa: this instance has no EFA, so fi_info was not asked for one\n"

    @pytest.mark.usefixtures("built")
    def test_no_pci_at_all(self, success):
        """An empty sysfs is no error."""
        assert "has no EFA" in success("efa", "test")

    def test_with_efa(self, built, success, pci):
        """Where there is an EFA, libfabric has to find it."""
        pci("0000:00:05.0", "0x1d0f", "0xec20")
        pci("0000:00:06.0", "0x1d0f", "0xefa1")

        assert success("efa", "test") == "fi_info here\n"
        assert built.calls[-1] == "fi_info -p efa -t FI_EP_RDM"

    def test_efa_not_found(self, built, failure, pci):
        """And fails where it does not."""
        pci("0000:00:06.0", "0x1d0f", "0xefa1")
        built.command(built.root / "opt/amazon/efa/bin/fi_info", "exit 61")

        assert failure("efa", "test") == "efa: fi_info does not find the EFA of this instance"

    def test_not_loaded(self, built, failure):
        """A module that does not load fails."""
        built.command(built.commands / "modprobe", "exit 1")

        assert failure("efa", "test") == "efa: the efa module can't be loaded"

    def test_another_version_runs(self, built, failure):
        """A module of the kernel's own, loaded instead, fails."""
        built.write(built.state / "modules/efa", "2.10.0\n")

        assert failure("efa", "test") == "efa: the loaded efa module is 2.10.0, its package is 3.0.0"
