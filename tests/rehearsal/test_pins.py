"""What is published: the tables' content, and what locks name beside it."""

import pytest

from ami.lock import LockError, write
from ami.pins import NOT_BUILT, UNRESOLVED
from ami.tables import add_on_versions, ami_releases, charts, sdk_releases
from rehearsal.pins import publish, publish_file, published, withdraw
from rehearsal.pins.records import image_id_of, publisher

AMI = "ami-0123456789abcdef0"
NEWEST = "amazon-eks-node-al2023-x86_64-neuron-1.34-v20261130"


@pytest.fixture(autouse=True)
def _tables_alone():
    """Lets each test begin and end with what the tables list."""
    withdraw()
    yield
    withdraw()


def newest(variant, minor):
    return next(one for one in published().recommended() if (one.variant, one.minor) == (variant, minor))


class TestTables:
    def test_every_release_is_published(self):
        """Each release has a standard and a Neuron AMI for each of its Kubernetes minors."""
        found = {(one.release, one.minor, one.variant, one.release_version) for one in published().node_images}

        assert found == {
            (release.release, minor, variant, version)
            for release in ami_releases().values()
            for minor, version in release.release_versions.items()
            for variant in ("neuron", "standard")
        }

    def test_recommended_is_the_newest(self):
        """Of each minor and variant the newest release is recommended."""
        assert newest("neuron", "1.35").release == max(
            release.release for release in ami_releases().values() if "1.35" in release.release_versions
        )

    def test_ids_follow_from_region_and_name(self):
        """An AMI has one id in a region, and another one elsewhere."""
        image = newest("neuron", "1.35")

        assert image.image_id("us-east-2") == image_id_of("us-east-2", image.name)
        assert image.image_id("us-east-2") != image.image_id("us-west-2")
        assert len(image.image_id("us-east-2")) == len("ami-") + 17

    def test_add_ons(self):
        """Each add-on has the table's version for each minor."""
        assert published().add_ons["vpc-cni"]["1.35"] == [add_on_versions()["vpc-cni"]["1.35"].version]

    def test_artefacts(self):
        """Containers, charts and the charts' images are published, the regional ones in each region's registry."""
        known = published().artefacts
        container = sdk_releases()["2.30.0"].training_containers["pytorch"]
        repository, _, tag = container.removeprefix("public.ecr.aws/").partition(":")

        assert known["public.ecr.aws", repository, tag].digest is None
        kueue = known["registry.k8s.io", "kueue/charts/kueue", charts()["kueue"].version]
        assert (kueue.chart, kueue.digest) == (True, charts()["kueue"].digest)
        regional = {host for host, name, _ in known if name == "eks/aws-efa-k8s-device-plugin"}
        assert {"602401143452.dkr.ecr.us-east-2.amazonaws.com", "900889452093.dkr.ecr.ap-south-2.amazonaws.com"} <= (
            regional
        )
        (archive,) = published().charts
        assert (archive.host, archive.path, archive.name) == (
            "aws.github.io",
            "/eks-charts",
            "aws-efa-k8s-device-plugin",
        )

    def test_publisher(self):
        """EKS publishes from one account in most regions, and from others where a region was opened later."""
        assert (publisher("us-east-2"), publisher("ap-south-2")) == ("602401143452", "900889452093")


class TestLock:
    def test_newer_release(self, lock):
        """A lock's release is published in every region, with the lock's id in the lock's own."""
        publish(lock())
        image = newest("neuron", "1.34")

        assert (image.name, image.release_version) == (NEWEST, "1.34.12-20261130")
        assert image.image_id("us-east-2") == AMI
        assert image.image_id("us-west-2") == image_id_of("us-west-2", NEWEST)

    def test_unresolved_values(self, lock):
        """What a lock does not know is made up as for the tables."""
        publish(lock(image_id=UNRESOLVED, digest=UNRESOLVED))

        assert newest("neuron", "1.34").image_id("us-east-2") == image_id_of("us-east-2", NEWEST)
        assert published().artefacts["registry.k8s.io", "kueue/kueue", "v9.9.9"].digest is None

    def test_no_digest_hides_one(self, lock):
        """A lock without digests leaves those that another one names."""
        publish(lock())
        publish(lock(digest=UNRESOLVED))

        assert published().artefacts["registry.k8s.io", "kueue/kueue", "v9.9.9"].digest == f"sha256:{'5' * 64}"
        assert {chart.version: chart.digest for chart in published().charts}["v9.9.9"] == f"sha256:{'5' * 64}"

    def test_add_on_becomes_the_default(self, lock):
        """A lock's version comes before the table's, for the lock's minor alone."""
        publish(lock())

        assert published().add_ons["vpc-cni"]["1.34"] == ["v9.9.9-eksbuild.1", "v1.22.4-eksbuild.3"]
        assert published().add_ons["vpc-cni"]["1.35"] == ["v1.22.4-eksbuild.3"]

    def test_custom_images(self, lock):
        """A lock's custom AMIs are known where they are built, and nowhere else."""
        publish(lock(custom_ids={"us-east-2": "ami-0c", "us-west-2": NOT_BUILT}))

        found = [(one.image_id, one.region, one.environment, one.recipe) for one in published().custom_images]
        assert found == [("ami-0c", "us-east-2", "demo", "neuron")]

    def test_withdrawn(self, lock):
        """What locks published can be taken back."""
        before = published()
        publish(lock())
        withdraw()

        assert published() == before

    def test_reset_withdraws(self, services, lock):
        """An emptied rehearsal knows no lock."""
        publish(lock())
        services.reset()

        assert newest("neuron", "1.34").name != NEWEST

    def test_file(self, lock, tmp_path):
        """A lock file is published by its name; what is no lock is refused."""
        write(lock(), tmp_path / "demo.lock.json")
        publish_file(tmp_path / "demo.lock.json")

        assert newest("neuron", "1.34").name == NEWEST
        with pytest.raises(LockError):
            publish_file(tmp_path / "other.lock.json")
