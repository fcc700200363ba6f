"""``NAME-images``: custom images of node groups, and what builds them. AMIs that were built outlive it."""

from aws_cdk import Stack
from constructs import Construct

from ami.pins import rebuild_output
from infra.custom_image import CustomImage
from infra.image_key import image_key_statements
from infra.image_workshop import ImageWorkshop
from infra.key import Key
from infra.resource import imported, output
from stacks.base import stack_options
from trnstack.plan import Plan
from trnstack.plan.model import CustomImagePlan


class ImagesStack(Stack):
    """Holds what builds images. It exports nothing: an AMI's id reaches node groups by the lock."""

    def __init__(self, scope: Construct, *, plan: Plan) -> None:
        name = f"{plan.name}-images"
        super().__init__(scope, name, **stack_options(plan, name))
        self._network = f"{plan.name}-network"
        self._workshop = ImageWorkshop(
            self,
            "Workshop",
            name=plan.name,
            vpc_id=imported(self._network, "VpcId"),
            endpoints_group_id=imported(self._network, "EndpointsSecurityGroup"),
            retention_days=plan.cluster.log_retention_days,
        )
        key = self._key(plan)
        for image in plan.images:
            self._image(plan, image, key)

    def _key(self, plan: Plan) -> Key | None:
        """Defines the key of images for other accounts, which can't use what the account's default key encrypts."""
        account_ids = sorted({account_id for image in plan.images for account_id in image.account_ids})
        if not account_ids:
            return None
        return Key(
            self,
            "Key",
            alias=f"{plan.name}-images",
            description=f"{plan.name}: AMIs that other accounts start instances from",
            statements=image_key_statements(account_ids),
        )

    def _image(self, plan: Plan, image: CustomImagePlan, key: Key | None) -> None:
        made = CustomImage(
            self,
            f"Image-{image.recipe}",
            image=image,
            workshop=self._workshop,
            subnet_id=imported(self._network, f"Subnet-{image.subnet}"),
            kms_key_arn=key.arn if key else None,
        )
        which = image.recipe.title().replace("-", "")
        output(self, f"ImageId{which}", made.image_id, "The AMI; trnstack lock writes it into the lock")
        command = f"aws imagebuilder start-image-pipeline-execution --region {plan.region} --image-pipeline-arn "
        output(
            self,
            rebuild_output(image.recipe),
            f"{command}{made.pipeline_arn}",
            "Builds the same content once more, as a new AMI",
        )
