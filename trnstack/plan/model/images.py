"""The part of the plan that is custom images."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageComponentPlan:
    """A component of an image.

    Attributes:
        name: What it is called within the recipe, such as ``driver``.
        full_name: Its name in Image Builder, with the environment and the image's version.
        description: What it does.
        document: The YAML text that Image Builder runs.
    """

    name: str
    full_name: str
    description: str
    document: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRegionPlan:
    """A region that gets an image; without a key its default EBS key encrypts it there, or the images' own at home."""

    region: str
    kms_key_arn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomImagePlan:
    """An AMI that Image Builder makes; all node groups of one recipe share it.

    Attributes:
        recipe: The recipe's name.
        name: The image's name in Image Builder, with the environment, the version, and whether others may use it.
        pipeline: The name of what builds it, which stays the same from version to version.
        description: What is in it.
        version: Twelve hexadecimal digits that change with whatever goes into it; ``unresolved`` while its parts are.
        node_groups: The names of the node groups that start from it.
        image_id: The AMI in the environment's region; ``not built`` or ``unresolved`` while there is none.
        parent_release: The release version of the EKS AMI that it is built on.
        parent_image_id: That AMI's id; ``unresolved`` while no account was asked.
        volume_gib: The size of its root volume.
        components: What makes it, in the order in which it runs; none while a digest in it is unresolved.
        build_instance_type: What builds it, and then tests it.
        availability_zone_id, subnet: Where that instance stands: with nodes of a group that starts from the image.
        instance_tags: That instance's tags.
        regions: The regions that get the image, the environment's own first.
        account_ids: Further accounts that may start instances from it.
        tags: The AMI's tags, in every region.
    """

    recipe: str
    name: str
    pipeline: str
    description: str
    version: str
    node_groups: tuple[str, ...]
    image_id: str
    parent_release: str
    parent_image_id: str
    volume_gib: int
    components: tuple[ImageComponentPlan, ...]
    build_instance_type: str
    availability_zone_id: str
    subnet: str
    instance_tags: Mapping[str, str]
    regions: tuple[ImageRegionPlan, ...]
    account_ids: tuple[str, ...]
    tags: Mapping[str, str]
