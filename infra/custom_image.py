"""An AMI that EC2 Image Builder makes of a pinned EKS AMI release."""

from collections.abc import Sequence

from aws_cdk import CfnResource
from constructs import Construct

from infra.image_workshop import ImageWorkshop
from infra.launch_template import ROOT_DEVICE
from infra.resource import Properties, Value, attribute, resource
from trnstack.plan.model import CustomImagePlan, ImageComponentPlan

#: Components and recipes can't be changed, only replaced; what changes in them is in their names: by their content, and
#: by ami.recipes.documents.FORMAT, which has to be raised with whatever else changes in what is rendered here.
_VERSION = "1.0.0"
_TESTED = {"ImageTestsEnabled": True}


class CustomImage(Construct):
    """Defines an image with its components, recipe and distribution, and a pipeline by which it is built once more.

    Making the image is the build, for which CloudFormation waits up to twelve hours. Everything that can't be changed
    in Image Builder bears the image's version in its name: an unchanged recipe is built once, a changed one is a new
    image. With its resource the record of an old image goes, and the AMI stays.

    Attributes:
        image_id: The AMI in the stack's region.
        pipeline_arn: The pipeline, which runs when somebody starts it and never by itself.

    Source: CloudFormation's schema of AWS::ImageBuilder::Image, ``handlers.create.timeoutInMinutes`` 720 and
    ``DeletionSettings``; Image Builder API reference, DeleteImage: no AMI is deleted.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        image: CustomImagePlan,
        workshop: ImageWorkshop,
        subnet_id: Value,
        kms_key_arn: Value | None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._image = image
        recipe = self._recipe([self._component(each) for each in image.components], kms_key_arn)
        infrastructure = self._infrastructure(workshop, subnet_id)
        distribution = self._distribution()
        built_from = {
            "ImageRecipeArn": recipe.ref,
            "InfrastructureConfigurationArn": infrastructure.ref,
            "DistributionConfigurationArn": distribution.ref,
            "EnhancedImageMetadataEnabled": True,
            "ImageTestsConfiguration": _TESTED,
        }
        logs = workshop.log_group_name
        made = resource(
            self,
            "Image",
            "AWS::ImageBuilder::Image",
            {**built_from, "LoggingConfiguration": {"LogGroupName": logs}},
            after=workshop.resources,
        )
        self.image_id = attribute(made, "ImageId")
        pipeline = {
            "Name": image.pipeline,
            "Description": f"builds {image.recipe} once more, when somebody starts it",
            "Status": "ENABLED",
            "LoggingConfiguration": {"ImageLogGroupName": logs, "PipelineLogGroupName": logs},
        }
        again = resource(self, "Pipeline", "AWS::ImageBuilder::ImagePipeline", {**pipeline, **built_from})
        self.pipeline_arn = again.ref

    def _component(self, component: ImageComponentPlan) -> CfnResource:
        properties = {
            "Name": component.full_name,
            "Version": _VERSION,
            "Platform": "Linux",
            "Description": component.description,
            "Data": component.document,
        }
        return resource(self, f"Component-{component.name}", "AWS::ImageBuilder::Component", properties)

    def _recipe(self, components: Sequence[CfnResource], kms_key_arn: Value | None) -> CfnResource:
        image = self._image
        volume = {"VolumeType": "gp3", "VolumeSize": image.volume_gib, "Encrypted": True, "KmsKeyId": kms_key_arn}
        ebs = {key: value for key, value in volume.items() if value is not None}
        properties = {
            "Name": image.name,
            "Version": _VERSION,
            "Description": image.description,
            "ParentImage": image.parent_image_id,
            "Components": [{"ComponentArn": component.ref} for component in components],
            "BlockDeviceMappings": [{"DeviceName": ROOT_DEVICE, "Ebs": {**ebs, "DeleteOnTermination": True}}],
            # The parent brings the agent, and nodes are reached by it.
            "AdditionalInstanceConfiguration": {"SystemsManagerAgent": {"UninstallAfterBuild": False}},
        }
        return resource(self, "Recipe", "AWS::ImageBuilder::ImageRecipe", properties)

    def _infrastructure(self, workshop: ImageWorkshop, subnet_id: Value) -> CfnResource:
        properties = {
            "Name": self._image.pipeline,
            "Description": f"builds and tests {self._image.recipe}",
            "InstanceProfileName": workshop.profile_name,
            "InstanceTypes": [self._image.build_instance_type],
            "SubnetId": subnet_id,
            "SecurityGroupIds": [workshop.security_group_id],
            # Nothing that runs in a container asks here, so the answer need go no further than the instance.
            "InstanceMetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
            "TerminateInstanceOnFailure": True,
            "ResourceTags": dict(self._image.instance_tags),
        }
        return resource(self, "Infrastructure", "AWS::ImageBuilder::InfrastructureConfiguration", properties)

    def _distribution(self) -> CfnResource:
        properties = {
            "Name": self._image.pipeline,
            "Description": f"{self._image.recipe}: its regions and accounts",
            "Distributions": [
                {"Region": each.region, "AmiDistributionConfiguration": self._ami(each.kms_key_arn)}
                for each in self._image.regions
            ],
        }
        return resource(self, "Distribution", "AWS::ImageBuilder::DistributionConfiguration", properties)

    def _ami(self, kms_key_arn: str | None) -> Properties:
        image = self._image
        accounts = {"LaunchPermissionConfiguration": {"UserIds": list(image.account_ids)}} if image.account_ids else {}
        key = {"KmsKeyId": kms_key_arn} if kms_key_arn else {}
        return {
            # A name is an AMI's own in account and region, and the pipeline may build the same content again.
            "Name": f"{image.name}-{{{{ imagebuilder:buildDate }}}}",
            "Description": image.description,
            "AmiTags": dict(image.tags),
            **accounts,
            **key,
        }
