import configparser

import pytest

REPOSITORIES = ("public.ecr.aws/neuron/jax-training-neuronx", "localhost:5000/a")
PINNED = "io.cri-containerd.pinned=pinned"


@pytest.fixture
def built(machine, success):
    """The machine after the build."""
    success("import", "build")
    return machine


@pytest.fixture
def program(built):
    """The program."""
    return built.root / "opt/trnstack/bin/import-images"


@pytest.fixture
def unit(built):
    """The unit's settings."""
    parsed = configparser.ConfigParser()
    parsed.optionxform = str
    parsed.read(built.root / "etc/systemd/system/trnstack-images.service")
    return parsed


@pytest.fixture
def references(built, archive):
    """The containers of the image, by the names that kubelet asks for."""
    folder = built.root / "opt/trnstack/images"
    digests = [archive(folder, repository) for repository in REPOSITORIES]
    made = [f"{repository}@sha256:{digest}" for repository, digest in zip(REPOSITORIES, digests, strict=True)]
    built.write(folder / "images.txt", "".join(f"{each.rpartition(':')[2]}.tar {each}\n" for each in made))
    return made


@pytest.fixture
def node(built, references):  # noqa: ARG001 - what the image brings along
    """A node whose kubelet has just started."""
    (built.state / "calls").unlink()
    return built


def imported(node):
    """The archives that were imported."""
    return [call.rpartition("/")[2] for call in node.calls if " import " in call]


class TestBuild:
    def test_the_unit_is_enabled(self, built, program, unit):
        """The unit runs the installed program, and is enabled."""
        assert unit["Service"]["ExecStart"] == "/opt/trnstack/bin/import-images"
        assert program.stat().st_mode & 0o777 == 0o755
        assert built.calls == ["systemctl enable trnstack-images.service"]

    def test_nothing_waits_for_it(self, unit):
        """It comes after everything that lets a node join, is wanted by kubelet alone, and before nothing."""
        assert unit["Unit"]["After"].split() == ["nodeadm-run.service", "containerd.service", "kubelet.service"]
        assert dict(unit["Install"]) == {"WantedBy": "kubelet.service"}
        assert set(unit["Unit"]) == {"Description", "After", "ConditionPathExists"}

    def test_stands_back(self, unit):
        """It reads when nothing else does, and below what the volume gives."""
        assert unit["Service"]["IOSchedulingClass"] == "idle"
        assert unit["Service"]["Nice"] == "19"
        assert unit["Service"]["IOReadBandwidthMax"] == "/opt/trnstack/images 60M"

    def test_without_containers(self, unit):
        """An image without containers has nothing to import, which is no failure."""
        assert unit["Unit"]["ConditionPathExists"] == "/opt/trnstack/images/images.txt"

    def test_twice(self, built, program, success):
        """A second run changes nothing."""
        before = program.read_text()
        success("import", "build")

        assert program.read_text() == before
        assert (built.state / "enabled").read_text() == "trnstack-images.service\n"


class TestValidate:
    @pytest.mark.usefixtures("built")
    def test_agrees(self, success):
        """What the build has installed passes, on the build instance and after a boot."""
        assert success("import", "validate") == ""
        assert success("import", "test", "validate") == ""

    def test_another_program(self, program, failure):
        """A program that is not the recipe's fails."""
        with program.open("a") as stream:
            stream.write("reboot\n")

        assert failure("import", "validate") == "import: /opt/trnstack/bin/import-images is not the recipe's"

    @pytest.mark.parametrize("change", [lambda path: path.chmod(0o644), lambda path: path.unlink()])
    def test_no_program(self, program, failure, change):
        """So does one that can't be run, or is not there."""
        change(program)

        assert failure("import", "validate") == "import: /opt/trnstack/bin/import-images is not the recipe's"

    def test_not_enabled(self, built, failure):
        """And a unit that no node would start."""
        built.write(built.state / "enabled", "")

        assert failure("import", "validate") == "import: trnstack-images.service is disabled, not enabled"


class TestProgram:
    def test_imports(self, node, program, references):
        """Each container gets the name that kubelet asks for, and is pinned against kubelet's garbage collection."""
        done = node.bash(program)

        assert done.returncode == 0
        assert "progress" not in done.stdout
        assert (node.state / "ready").read_text().split() == references
        assert (node.state / "labels").read_text().splitlines() == [f"{each} {PINNED}" for each in references]

    def test_what_is_there_stays(self, node, program, references):
        """A container that a pod has pulled meanwhile is not imported, but pinned as well."""
        node.write(node.state / "ready", f"{references[0]}\n")
        done = node.bash(program)

        assert done.returncode == 0
        assert imported(node) == [f"{references[1].rpartition(':')[2]}.tar"]
        assert (node.state / "labels").read_text().splitlines() == [f"{each} {PINNED}" for each in references]

    def test_another_name_is_another_container(self, node, program, references):
        """The same container by its tag is none that kubelet would find by its digest."""
        node.write(node.state / "ready", f"{references[0]}0\n{references[0].replace('@', ':1@')}\n")
        node.bash(program)

        assert len(imported(node)) == 2

    def test_again(self, node, program):
        """After a restart of kubelet nothing is imported anew."""
        node.bash(program)
        (node.state / "calls").unlink()
        done = node.bash(program)

        assert done.returncode == 0
        assert imported(node) == []

    def test_one_fails(self, node, program, references):
        """A container that can't be imported is named, and keeps no other from its import."""
        node.write(node.state / "import-fails", f"{references[0].rpartition(':')[2]}.tar\n")
        done = node.bash(program)

        assert done.returncode == 1
        assert done.stderr.splitlines() == [
            "bad",
            f"images: {references[0]} could not be imported; pods pull it from its registry",
        ]
        assert (node.state / "ready").read_text().split() == references[1:]

    def test_removes_nothing(self, node, program, references):
        """Neither archives nor containers are removed."""
        node.bash(program)

        assert {call.split()[4] for call in node.calls if call.startswith("ctr ")} == {"list", "import", "label"}
        folder = node.root / "opt/trnstack/images"
        assert {path.name for path in folder.iterdir()} == {
            "images.txt",
            *(f"{each.rpartition(':')[2]}.tar" for each in references),
        }
