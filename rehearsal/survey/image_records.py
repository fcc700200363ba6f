"""What a survey finds of custom images and of what builds them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImageRecipe:
    """A recipe of EC2 Image Builder.

    Attributes:
        parent_image: What it starts from: an AMI's id, or what the recipe says in its place.
        parent_name: The AMI's name; empty where the recipe names no AMI.
        components: Names and versions of its components, in their order.
        root_volume_encrypted: Whether its images' root volume is encrypted; None where the recipe doesn't say.
    """

    name: str
    version: str
    parent_image: str
    parent_name: str
    components: tuple[str, ...]
    root_volume_encrypted: bool | None


@dataclass(frozen=True, slots=True)
class BuildInfrastructure:
    """Which instances build and test images.

    Attributes:
        http_tokens: Whether their metadata service asks for session tokens; empty where the configuration doesn't say.
        zone_id: The zone that their subnet is in; None where the configuration names no subnet.
    """

    name: str
    instance_types: tuple[str, ...]
    http_tokens: str
    zone_id: str | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """A region that gets a copy of each image, and the further accounts that may use it there."""

    region: str
    accounts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImageDistribution:
    """A distribution configuration of EC2 Image Builder."""

    name: str
    distributions: tuple[Distribution, ...]


@dataclass(frozen=True, slots=True)
class ImagePipeline:
    """A pipeline of EC2 Image Builder.

    Attributes:
        recipe: Name and version of the recipe that it builds.
    """

    name: str
    status: str
    recipe: str


@dataclass(frozen=True, slots=True)
class BuiltAmi:
    """The AMI of an image in one region."""

    region: str
    image_id: str


@dataclass(frozen=True, slots=True)
class BuiltImage:
    """An image that EC2 Image Builder has built, or has failed to build.

    Attributes:
        version: Its version with the number of the build, such as ``1.0.0/1``.
        reason: Why it failed; empty for one that did not.
    """

    name: str
    version: str
    status: str
    reason: str
    amis: tuple[BuiltAmi, ...]


@dataclass(frozen=True, slots=True)
class Images:
    """Everything that a survey finds of custom images, each list in the order of its names."""

    recipes: tuple[ImageRecipe, ...] = ()
    infrastructures: tuple[BuildInfrastructure, ...] = ()
    distributions: tuple[ImageDistribution, ...] = ()
    pipelines: tuple[ImagePipeline, ...] = ()
    built: tuple[BuiltImage, ...] = ()
