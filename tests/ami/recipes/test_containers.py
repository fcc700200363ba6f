import json
import re
import tarfile
from dataclasses import replace

import pytest

REPOSITORY = "public.ecr.aws/neuron/jax-training-neuronx"
MIRROR = "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror/neuron/jax"


@pytest.fixture
def publish(machine, archive):
    """Lets a registry have containers, and the lock name them."""

    def publishes(*repositories, platforms=()):
        digests = [archive(machine.state / "archives", each, platforms=platforms) for each in repositories]
        containers = zip(repositories, digests, strict=True)
        machine.values = replace(
            machine.values, containers=tuple(f"{repository}:1.2@sha256:{digest}" for repository, digest in containers)
        )
        return digests

    return publishes


@pytest.fixture
def digest(publish):
    """The digest of a container that a registry has."""
    (made,) = publish(REPOSITORY)
    return made


@pytest.fixture
def built(machine, digest, success):  # noqa: ARG001 - what there is to pull
    """The machine after the build."""
    success("containers", "build")
    return machine


@pytest.fixture
def images(machine):
    """Where the archives are."""
    return machine.root / "opt/trnstack/images"


def asked(machine):
    """How a registry was asked, without the address of containerd."""
    return [re.sub("--address [^ ]* ", "", call) for call in machine.calls if " content " in call or call[:4] == "aws "]


class TestBuild:
    def test_an_archive(self, built, digest, images):
        """A container is in the image as an archive, with the name that kubelet asks for: without its tag."""
        assert {path.name for path in images.iterdir()} == {f"{digest}.tar", "images.txt"}
        assert (images / "images.txt").read_text() == f"{digest}.tar {REPOSITORY}@sha256:{digest}\n"
        assert (images / f"{digest}.tar").stat().st_mode & 0o777 == 0o644
        assert asked(built) == [
            "aws ecr-public get-login-password --region us-east-1",
            f"ctr content fetch --platform linux/amd64 --user AWS:secret-of-ecr-public {REPOSITORY}@sha256:{digest}",
        ]

    def test_a_store_of_its_own(self, built, images):
        """The parent's containerd is not started and its store not touched, and of the other nothing is left."""
        (served,) = [call for call in built.calls if call.startswith("containerd ")]
        folders = {
            option: re.search(f"{option} ([^ ]*)", served).group(1) for option in ("--root", "--state", "--address")
        }

        assert all(folder.startswith(f"{images}/store/") for folder in folders.values())
        assert {call.split()[2] for call in built.calls if call.startswith("ctr ")} == {folders["--address"]}
        assert not [call for call in built.calls if call.startswith("systemctl ")]
        assert not (built.root / "var").exists()
        assert not (built.state / "serving").exists()

    def test_anonymous(self, machine, digest, success):
        """The public registry is asked without a name where the instance profile has none."""
        machine.write(machine.state / "no-credentials", "")
        success("containers", "build")

        assert asked(machine)[1] == f"ctr content fetch --platform linux/amd64 {REPOSITORY}@sha256:{digest}"

    def test_a_mirror(self, machine, publish, success):
        """A mirror in ECR is signed in to in its own region."""
        (digest,) = publish(MIRROR)
        success("containers", "build")

        assert asked(machine) == [
            "aws ecr get-login-password --region us-east-2",
            f"ctr content fetch --platform linux/amd64 --user AWS:secret-of-ecr {MIRROR}@sha256:{digest}",
        ]

    def test_a_mirror_without_permission(self, machine, publish, failure):
        """A mirror that does not let the instance in is named."""
        publish(MIRROR)
        machine.write(machine.state / "no-credentials", "")

        assert failure("containers", "build") == (
            "containers: the instance profile may not sign in to 111122223333.dkr.ecr.us-east-2.amazonaws.com"
        )
        assert not (machine.state / "serving").exists()

    def test_a_port(self, machine, publish, success):
        """A registry's port is not taken for a tag, and nobody signs in to a registry that is not ECR."""
        (digest,) = publish("localhost:5000/a/b")
        success("containers", "build")

        assert asked(machine) == [f"ctr content fetch --platform linux/amd64 localhost:5000/a/b@sha256:{digest}"]
        assert success("containers", "validate") == ""

    def test_a_registry_that_is_down(self, machine, digest, images):
        """A pull is tried four times; then nothing is left that passes for an archive, and nothing that runs."""
        machine.write(machine.state / "registry-down", "")
        done = machine.run("containers", "build")

        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"containers: {REPOSITORY}@sha256:{digest} could not be pulled"
        assert len([call for call in machine.calls if " fetch " in call]) == 4
        assert list(images.iterdir()) == []
        assert not (machine.state / "serving").exists()

    def test_containerd_does_not_start(self, machine, digest):  # noqa: ARG002 - a container is wanted
        """A containerd that ends at once is named and not waited for without end."""
        machine.write(machine.state / "containerd-broken", "")
        done = machine.run("containers", "build")

        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == "containers: containerd does not start"

    def test_after_an_attempt_that_failed(self, machine, digest, images, success):
        """Half an archive is no part of the next attempt, nor is a store that was left by one that was ended."""
        machine.write(machine.state / "export-fails", "")
        assert machine.run("containers", "build").returncode == 1
        assert list(images.iterdir()) == []

        (machine.state / "export-fails").unlink()
        machine.write(images / "store/root/left", "")
        success("containers", "build")

        assert {path.name for path in images.iterdir()} == {f"{digest}.tar", "images.txt"}
        assert success("containers", "validate") == ""

    def test_twice(self, built, success):
        """An archive that is there is not pulled again."""
        success("containers", "build")

        assert len([call for call in built.calls if " fetch " in call]) == 1
        assert success("containers", "validate") == ""

    def test_none(self, machine, images, success):
        """Without a container nothing is started or pulled."""
        machine.values = replace(machine.values, containers=())
        success("containers", "build")

        assert machine.calls == []
        assert not images.exists()
        assert success("containers", "validate") == ""


class TestValidate:
    @pytest.fixture
    def path(self, built, digest, images):  # noqa: ARG002 - of the machine that is built
        """The archive."""
        return images / f"{digest}.tar"

    @pytest.fixture
    def changed(self, path, pack):
        """Writes the archive anew with other content of a file; None leaves it out."""

        def change(name, content):
            with tarfile.open(path) as tar:
                files = {member.name: tar.extractfile(member).read() for member in tar}
            assert name in files
            files[name] = content
            pack(path, files)

        return change

    @pytest.fixture
    def refused(self, digest, failure):
        """Runs the checks, which have to fail, and returns what they say of the archive."""

        def refuses():
            said = failure("containers", "validate")
            start = f"containers: the archive of {REPOSITORY}@sha256:{digest} is not right: "
            assert said.startswith(start)
            return said.removeprefix(start)

        return refuses

    @pytest.mark.usefixtures("built")
    def test_agrees(self, success):
        """What was pulled passes, on the build instance and after a boot."""
        assert success("containers", "validate") == ""
        assert success("containers", "test", "validate") == ""

    @pytest.mark.parametrize("platforms", [["amd64"], ["arm64", "amd64"], ["amd64", None]], ids=str)
    def test_several_platforms(self, publish, success, platforms):
        """Of a container for several platforms, the archive has one, and the digest is that of all."""
        publish(REPOSITORY, f"{REPOSITORY}-two", platforms=platforms)
        success("containers", "build")

        assert success("containers", "validate") == ""

    def test_another_platform(self, publish, success, machine):
        """A container that is not for our processors does not pass for one."""
        publish(REPOSITORY, platforms=["arm64"])
        success("containers", "build")
        done = machine.run("containers", "validate")

        assert done.returncode == 1
        assert "is not right" in done.stderr

    def test_no_archive(self, path, refused):
        """A missing archive is named."""
        path.unlink()

        assert refused().startswith("[Errno 2] No such file or directory")

    @pytest.mark.parametrize("share", [0, 0.3, 0.8])
    def test_cut_off(self, path, refused, share):
        """An archive that was cut off fails, wherever."""
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * share)])

        assert refused()

    def test_a_changed_layer(self, path, refused):
        """So does one of whose layers a byte is another."""
        with tarfile.open(path) as tar:
            layer = max((member for member in tar if member.name.startswith("blobs/")), key=lambda member: member.size)
        content = bytearray(path.read_bytes())
        content[layer.offset_data + 100] ^= 1
        path.write_bytes(content)

        assert refused().startswith(f"{layer.name} has the SHA-256 ")

    def test_a_missing_layer(self, path, changed, refused):
        """And one that lacks a layer."""
        with tarfile.open(path) as tar:
            layer = max((member for member in tar if member.name.startswith("blobs/")), key=lambda member: member.size)
        changed(layer.name, None)

        assert refused() == f"it lacks sha256:{layer.name.rpartition('/')[2]}"

    def test_another_container(self, path, images, archive, refused):
        """The archive of another container does not pass by its file's name."""
        other = archive(images, f"{REPOSITORY}-other")
        (images / f"{other}.tar").rename(path)

        assert refused() == f"its digest is sha256:{other}"

    def test_another_name(self, path, changed, refused):
        """Nor does the right one under a name by which kubelet would not find it."""
        with tarfile.open(path) as tar:
            index = json.load(tar.extractfile("index.json"))
        index["manifests"][0]["annotations"]["io.containerd.image.name"] = f"{REPOSITORY}:1.2"
        changed("index.json", json.dumps(index).encode())

        assert refused() == f"its name is {REPOSITORY}:1.2"

    def test_two_containers_in_one(self, path, changed, refused):
        """Nor one with a second container in it."""
        with tarfile.open(path) as tar:
            index = json.load(tar.extractfile("index.json"))
        index["manifests"] *= 2
        changed("index.json", json.dumps(index).encode())

        assert refused() == "too many values to unpack (expected 1)"

    @pytest.mark.parametrize("text", ["", "other.tar other\n"])
    @pytest.mark.usefixtures("built")
    def test_another_list(self, machine, images, failure, text):
        """The list that a node works through has to be the lock's."""
        machine.write(images / "images.txt", text)

        assert failure("containers", "validate") == "containers: images.txt does not list the lock's containers"

    def test_in_the_store(self, built, digest, failure):
        """A container in containerd's own store would be copied before a node joins."""
        blobs = built.root / "var/lib/containerd/io.containerd.content.v1.content/blobs/sha256"
        built.write(blobs / digest, "")

        assert failure("containers", "validate") == (
            f"containers: containerd's own store holds {REPOSITORY}:1.2, and a node would copy it"
        )
