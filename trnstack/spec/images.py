"""The ``images`` section: where custom images are built, and who else may start nodes from them."""

from typing import Annotated

from pydantic import Field

from trnstack.spec.base import AccountId, KeyArn, RegionName, Section
from trnstack.spec.eks import InstanceTypeName


class ImageCopy(Section):
    """A further region that custom images are copied to."""

    region: Annotated[RegionName, Field(description="The region, such as us-west-2")]
    kms_key_arn: Annotated[
        KeyArn | None, Field(description="The key of that region that encrypts the copy; null: its default EBS key")
    ] = None


class Images(Section):
    """How the custom images of node groups are built and where they go; without a custom image it changes nothing."""

    build_instance_type: Annotated[
        InstanceTypeName | None,
        Field(description="What builds and tests them; null: the smallest type with a Neuron device in a zone of ours"),
    ] = None
    copy_to_regions: Annotated[
        tuple[ImageCopy, ...], Field(max_length=20, description="Further regions that get a copy of each image")
    ] = ()
    share_with_accounts: Annotated[
        tuple[AccountId, ...], Field(max_length=50, description="Further accounts that may start nodes from them")
    ] = ()
