"""Custom images: found by their tags, in every region they go to, once the version is known, and kept then."""

import dataclasses

import boto3
import pytest
from moto import mock_aws

from ami import offline
from ami.custom import image_version, recipe_values
from ami.pins import ENVIRONMENT_TAG, NOT_BUILT, RECIPE_TAG, RECIPE_VERSION_TAG, UNRESOLVED
from ami.recipes import InvalidValueError
from ami.registry import RegistryError
from ami.remember import forgotten_builds
from ami.resolve import Aws, ResolveError, for_environment, resolve
from ami.resolve.custom_images import _builds

from .conftest import ACCOUNT, CUSTOM, REGION, World, digest_of, publish


@pytest.fixture
def chosen():
    return offline.lock(CUSTOM, account_follows=True)


@pytest.fixture
def world(chosen):
    made = World()
    publish(made, chosen)
    return made


@pytest.fixture
def version(chosen):
    """The version that the image has once the container's digest is known."""
    return image_version(_with_digest(chosen), chosen.images["trn1"], chosen.images["trn1"].custom)


def _with_digest(lock):
    container = lock.neuron.container
    known = dataclasses.replace(container, digest=digest_of(container.image))
    return dataclasses.replace(lock, neuron=dataclasses.replace(lock.neuron, container=known))


def built(version, image_id="ami-0aaaaaaaaaaaaaaaa", created="2026-11-30T10:00:00.000Z", **changes):
    own = {ENVIRONMENT_TAG: CUSTOM.environment, RECIPE_TAG: "neuron", RECIPE_VERSION_TAG: version}
    tags = {**own, **changes.pop("tags", {})}
    return {
        "ImageId": image_id,
        "OwnerId": ACCOUNT,
        "State": "available",
        "CreationDate": created,
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        **changes,
    }


def custom(lock, world, registries):
    answer = resolve(lock, aws=world.aws, registry=registries)
    return answer.lock.images["trn1"].custom, [note for note in answer.notes if note.startswith("image ")]


class TestVersion:
    def test_waits_for_the_digest(self, chosen):
        """Without the training container's digest nobody knows what will be in the image."""
        pin = chosen.images["trn1"]

        assert image_version(chosen, pin, pin.custom) == UNRESOLVED
        with pytest.raises(InvalidValueError):
            recipe_values(chosen, pin, pin.custom)

    def test_is_of_the_content(self, chosen, version):
        """The driver, the container and the parent's release each change it, and nothing else does."""
        lock = _with_digest(chosen)
        pin = lock.images["trn1"]
        others = {
            image_version(lock, pin, dataclasses.replace(pin.custom, neuron_driver="2.29.0.0")),
            image_version(lock, dataclasses.replace(pin, release_version="1.35.9-20270101"), pin.custom),
        }

        assert len({version, *others}) == 3
        assert image_version(lock, dataclasses.replace(pin, image_id="ami-1"), pin.custom) == version

    def test_values(self, chosen):
        """The recipe gets the SDK's own driver and tools, the parent's kernel, and the container by its digest."""
        lock = _with_digest(chosen)
        pin = lock.images["trn1"]
        values = recipe_values(lock, pin, pin.custom)

        image = lock.neuron.container.image
        assert (values.sdk, values.driver, values.tools, values.kernel) == ("2.32.0", "2.30.2.0", "2.32.28.0", "6.12")
        assert values.containers == (f"{image}@{digest_of(image)}",)


class TestNotBuilt:
    def test_is_no_error(self, chosen, world, registries, version):
        """An image that nobody has built is awaited; what to run is said, in order."""
        image, notes = custom(chosen, world, registries)

        assert (image.version, image.owner) == (version, NOT_BUILT)
        assert image.image_ids == {REGION: NOT_BUILT, "us-west-2": NOT_BUILT}
        (note,) = notes
        assert note == (
            f"image neuron {version} of trn1 has no AMI in us-east-2: run cdk deploy llama3-8b-images "
            "-c environment=FILE, and if that builds nothing, since the stack stands already, the command in its "
            "output RebuildCommandNeuron; once it is built, trnstack lock FILE"
        )

    def test_is_not_unresolved(self, chosen, world, registries):
        """A lock that awaits a build is resolved: everything else deploys by it."""
        lock = resolve(chosen, aws=world.aws, registry=registries).lock

        assert (lock.unresolved, lock.awaiting_build) == ((), ("trn1",))

    @pytest.mark.parametrize(
        "changes",
        [
            {"OwnerId": "999988887777"},
            {"State": "pending"},
            {"tags": {RECIPE_VERSION_TAG: "000000000000"}},
            {"tags": {RECIPE_TAG: "another"}},
            {"tags": {ENVIRONMENT_TAG: "another"}},
        ],
    )
    def test_is_none_of_others(self, chosen, world, registries, version, changes):
        """An image of another account, environment, version or recipe is none, nor one that is not available."""
        world.images[REGION].append(built(version, **changes))

        assert custom(chosen, world, registries)[0].image_ids[REGION] == NOT_BUILT


class TestBuilt:
    def test_in_every_region(self, chosen, world, registries, version):
        """Each region has an id of its own, which is asked for in that region."""
        world.images[REGION].append(built(version))
        world.images["us-west-2"] = [built(version, "ami-0bbbbbbbbbbbbbbbb")]

        image, notes = custom(chosen, world, registries)

        assert image.image_ids == {REGION: "ami-0aaaaaaaaaaaaaaaa", "us-west-2": "ami-0bbbbbbbbbbbbbbbb"}
        assert (image.owner, notes) == (ACCOUNT, [])

    def test_copy_is_on_its_way(self, chosen, world, registries, version):
        """A region that has no copy yet is named, and holds up nothing at home."""
        world.images[REGION].append(built(version))
        answer = resolve(chosen, aws=world.aws, registry=registries)

        assert answer.lock.awaiting_build == ()
        assert answer.notes[-1] == (
            f"image neuron {version} of trn1 has no copy in us-west-2: run cdk deploy llama3-8b-images "
            "-c environment=FILE, and if that builds nothing, since the stack stands already, the command in its "
            "output RebuildCommandNeuron; once it is built, trnstack lock FILE"
        )

    def test_newest(self, chosen, world, registries, version):
        """Where nothing is pinned the newest of several builds of one version is taken."""
        world.images[REGION] += [
            built(version, "ami-0cccccccccccccccc", "2026-11-30T12:00:00.000Z"),
            built(version, "ami-0ffffffffffffffff", "2026-11-30T11:00:00.000Z"),
        ]

        assert custom(chosen, world, registries)[0].image_ids[REGION] == "ami-0cccccccccccccccc"

    def test_again(self, chosen, world, registries, version):
        """A lock that knows its image asks whether it still exists, and says so when it does not."""
        world.images[REGION].append(built(version))
        lock = resolve(chosen, aws=world.aws, registry=registries).lock
        assert resolve(lock, aws=world.aws, registry=registries).lock == lock

        world.images[REGION].pop()
        assert resolve(lock, aws=world.aws, registry=registries).lock.awaiting_build == ("trn1",)


class TestPinned:
    """What is pinned stays: a build that somebody started moves no lock."""

    OLD, NEW, OTHER = "ami-0aaaaaaaaaaaaaaaa", "ami-0cccccccccccccccc", "ami-0dddddddddddddddd"
    LATER = "2026-11-30T12:00:00.000Z"

    @pytest.fixture
    def lock(self, chosen, world, registries, version):
        """A lock that pins the one build that there is, in both regions."""
        world.images[REGION].append(built(version, self.OLD))
        world.images["us-west-2"] = [built(version, self.OTHER)]
        return resolve(chosen, aws=world.aws, registry=registries).lock

    def test_stays(self, lock, world, registries, version):
        """A newer build of the same version moves nothing; that there is one is said, with how to take it."""
        world.images[REGION].append(built(version, self.NEW, self.LATER))
        again = for_environment(CUSTOM, keep=lock, aws=world.aws, registry=registries)

        assert again.lock == lock
        (note,) = again.notes
        assert note == (
            f"image neuron {version} of trn1 has a newer build, {self.NEW} in us-east-2: take it by trnstack lock "
            "--upgrade FILE"
        )

    def test_by_region(self, lock, world, registries, version):
        """Each region keeps its own, and one that has none yet takes the newest there."""
        world.images[REGION].append(built(version, self.NEW, self.LATER))
        more = dataclasses.replace(CUSTOM, image_regions=("eu-north-1", "us-west-2"))
        world.images["eu-north-1"] = [built(version, "ami-0eeeeeeeeeeeeeeee", self.LATER)]
        again = for_environment(more, keep=lock, aws=world.aws, registry=registries).lock

        assert again.images["trn1"].custom.image_ids == {
            REGION: self.OLD,
            "eu-north-1": "ami-0eeeeeeeeeeeeeeee",
            "us-west-2": self.OTHER,
        }

    @pytest.mark.parametrize("name", ["another", "trn2"])
    def test_new_node_group(self, lock, world, registries, version, name):
        """A node group that is new starts from what the others of its recipe start from, wherever its name sorts."""
        world.images[REGION].append(built(version, self.NEW, self.LATER))
        images = dict(sorted({**CUSTOM.images, name: CUSTOM.images["trn1"]}.items()))
        more = dataclasses.replace(CUSTOM, images=images)
        again = for_environment(more, keep=lock, aws=world.aws, registry=registries)

        assert again.lock.images[name].custom == again.lock.images["trn1"].custom == lock.images["trn1"].custom
        assert len(again.notes) == 1

    def test_other_environment(self, lock, world, registries, version):
        """What another environment of the account builds is neither taken nor told."""
        world.images[REGION].append(built(version, self.NEW, self.LATER, tags={ENVIRONMENT_TAG: "other"}))
        again = for_environment(CUSTOM, keep=lock, aws=world.aws, registry=registries)

        assert (again.lock, again.notes) == (lock, ())

    def test_gone(self, lock, world, registries, version):
        """Where the pinned one was deregistered another build of the version is taken, and both are named."""
        world.images[REGION] = [
            *(image for image in world.images[REGION] if image["ImageId"] != self.OLD),
            built(version, self.NEW, self.LATER),
        ]
        again = for_environment(CUSTOM, keep=lock, aws=world.aws, registry=registries)

        assert again.lock.images["trn1"].custom.image_ids == {REGION: self.NEW, "us-west-2": self.OTHER}
        assert again.notes == (
            f"{self.OLD}, image neuron {version} of trn1, is gone from us-east-2: the lock takes {self.NEW} instead",
        )

    def test_gone_and_no_other(self, lock, world, registries, version):
        """Where there is no other build either, how to have one is the one thing that is said."""
        world.images[REGION] = [image for image in world.images[REGION] if image["ImageId"] != self.OLD]
        again = for_environment(CUSTOM, keep=lock, aws=world.aws, registry=registries)

        assert again.lock.awaiting_build == ("trn1",)
        (note,) = again.notes
        assert note.startswith(f"image neuron {version} of trn1 has no AMI in us-east-2: run ")

    def test_another_version(self, lock, world, registries):
        """A pinned one whose content is not today's is not kept, and nobody calls it gone."""
        pin = lock.images["trn1"]
        older = dataclasses.replace(pin.custom, version="000000000000", image_ids={REGION: "ami-1", "us-west-2": "x"})
        old = dataclasses.replace(lock, images={**lock.images, "trn1": dataclasses.replace(pin, custom=older)})
        again = for_environment(CUSTOM, keep=old, aws=world.aws, registry=registries)

        assert (again.lock.images["trn1"].custom, again.notes) == (pin.custom, ())

    def test_forgotten(self, lock, world, registries, version):
        """Once it is forgotten, as an upgrade does, the newest is taken, and nothing else moves."""
        world.images[REGION].append(built(version, self.NEW, self.LATER))
        again = resolve(forgotten_builds(lock), aws=world.aws, registry=registries)

        moved = {**lock.images["trn1"].custom.image_ids, REGION: self.NEW}
        assert again.lock.images["trn1"].custom == dataclasses.replace(lock.images["trn1"].custom, image_ids=moved)
        assert dataclasses.replace(again.lock, images=lock.images) == lock
        assert again.notes == ()


class TestFailures:
    def test_region_of_a_copy(self, chosen, world, registries):
        """A region that denies the question fails the lock, and is named."""
        make = world.client

        def client(service, region):
            if region == "us-west-2":
                return World(refusals={"ec2:DescribeImages": "OptInRequired"}).client(service, region)
            return make(service, region)

        with pytest.raises(ResolveError) as error:
            resolve(chosen, aws=Aws(client, region=REGION), registry=registries)

        (failure,) = error.value.failures
        assert failure.message == "us-west-2 is not enabled in the account (asked for image neuron in us-west-2)"

    def test_without_the_digest(self, chosen, world, registries):
        """Where the container's digest is missing, that alone is told: there is no version to look for."""
        image = chosen.neuron.container.image
        registries.refused[image] = RegistryError("no answer", "wait")

        with pytest.raises(ResolveError) as error:
            resolve(chosen, aws=world.aws, registry=registries)

        assert [failure.message for failure in error.value.failures] == ["no answer"]


class TestEc2:
    def test_by_tag_and_owner(self):
        """EC2's own filters find the account's images with all three tags, and no other's."""
        with mock_aws():
            client = boto3.client("ec2", region_name=REGION)
            tags = {ENVIRONMENT_TAG: "demo", RECIPE_TAG: "neuron", RECIPE_VERSION_TAG: "0123456789ab"}
            made = [_registered(client, name, tags) for name in ("first", "second")]
            _registered(client, "third", {**tags, RECIPE_VERSION_TAG: "ffffffffffff"})
            _registered(client, "fourth", {**tags, ENVIRONMENT_TAG: "other"})

            aws = Aws(lambda service, region: boto3.client(service, region_name=region), region=REGION)
            found = _builds(aws, "demo", "neuron", "0123456789ab", REGION)

            assert sorted(image.image_id for image in found) == sorted(made)
            assert {image.owner for image in found} == {"123456789012"}
            assert _builds(aws, "demo", "neuron", "0123456789ab", "us-west-2") == ()


def _registered(client, name, tags):
    image_id = client.register_image(Name=name, RootDeviceName="/dev/xvda")["ImageId"]
    client.create_tags(Resources=[image_id], Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    return image_id
