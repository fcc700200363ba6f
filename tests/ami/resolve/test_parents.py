"""AMIs that are gone: an error where nodes or a build start from them, a note where a custom image stands for them."""

import dataclasses

import pytest

from ami import offline
from ami.pins import EKS_OPTIMIZED
from ami.registry import RegistryError
from ami.resolve import ResolveError, for_environment

from .conftest import CUSTOM, REGION, World, publish
from .test_custom_images import built

GONE = "us-east-2 has no {} any more, the AL2023_x86_64_NEURON AMI of release v20260714: it was deregistered"
HOME = dataclasses.replace(CUSTOM, image_regions=())
#: A node group from the release itself beside one from an image that is built on it.
BOTH = dataclasses.replace(HOME, neuron_sdk="2.31.1", images={**HOME.images, "plain": EKS_OPTIMIZED})


@pytest.fixture
def locked(registries):
    """Locks inputs whose image is built, then deregisters the parent; returns the lock and the account."""

    def lock(inputs):
        world = World()
        publish(world, offline.lock(inputs, account_follows=True))
        before = for_environment(inputs, keep=None, aws=world.aws, registry=registries).lock
        version = before.images["trn1"].custom.version
        world.images[REGION].append(built(version))
        made = for_environment(inputs, keep=before, aws=world.aws, registry=registries).lock
        parent = made.images["trn1"].image_id
        world.images[REGION] = [image for image in world.images[REGION] if image["ImageId"] != parent]
        return made, world

    return lock


def failures(inputs, lock, world, registries):
    with pytest.raises(ResolveError) as error:
        for_environment(inputs, keep=lock, aws=world.aws, registry=registries)
    return [failure.message for failure in error.value.failures]


class TestGone:
    def test_under_an_image(self, locked, registries):
        """Nodes that start from what was built on it need it no more: the lock stays, and what is gone is said."""
        lock, world = locked(HOME)
        again = for_environment(HOME, keep=lock, aws=world.aws, registry=registries)

        assert again.lock == lock
        (note,) = again.notes
        assert note == (
            f"{GONE.format(lock.images['trn1'].image_id)}; nodes start from the custom image that was built on it; "
            "before another one is built: no other release is known for Kubernetes 1.35: trnstack lock --outdated FILE "
            "says what is newer; where the account allows certain AMIs only (EC2's Allowed AMIs), allow those of the "
            "owner amazon"
        )

    def test_disabled(self, locked, registries):
        """So it is with one that stands and can't be started from."""
        lock, world = locked(HOME)
        image = {"ImageId": lock.images["trn1"].image_id, "OwnerId": lock.images["trn1"].owner, "State": "disabled"}
        world.images[REGION].append(image)
        again = for_environment(HOME, keep=lock, aws=world.aws, registry=registries)

        assert again.lock == lock
        assert "is disabled in us-east-2, not available; nodes start from the custom image" in again.notes[0]

    def test_not_built(self, locked, registries):
        """Where the image is gone as well, nothing can be built: an error, as for nodes that start from the release."""
        lock, world = locked(HOME)
        world.images[REGION].pop()

        assert failures(HOME, lock, world, registries) == [GONE.format(lock.images["trn1"].image_id)]

    def test_beside_other_nodes(self, locked, registries):
        """Nor does an image help a node group that starts from the release itself."""
        lock, world = locked(BOTH)

        assert lock.images["plain"].image_id == lock.images["trn1"].image_id
        assert failures(BOTH, lock, world, registries) == [GONE.format(lock.images["trn1"].image_id)]

    def test_without_an_older_lock(self, locked, registries):
        """A lock that is made from nothing can't say whose the AMI was, and fails by it."""
        lock, world = locked(HOME)

        assert failures(HOME, None, world, registries) == [GONE.format(lock.images["trn1"].image_id)]

    def test_image_that_could_not_be_asked_for(self, locked, registries):
        """Where something else keeps the image from being looked for, that alone is told."""
        lock, world = locked(HOME)
        image = lock.neuron.container.image
        registries.refused[image] = RegistryError("no answer", "wait")
        container = dataclasses.replace(lock.neuron.container, digest="unresolved")
        older = dataclasses.replace(lock, neuron=dataclasses.replace(lock.neuron, container=container))

        assert failures(HOME, older, world, registries) == ["no answer"]
