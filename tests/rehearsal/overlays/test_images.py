"""The AMIs that EKS publishes, as EC2 shows them."""

import datetime as dt

import pytest
from botocore.exceptions import ClientError

from rehearsal.pins import publish
from rehearsal.pins.records import image_id_of

NAME = "amazon-eks-node-al2023-x86_64-neuron-1.35-v20260625"


@pytest.fixture
def ec2(client):
    return client("ec2")


def named(ec2, name, **more: object) -> list[dict]:
    return ec2.describe_images(Filters=[{"Name": "name", "Values": [name]}], **more)["Images"]


class TestNodeImages:
    def test_what_it_is(self, ec2):
        """A public x86_64 AMI of EKS's account, made on its release's day and deprecated two years later."""
        (image,) = named(ec2, NAME)

        assert (image["OwnerId"], image["ImageOwnerAlias"], image["Public"]) == ("602401143452", "amazon", True)
        assert (image["Architecture"], image["RootDeviceName"], image["State"]) == ("x86_64", "/dev/xvda", "available")
        created, deprecated = (dt.datetime.fromisoformat(image[name]) for name in ("CreationDate", "DeprecationTime"))
        assert created == dt.datetime(2026, 6, 25, tzinfo=dt.UTC)
        assert deprecated == dt.datetime(2028, 6, 25, tzinfo=dt.UTC)

    def test_by_id(self, ec2):
        """It is found by its id."""
        (image,) = ec2.describe_images(ImageIds=[image_id_of("us-east-2", NAME)])["Images"]

        assert image["Name"] == NAME

    @pytest.mark.parametrize(("owner", "there"), [("602401143452", 1), ("amazon", 1), ("self", 0), ("111122223333", 0)])
    def test_by_owner(self, ec2, owner, there):
        """It is EKS's and Amazon's, and nobody else's."""
        assert len(named(ec2, NAME, Owners=[owner])) == there

    def test_another_region(self, services, client):
        """A region opened later has it from another account, under another id."""
        client("ec2")
        (image,) = named(services.transport.client("ec2", "123456789012", "ap-south-2"), NAME)

        assert image["OwnerId"] == "900889452093"
        assert image["ImageId"] != image_id_of("us-east-2", NAME)

    def test_no_release(self, ec2):
        """A day without a release has no AMI."""
        assert named(ec2, NAME.replace("20260625", "20260626")) == []
        with pytest.raises(ClientError, match=r"InvalidAMIID\.NotFound"):
            ec2.describe_images(ImageIds=[image_id_of("us-east-2", "no release")])

    def test_snapshots_are_not_shown(self, ec2):
        """The snapshots behind them are nobody's to see."""
        named(ec2, NAME)

        assert ec2.describe_snapshots()["Snapshots"] == []

    def test_attribute_and_copy(self, services, ec2):
        """They can be asked for their attributes, and be copied from another region, before anybody looked for them."""
        public = ec2.describe_image_attribute(ImageId=image_id_of("us-east-2", NAME), Attribute="launchPermission")
        assert public["LaunchPermissions"] == [{"Group": "all"}]

        west = services.transport.client("ec2", "123456789012", "us-west-2")
        copied = west.copy_image(SourceImageId=image_id_of("us-east-2", NAME), SourceRegion="us-east-2", Name="mine")[
            "ImageId"
        ]
        assert named(west, "mine")[0]["ImageId"] == copied


def test_node_groups_start_from_them(client, node_group):
    """The nodes of a managed node group run the published AMI of their release."""
    del node_group
    (reservation, *_) = client("ec2").describe_instances()["Reservations"]

    name = "amazon-eks-node-al2023-x86_64-neuron-1.34-v20260714"
    assert reservation["Instances"][0]["ImageId"] == image_id_of("us-east-2", name)


class TestCustomImages:
    @pytest.mark.parametrize(("account", "tags"), [("444455556666", 3), ("123456789012", 0)])
    def test_of_a_lock(self, services, client, lock, account, tags):
        """A lock's custom AMI stands in its region: its owner sees its tags, whoever else uses the lock starts it."""
        client("ec2")
        publish(lock(custom_ids={"us-east-2": "ami-0c0c0c0c0c0c0c0c0"}))
        ec2 = services.transport.client("ec2", account, "us-east-2")
        (image,) = ec2.describe_images(ImageIds=["ami-0c0c0c0c0c0c0c0c0"])["Images"]

        assert (image["OwnerId"], image["Public"], len(image["Tags"])) == ("444455556666", False, tags)
        west = services.transport.client("ec2", account, "us-west-2")
        with pytest.raises(ClientError, match=r"InvalidAMIID\.NotFound"):
            west.describe_images(ImageIds=["ami-0c0c0c0c0c0c0c0c0"])
