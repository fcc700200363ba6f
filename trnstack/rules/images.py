"""What must hold of custom images: their recipe, what builds them and where, and who gets them."""

from collections.abc import Iterator

from trnstack.catalog import INSTANCE_TYPES
from trnstack.findings import Finding, Path, Severity, did_you_mean
from trnstack.plan.building import groups_by_recipe, zones_with
from trnstack.plan.vpc import is_fully_private
from trnstack.rules import fleet
from trnstack.rules.shape import repeated
from trnstack.spec import Environment
from trnstack.spec.node_groups import CustomImage, NodeGroup

_BUILD_TYPE: Path = ("images", "build_instance_type")
_ACCOUNTS, _COPIES = "share_with_accounts", "copy_to_regions"


def _custom(environment: Environment) -> Iterator[tuple[int, NodeGroup, str]]:
    """Yields position, node group and the recipe's name of every group with a custom image."""
    for index, group in enumerate(environment.node_groups):
        if isinstance(group.image, CustomImage):
            yield index, group, group.image.recipe


def _least_volume_gib(name: str) -> int | None:
    """Returns the size of the image of a recipe; None of one that there is not."""
    from ami.recipes import UnknownRecipeError, recipe  # noqa: PLC0415 - reads files that only a custom image needs

    try:
        return recipe(name).volume_gib
    except UnknownRecipeError:
        return None


def _names() -> tuple[str, ...]:
    from ami.recipes import names  # noqa: PLC0415 - as above

    return names()


def custom_images_have_a_recipe(environment: Environment) -> Iterator[Finding]:
    """IMG020: The recipe of a custom image is one that trnstack has.

    Source: ami/recipes, a folder for each recipe.
    """
    for index, _, name in _custom(environment):
        if name not in _names():
            yield Finding(
                code="IMG020",
                path=("node_groups", index, "image", "recipe"),
                message=f"unknown recipe '{name}'",
                hint=did_you_mean(name, _names()) or f"use one of {', '.join(_names())}",
            )


def images_are_built_on_trainium(environment: Environment) -> Iterator[Finding]:
    """IMG021: What builds custom images is a Trainium type: their driver is tested on a Neuron device.

    Source: EC2 API reference, DescribeInstanceTypes, ``NeuronInfo``; Image Builder user guide, "How tests run": on an
    instance of the infrastructure configuration's type.
    """
    name = environment.images.build_instance_type
    own = {group.instance_type for group in environment.node_groups}
    if name and name not in INSTANCE_TYPES and name not in own:
        yield Finding(
            code="IMG021",
            path=_BUILD_TYPE,
            message=f"'{name}' is no Trainium type, and the driver of an image is tested on a Neuron device",
            hint=did_you_mean(name, INSTANCE_TYPES)
            or "remove build_instance_type: the smallest that will do is chosen",
        )


def images_are_built_where_the_type_is_offered(environment: Environment) -> Iterator[Finding]:
    """IMG022: What builds a custom image is offered in a zone of the node groups that start from it.

    It is built in the subnet of their nodes, beside the NAT gateway's route.

    Source: EC2 API reference, DescribeInstanceTypeOfferings, as in the catalog.
    """
    name = environment.images.build_instance_type
    row = INSTANCE_TYPES.get(name or "")
    if row is None or name is None:
        return
    for groups in groups_by_recipe(environment).values():
        zone_ids = dict.fromkeys(fleet.zone_of(environment, group) for group in groups)
        offers = zones_with(name, environment.region)
        if not set(zone_ids) & set(offers):
            elsewhere = f"; in {environment.region} it is in {', '.join(offers)}" if offers else ""
            yield Finding(
                code="IMG022",
                path=_BUILD_TYPE,
                message=f"{name} is not offered in {', '.join(zone_ids)}, where custom images are built{elsewhere}",
                hint="remove build_instance_type: the smallest type that the zone offers is chosen",
            )


def images_are_built_with_a_way_out(environment: Environment) -> Iterator[Finding]:
    """IMG023: An environment with a custom image has a way out, by which the build fetches packages.

    The Neuron driver, the EFA installer and the containers come from public places, which no endpoint serves.

    Source: AWS Neuron documentation, setup of AL2023 (yum.repos.neuron.amazonaws.com); EC2 user guide, "Get started
    with EFA" (efa-installer.amazonaws.com).
    """
    if not is_fully_private(environment):
        return
    standing = environment.network.existing_vpc is not None
    way = "remove network.image_mirror, if the VPC has a way out" if standing else "write nat_gateways: 1"
    for index, _, _ in _custom(environment):
        yield Finding(
            code="IMG023",
            path=("node_groups", index, "image"),
            message="nothing leads out, and the build of a custom image fetches driver, installer and containers",
            hint=f"{way}, or image: {{type: eks_optimized}} with an SDK whose driver an EKS AMI release has",
        )


def the_root_volume_holds_the_custom_image(environment: Environment) -> Iterator[Finding]:
    """IMG024: A node's root volume is as large as its custom image's, or larger.

    Source: EC2 API reference, EbsBlockDevice, ``VolumeSize``: at least the snapshot's size.
    """
    for index, group, name in _custom(environment):
        least = _least_volume_gib(name)
        if least and group.root_volume_gib < least:
            yield Finding(
                code="IMG024",
                path=("node_groups", index, "root_volume_gib"),
                message=f"{group.root_volume_gib} GiB are less than the {least} GiB of the image of recipe '{name}'",
                hint=f"write root_volume_gib: {least} or more",
            )


def images_are_copied_elsewhere(environment: Environment) -> Iterator[Finding]:
    """IMG025: Copies go to regions other than the environment's own, to each one once.

    Source: Image Builder API reference, CreateDistributionConfiguration: a region's settings are given once.
    """
    regions = [copy.region for copy in environment.images.copy_to_regions]
    twice = dict(repeated(regions))
    for index, region in enumerate(regions):
        own = region == environment.region
        if own or index in twice:
            yield Finding(
                code="IMG025",
                path=("images", _COPIES, index, "region"),
                message=f"{region} is the environment's own region" if own else f"region {region} is listed twice",
                hint="remove it: the image is there already" if own else "keep one of the two",
            )


def images_are_shared_with_others(environment: Environment) -> Iterator[Finding]:
    """IMG026: Images are shared with accounts other than the environment's own, with each one once.

    Source: EC2 API reference, ModifyImageAttribute, ``LaunchPermission``: the owner needs none.
    """
    accounts = environment.images.share_with_accounts
    twice = dict(repeated(accounts))
    for index, account in enumerate(accounts):
        own = account == environment.account
        if own or index in twice:
            yield Finding(
                code="IMG026",
                path=("images", _ACCOUNTS, index),
                message=f"{account} is the environment's own account" if own else f"account {account} is listed twice",
                hint="remove it: it owns the image" if own else "keep one of the two",
            )


def image_keys_are_of_their_region(environment: Environment) -> Iterator[Finding]:
    """IMG027: The key that encrypts a copy is in the copy's region.

    Source: EC2 API reference, CopyImage, ``KmsKeyId``: a key of the destination region.
    """
    for index, copy in enumerate(environment.images.copy_to_regions):
        region = copy.kms_key_arn.split(":")[3] if copy.kms_key_arn else copy.region
        if region != copy.region:
            yield Finding(
                code="IMG027",
                path=("images", _COPIES, index, "kms_key_arn"),
                message=f"'{copy.kms_key_arn}' is in {region}, the copy in {copy.region}",
                hint=f"name a key in {copy.region}",
            )


def shared_copies_have_a_key(environment: Environment) -> Iterator[Finding]:
    """IMG028: Copies of images that other accounts use name a key, which those accounts are let use.

    At home the images' stack makes such a key; a key is of one region, and the default one can't be shared.

    Source: EBS user guide, "Share a snapshot": not one that is encrypted with the default AWS managed key.
    """
    if not environment.images.share_with_accounts:
        return
    for index, copy in enumerate(environment.images.copy_to_regions):
        if copy.kms_key_arn is None:
            yield Finding(
                code="IMG028",
                path=("images", _COPIES, index),
                message=f"other accounts can't use a copy that the default EBS key of {copy.region} encrypts",
                hint=f"add kms_key_arn: a key in {copy.region} whose policy lets them use it",
            )


def image_settings_have_an_image(environment: Environment) -> Iterator[Finding]:
    """IMG029: The images section is there for a node group with a custom image; without one it changes nothing.

    Source: the environment file's format, version 1: ``trnstack schema``.
    """
    if environment.images.model_fields_set and not any(_custom(environment)):
        yield Finding(
            code="IMG029",
            severity=Severity.NOTE,
            path=("images",),
            message="no node group has a custom image, so the images section changes nothing",
            hint="remove it, or write image: {type: custom, recipe: neuron} in a node group",
        )


RULES = (
    custom_images_have_a_recipe,
    images_are_built_on_trainium,
    images_are_built_where_the_type_is_offered,
    images_are_built_with_a_way_out,
    the_root_volume_holds_the_custom_image,
    images_are_copied_elsewhere,
    images_are_shared_with_others,
    image_keys_are_of_their_region,
    shared_copies_have_a_key,
    image_settings_have_an_image,
)
