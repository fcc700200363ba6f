import pytest

from ami.recipes import recipe
from trnstack.findings import Severity
from trnstack.rules.images import (
    custom_images_have_a_recipe,
    image_keys_are_of_their_region,
    image_settings_have_an_image,
    images_are_built_on_trainium,
    images_are_built_where_the_type_is_offered,
    images_are_built_with_a_way_out,
    images_are_copied_elsewhere,
    images_are_shared_with_others,
    shared_copies_have_a_key,
    the_root_volume_holds_the_custom_image,
)

CUSTOM = {"image": {"type": "custom", "recipe": "neuron"}}
KEY = "arn:aws:kms:us-west-2:111122223333:key/0123abcd"
VPC = {
    "vpc_id": "vpc-0123456789abcdef0",
    "cidr": "10.9.0.0/16",
    "subnets": [
        {
            "subnet_id": "subnet-0123456789abcdef0",
            "route_table_id": "rtb-0123456789abcdef0",
            "availability_zone_id": "use2-az3",
            "cidr": "10.9.0.0/24",
            "public": False,
        }
    ],
}
MIRROR = "111122223333.dkr.ecr.us-east-2.amazonaws.com/mirror"


class TestCustomImagesHaveARecipe:
    def test_unknown(self, environment):
        """A recipe that is nearly one of ours is answered with it, any other with all that there are."""
        for name, hint in (("neurons", "did you mean 'neuron'?"), ("nvidia", "use one of neuron")):
            group = {"image": {"type": "custom", "recipe": name}}
            (finding,) = custom_images_have_a_recipe(environment(node_group=group))

            assert finding.path == ("node_groups", 0, "image", "recipe")
            assert (finding.message, finding.hint) == (f"unknown recipe '{name}'", hint)

    def test_known(self, environment):
        """Our own recipe is one, and EKS's image needs none."""
        assert not list(custom_images_have_a_recipe(environment(node_group=CUSTOM)))
        assert not list(custom_images_have_a_recipe(environment()))


class TestImagesAreBuiltOnTrainium:
    @pytest.mark.parametrize("name", ["m7i.large", "inf2.xlarge", "p5.48xlarge"])
    def test_no_neuron_driver_to_test(self, environment, name):
        """A type without a device that trains can't test the driver."""
        (finding,) = images_are_built_on_trainium(environment(images={"build_instance_type": name}))

        assert finding.path == ("images", "build_instance_type")
        assert name in finding.message

    def test_misspelt(self, environment):
        """A misspelt Trainium type is answered with the one that was meant."""
        (finding,) = images_are_built_on_trainium(environment(images={"build_instance_type": "trn1.2xlrge"}))

        assert finding.hint == "did you mean 'trn1.2xlarge'?"

    @pytest.mark.parametrize("images", [{}, {"build_instance_type": "trn1.2xlarge"}])
    def test_trainium(self, environment, images):
        """A Trainium type will do, and so will none, where one is chosen."""
        assert not list(images_are_built_on_trainium(environment(images=images)))

    def test_type_of_a_node_group(self, environment):
        """What a node group has may build its image, even a type that the catalog lacks."""
        name = "trn3.48xlarge"
        made = environment(node_group={"instance_type": name}, images={"build_instance_type": name})

        assert not list(images_are_built_on_trainium(made))


class TestImagesAreBuiltWhereTheTypeIsOffered:
    @pytest.mark.parametrize(
        ("name", "elsewhere"), [("trn2.3xlarge", ""), ("trn1.2xlarge", "; in us-east-2 it is in use2-az3")]
    )
    def test_not_offered(self, environment, name, elsewhere):
        """The zone of the nodes must offer the type, since the image is built beside them."""
        group = {**CUSTOM, "instance_type": "trn2.48xlarge", "availability_zone_id": "use2-az1"}
        made = environment(node_group=group, images={"build_instance_type": name})
        (finding,) = images_are_built_where_the_type_is_offered(made)

        assert finding.message == f"{name} is not offered in use2-az1, where custom images are built{elsewhere}"

    @pytest.mark.parametrize("images", [{}, {"build_instance_type": "trn1.2xlarge"}])
    def test_offered(self, environment, images):
        """The first zone offers trn1.2xlarge; and where nothing is asked, something that is offered is chosen."""
        assert not list(images_are_built_where_the_type_is_offered(environment(node_group=CUSTOM, images=images)))

    def test_one_zone_is_enough(self, environment):
        """Of several groups with the same image one zone that offers the type is enough."""
        groups = [
            {**CUSTOM, "name": "large", "instance_type": "trn2.48xlarge", "availability_zone_id": "use2-az1"},
            {**CUSTOM, "name": "small"},
        ]
        made = environment(node_groups=groups, images={"build_instance_type": "trn1.2xlarge"})

        assert not list(images_are_built_where_the_type_is_offered(made))

    def test_nothing_is_built(self, environment):
        """Without a custom image nothing is built anywhere."""
        made = environment(images={"build_instance_type": "trn2.3xlarge"})

        assert not list(images_are_built_where_the_type_is_offered(made))


class TestImagesAreBuiltWithAWayOut:
    def test_private(self, environment):
        """Without a NAT gateway packages can't be fetched."""
        made = environment(node_group=CUSTOM, network={"nat_gateways": 0, "image_mirror": MIRROR})
        (finding,) = images_are_built_with_a_way_out(made)

        assert finding.path == ("node_groups", 0, "image")
        assert finding.hint.startswith("write nat_gateways: 1, or image: {type: eks_optimized}")

    def test_private_vpc_that_stands(self, environment):
        """Of a VPC that stands, a mirror says that nothing leads out; it is no matter of nat_gateways."""
        made = environment(node_group=CUSTOM, network={"existing_vpc": VPC, "image_mirror": MIRROR})
        (finding,) = images_are_built_with_a_way_out(made)

        assert finding.hint.startswith("remove network.image_mirror, if the VPC has a way out, or")

    @pytest.mark.parametrize(
        ("group", "network"),
        [
            (CUSTOM, {}),
            (CUSTOM, {"existing_vpc": VPC}),
            (CUSTOM, {"image_mirror": MIRROR}),
            ({}, {"nat_gateways": 0, "image_mirror": MIRROR}),
        ],
    )
    def test_way_out(self, environment, group, network):
        """With a NAT gateway, or a VPC's own way out, packages can be had; EKS's image needs none."""
        assert not list(images_are_built_with_a_way_out(environment(node_group=group, network=network)))


class TestTheRootVolumeHoldsTheCustomImage:
    def test_too_small(self, environment):
        """EC2 starts nothing on a volume smaller than the image's."""
        least = recipe("neuron").volume_gib
        made = environment(node_group={**CUSTOM, "root_volume_gib": least - 1})
        (finding,) = the_root_volume_holds_the_custom_image(made)

        assert finding.path == ("node_groups", 0, "root_volume_gib")
        assert finding.hint == f"write root_volume_gib: {least} or more"

    def test_large_enough(self, environment):
        """The image's own size will do, and so will the default; EKS's image is smaller than any volume here."""
        least = recipe("neuron").volume_gib

        for group in ({**CUSTOM, "root_volume_gib": least}, CUSTOM, {"root_volume_gib": 20}):
            assert not list(the_root_volume_holds_the_custom_image(environment(node_group=group)))

    def test_unknown_recipe(self, environment):
        """Of a recipe that there is not nobody knows the size; that it is unknown another rule says."""
        group = {"image": {"type": "custom", "recipe": "nvidia"}, "root_volume_gib": 20}

        assert not list(the_root_volume_holds_the_custom_image(environment(node_group=group)))


class TestImagesAreCopiedElsewhere:
    def test_own_region(self, environment):
        """The environment's own region has the image anyway."""
        made = environment(images={"copy_to_regions": [{"region": "us-east-2"}]})
        (finding,) = images_are_copied_elsewhere(made)

        assert finding.path == ("images", "copy_to_regions", 0, "region")
        assert finding.message == "us-east-2 is the environment's own region"

    def test_twice(self, environment):
        """Image Builder takes a region once."""
        made = environment(images={"copy_to_regions": [{"region": "us-west-2"}, {"region": "us-west-2"}]})
        (finding,) = images_are_copied_elsewhere(made)

        assert finding.path == ("images", "copy_to_regions", 1, "region")
        assert finding.message == "region us-west-2 is listed twice"

    def test_others(self, environment):
        """Other regions are what copies are for."""
        copies = [{"region": "us-west-2"}, {"region": "us-east-1"}]
        assert not list(images_are_copied_elsewhere(environment(images={"copy_to_regions": copies})))


class TestImagesAreSharedWithOthers:
    def test_own_account(self, environment):
        """The environment's own account has the image anyway."""
        made = environment(account="111122223333", images={"share_with_accounts": ["111122223333"]})
        (finding,) = images_are_shared_with_others(made)

        assert finding.path == ("images", "share_with_accounts", 0)
        assert finding.message == "111122223333 is the environment's own account"

    def test_twice(self, environment):
        """An account is let use an image once."""
        made = environment(images={"share_with_accounts": ["444455556666", "444455556666"]})
        (finding,) = images_are_shared_with_others(made)

        assert finding.message == "account 444455556666 is listed twice"

    @pytest.mark.parametrize("account", [None, "111122223333"])
    def test_others(self, environment, account):
        """Other accounts are whom images are shared with."""
        made = environment(account=account, images={"share_with_accounts": ["444455556666", "777788889999"]})
        assert not list(images_are_shared_with_others(made))


class TestImageKeysAreOfTheirRegion:
    def test_elsewhere(self, environment):
        """A key encrypts nothing outside its region."""
        made = environment(images={"copy_to_regions": [{"region": "us-east-1", "kms_key_arn": KEY}]})
        (finding,) = image_keys_are_of_their_region(made)

        assert finding.path == ("images", "copy_to_regions", 0, "kms_key_arn")
        assert finding.message == f"'{KEY}' is in us-west-2, the copy in us-east-1"

    @pytest.mark.parametrize("key", [None, KEY])
    def test_there(self, environment, key):
        """A key of the copy's region encrypts it, or that region's default one."""
        made = environment(images={"copy_to_regions": [{"region": "us-west-2", "kms_key_arn": key}]})
        assert not list(image_keys_are_of_their_region(made))


class TestSharedCopiesHaveAKey:
    ACCOUNTS = ("444455556666",)

    def test_no_key(self, environment):
        """Nobody else can use what a region's default key encrypts."""
        copies = [{"region": "us-west-2", "kms_key_arn": KEY}, {"region": "us-east-1"}]
        made = environment(images={"copy_to_regions": copies, "share_with_accounts": self.ACCOUNTS})
        (finding,) = shared_copies_have_a_key(made)

        assert finding.path == ("images", "copy_to_regions", 1)
        assert "us-east-1" in finding.message

    @pytest.mark.parametrize(
        "images",
        [
            {"copy_to_regions": [{"region": "us-east-1"}]},
            {"copy_to_regions": [{"region": "us-west-2", "kms_key_arn": KEY}], "share_with_accounts": ACCOUNTS},
            {"share_with_accounts": ACCOUNTS},
        ],
    )
    def test_key(self, environment, images):
        """With a key, without others, or without copies all is well."""
        assert not list(shared_copies_have_a_key(environment(images=images)))


class TestImageSettingsHaveAnImage:
    def test_idle(self, environment):
        """Settings that change nothing are told, and stop nothing."""
        (finding,) = image_settings_have_an_image(environment(images={"share_with_accounts": ["444455556666"]}))

        assert finding.severity is Severity.NOTE
        assert finding.path == ("images",)

    @pytest.mark.parametrize(
        "sections", [{}, {"node_group": CUSTOM}, {"node_group": CUSTOM, "images": {"build_instance_type": None}}]
    )
    def test_used(self, environment, sections):
        """Settings beside a custom image are used; a custom image needs none."""
        assert not list(image_settings_have_an_image(environment(**sections)))
