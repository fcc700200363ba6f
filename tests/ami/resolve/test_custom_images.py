"""Custom images: found by their tags, in every region they go to, once the version is known."""

import dataclasses

import boto3
import pytest
from moto import mock_aws

from ami import offline
from ami.custom import image_version, recipe_values
from ami.pins import NOT_BUILT, RECIPE_TAG, RECIPE_VERSION_TAG, UNRESOLVED
from ami.recipes import InvalidValueError
from ami.registry import RegistryError
from ami.resolve import Aws, ResolveError, resolve
from ami.resolve.custom_images import _newest

from .conftest import ACCOUNT, CUSTOM, REGION, Registries, World, digest_of, publish


@pytest.fixture
def chosen():
    return offline.lock(CUSTOM, account_follows=True)


@pytest.fixture
def registries():
    return Registries()


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
    tags = {RECIPE_TAG: "neuron", RECIPE_VERSION_TAG: version, **changes.pop("tags", {})}
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
            f"image neuron {version} of trn1 is not built yet in us-east-2: run cdk deploy llama3-8b-images "
            "-c environment=FILE, then trnstack lock FILE"
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
        ],
    )
    def test_is_none_of_others(self, chosen, world, registries, version, changes):
        """An image of another account, version or recipe is none of it, nor is one that is not available."""
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
            f"image neuron {version} of trn1 is not in us-west-2 yet, where llama3-8b-images copies it"
        )

    def test_newest(self, chosen, world, registries, version):
        """Of several builds of one version the newest counts: it was built anew on purpose."""
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
        """EC2's own filters find the newest of the account's images with both tags, and no other's."""
        with mock_aws():
            client = boto3.client("ec2", region_name=REGION)
            tags = {RECIPE_TAG: "neuron", RECIPE_VERSION_TAG: "0123456789ab"}
            made = [_registered(client, name, tags) for name in ("first", "second")]
            _registered(client, "third", {**tags, RECIPE_VERSION_TAG: "ffffffffffff"})

            aws = Aws(lambda service, region: boto3.client(service, region_name=region), region=REGION)
            found = _newest(aws, "neuron", "0123456789ab", REGION)

            assert found.image_id in made
            assert found.owner == "123456789012"
            assert _newest(aws, "neuron", "0123456789ab", "us-west-2") is None


def _registered(client, name, tags):
    image_id = client.register_image(Name=name, RootDeviceName="/dev/xvda")["ImageId"]
    client.create_tags(Resources=[image_id], Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    return image_id
