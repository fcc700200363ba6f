"""The versions of EKS add-ons."""

import pytest

from ami.pins import UNRESOLVED
from ami.resolve import UnansweredError, offered_add_on
from ami.resolve.add_ons import add_on_version

from .conftest import MINOR

BUILDS = ("v1.9.3-eksbuild.7", "v1.10.1-eksbuild.2", "v1.10.1-eksbuild.10", "v1.9.3-eksbuild.11")


@pytest.fixture
def offers(world):
    """Lays out what EKS offers of CoreDNS, and returns the client."""

    def call(*versions, default=None):
        world.add_ons = {"coredns": {version: version == default for version in versions}}
        return world.aws

    return call


class TestOffered:
    def test_newest_first(self, offers):
        """Versions are ordered by their numbers, over all pages of the answer."""
        assert offered_add_on(offers(*BUILDS, default=BUILDS[0]), "coredns", MINOR) == (
            ("v1.10.1-eksbuild.10", "v1.10.1-eksbuild.2", "v1.9.3-eksbuild.11", "v1.9.3-eksbuild.7"),
            "v1.9.3-eksbuild.7",
        )

    def test_of_other_minors(self, offers, world):
        """The default of another minor is not this one's."""
        assert offered_add_on(offers(*BUILDS), "coredns", MINOR).default is None
        assert {params["kubernetesVersion"] for _, _, params in world.asked} == {MINOR}


class TestVersion:
    @pytest.mark.parametrize("pinned", BUILDS)
    def test_pinned(self, offers, pinned):
        """A version that is offered stays, be it the default or the newest or neither."""
        assert add_on_version(offers(*BUILDS, default=BUILDS[0]), "coredns", MINOR, pinned) == pinned

    @pytest.mark.parametrize(("default", "version"), [(BUILDS[0], BUILDS[0]), (None, BUILDS[2])])
    def test_unresolved(self, offers, default, version):
        """Without a pin it is EKS's default; where it names none, the newest."""
        assert add_on_version(offers(*BUILDS, default=default), "coredns", MINOR, UNRESOLVED) == version

    def test_not_offered(self, offers):
        """A version that is not offered is refused with the two that are, and the command that takes one."""
        with pytest.raises(UnansweredError) as error:
            add_on_version(offers(*BUILDS, default=BUILDS[0]), "coredns", MINOR, "v1.0.0-eksbuild.1")

        assert error.value.failure.message == (
            "EKS in us-east-2 does not offer coredns v1.0.0-eksbuild.1 for Kubernetes 1.35; its default is "
            "v1.9.3-eksbuild.7, its newest v1.10.1-eksbuild.10"
        )
        assert error.value.failure.hint == "take it: trnstack lock --add-on coredns=v1.9.3-eksbuild.7 FILE"

    def test_not_offered_without_default(self, offers):
        """Where there is no default, the newest is the one to take."""
        with pytest.raises(UnansweredError) as error:
            add_on_version(offers(BUILDS[0]), "coredns", MINOR, "v1.0.0-eksbuild.1")

        assert error.value.failure.message.endswith("for Kubernetes 1.35; its newest is v1.9.3-eksbuild.7")
        assert error.value.failure.hint == "take it: trnstack lock --add-on coredns=v1.9.3-eksbuild.7 FILE"

    def test_nothing_offered(self, offers):
        """An add-on of which EKS has nothing for the minor is refused as that."""
        with pytest.raises(UnansweredError) as error:
            add_on_version(offers(), "coredns", MINOR, BUILDS[0])

        assert error.value.failure.message == (
            "EKS in us-east-2 offers no version of add-on coredns for Kubernetes 1.35"
        )
