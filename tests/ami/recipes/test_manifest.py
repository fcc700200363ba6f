import json
from dataclasses import replace

import pytest

KERNEL = "6.12.94-123.180.amzn2023.x86_64"
CONTAINER = "public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk2.32.0-ubuntu24.04@sha256:" + "a" * 64
ARCHIVE = f"/opt/trnstack/images/{'a' * 64}.tar"


@pytest.fixture
def built(machine, success):
    """The machine with everything installed, and the manifest written."""
    machine.packages(aws_neuronx_dkms="2.30.2.0", aws_neuronx_tools="2.32.28.0", efa="3.0.0")
    machine.write(machine.root / "opt/amazon/efa_installed_packages", "# EFA installer version: 1.47.0\nefa\n")
    machine.write(machine.root / ARCHIVE.removeprefix("/"), "whole")
    success("manifest", "build")
    return machine


@pytest.fixture
def manifest(built):
    """The manifest's file."""
    return built.root / "etc/trnstack/image.json"


class TestBuild:
    def test_content(self, manifest):
        """The manifest names everything that the image holds."""
        assert json.loads(manifest.read_text()) == {
            "recipe": "neuron",
            "parent_image": "ami-0123456789abcdef0",
            "neuron_sdk": "2.32.0",
            "kernel": KERNEL,
            "neuron_driver": "2.30.2.0",
            "neuron_tools": "2.32.28.0",
            "efa_installer": "1.47.0",
            "efa_driver": "3.0.0",
            "containers": [{"name": CONTAINER, "archive": ARCHIVE, "bytes": 5}],
        }

    def test_everybody_reads_it(self, manifest):
        """A node's processes may read it."""
        assert manifest.stat().st_mode & 0o777 == 0o644

    def test_twice(self, built, manifest, success):
        """A second run writes the same."""
        before = manifest.read_text()
        success("manifest", "build")

        assert manifest.read_text() == before
        assert built.calls.count("imds /latest/meta-data/ami-id") == 2

    def test_is_what_was_found(self, machine, success):
        """It says what is installed, not what should be: the checks compare it with the lock."""
        machine.values = replace(machine.values, containers=())
        machine.write(machine.root / "opt/amazon/efa_installed_packages", "# EFA installer version: 1.49.0\nefa\n")
        success("manifest", "build")
        content = json.loads((machine.root / "etc/trnstack/image.json").read_text())

        assert (content["neuron_driver"], content["efa_installer"]) == ("2.29.0.0", "1.49.0")

    def test_a_package_is_missing(self, machine):
        """A manifest with a hole is not written."""
        (machine.state / "packages/efa").unlink()

        assert machine.run("manifest", "build").returncode == 1
        assert not (machine.root / "etc/trnstack/image.json").exists()

    def test_an_archive_is_missing(self, built, manifest, failure):
        """Nor one that names an archive which is not there."""
        manifest.unlink()
        (built.root / ARCHIVE.removeprefix("/")).unlink()

        assert failure("manifest", "build").startswith("manifest: the archive of a container can't be read: ")
        assert not manifest.exists()


class TestValidate:
    @pytest.mark.usefixtures("built")
    def test_agrees(self, success):
        """What the build has written passes, on the build instance and after a boot."""
        assert success("manifest", "validate") == ""
        assert success("manifest", "test", "validate") == ""
        assert success("manifest", "test") == ""

    def test_without_containers(self, built, success):
        """An image without containers passes."""
        built.values = replace(built.values, containers=())
        success("manifest", "build")

        assert success("manifest", "validate") == ""

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"sdk": "2.31.1"}, "neuron_sdk is 2.32.0, the lock says 2.31.1"),
            ({"driver": "2.29.0.0"}, "neuron_driver is 2.30.2.0, the lock says 2.29.0.0"),
            ({"tools": "2.31.15.0"}, "neuron_tools is 2.32.28.0, the lock says 2.31.15.0"),
            ({"kernel": "6.1"}, f"kernel is {KERNEL}, the lock says 6.1"),
            ({"containers": ()}, f"containers is {CONTAINER}, the lock says none"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
    )
    def test_another_lock(self, built, failure, change, message):
        """Each value that is not the lock's is named with both."""
        built.values = replace(built.values, **change)

        assert failure("manifest", "validate") == f"manifest: {message}"

    @pytest.mark.parametrize("name", ["recipe", "efa_installer"])
    def test_another_recipe(self, manifest, failure, name):
        """So is what is not the recipe's."""
        content = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**content, name: "other"}))

        assert failure("manifest", "validate").startswith(f"manifest: {name} is other, the lock says ")

    @pytest.mark.parametrize("text", [None, "", "{"])
    def test_unreadable(self, manifest, failure, text):
        """No manifest, or one that was cut off, fails with a sentence."""
        manifest.unlink()
        if text is not None:
            manifest.write_text(text)

        assert failure("manifest", "validate").startswith("manifest: /etc/trnstack/image.json can't be read: ")


class TestTest:
    def test_another_kernel(self, built, failure):
        """An image that boots another kernel than its modules were built for fails, also within one minor version."""
        booted = KERNEL.replace("6.12.94", "6.12.99")
        built.write(built.state / "kernel", booted)

        assert failure("manifest", "test") == f"manifest: the image was built on kernel {KERNEL} and boots {booted}"
