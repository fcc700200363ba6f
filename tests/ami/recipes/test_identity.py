import pytest

ID = "7d5c3d7f2bb84d4a9b3b1c0e6f0a9d21\n"


@pytest.fixture
def path(machine):
    """The machine's id, as the build instance has made it."""
    return machine.write(machine.root / "etc/machine-id", ID)


class TestBuild:
    def test_empties_it(self, path, success):
        """The id goes, and the file stays: without it, systemd would take the boot for the first of an installation."""
        success("identity", "build")

        assert path.read_text() == ""
        assert success("identity", "validate") == ""

    def test_twice(self, path, success):
        """An empty file stays empty."""
        success("identity", "build")
        success("identity", "build")

        assert path.read_text() == ""


class TestValidate:
    @pytest.mark.usefixtures("path")
    def test_the_build_instances(self, failure):
        """An image with the id of the instance on which it was built fails."""
        assert failure("identity", "validate") == (
            "identity: /etc/machine-id is not empty, and every node would be the same machine"
        )

    @pytest.mark.usefixtures("path")
    def test_after_a_boot(self, success):
        """An instance of the image has an id of its own."""
        assert success("identity", "test", "validate") == ""

    @pytest.mark.parametrize("text", ["", "uninitialized\n", ID.upper(), ID[1:]])
    def test_no_id_after_a_boot(self, machine, failure, text):
        """One that has made none fails."""
        machine.write(machine.root / "etc/machine-id", text)

        assert failure("identity", "test", "validate") == (
            "identity: the instance has made no id of its own in /etc/machine-id"
        )
