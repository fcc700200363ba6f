"""Components, recipes, configurations, pipelines and images of EC2 Image Builder."""

import base64
import json
from dataclasses import dataclass
from typing import Any

from rehearsal.handlers.api import ApiHandler, Read, changes, split
from rehearsal.handlers.base import Handler, Properties, Resource, ResourceError, Scope
from rehearsal.handlers.calls import call, call_fitted, call_unless_gone
from rehearsal.handlers.tags import retag_by_arn

_EXECUTION = "ImagePipelineExecutionSettings"
_SHARED = "Distributions.AmiDistributionConfiguration.LaunchPermissionConfiguration"
_LATEST = {
    "LatestVersion.Arn": "latestVersionReferences.latestVersionArn",
    "LatestVersion.Major": "latestVersionReferences.latestMajorVersionArn",
    "LatestVersion.Minor": "latestVersionReferences.latestMinorVersionArn",
    "LatestVersion.Patch": "latestVersionReferences.latestPatchVersionArn",
}


@dataclass(frozen=True, kw_only=True)
class Whole(ApiHandler):
    """What is updated by giving the service all of it anew.

    Source: Image Builder API reference, UpdateImagePipeline, UpdateInfrastructureConfiguration and
    UpdateDistributionConfiguration, whose required members are required at each update.
    """

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Gives the service the new properties where something differs; tags go by their own call."""
        self.update_tags(scope, resource, properties)
        content = split(properties, "Name", "Tags")[1]
        if changes(split(resource.properties, "Name", "Tags")[1], content):
            (operation,) = self.update_operations
            (arn,) = self.identity
            whole = {**content, arn: resource.physical_id}
            call_fitted(scope.client(self.service), operation, whole, self.renamed)
            self.read_attributes(scope, resource)


@dataclass(frozen=True, kw_only=True)
class Pipeline(Whole):
    """A pipeline, whose deployment id changes whenever it is made or updated.

    CloudFormation makes the deployment id up; it is opaque, and here holds the pipeline's ARN and a number.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Makes the pipeline."""
        super().create(scope, resource)
        self._deployed(resource, 1)

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Updates the pipeline."""
        super().update(scope, resource, properties)
        self._deployed(resource, 1 + int(_deployment(resource.attributes["DeploymentId"])["number"]))

    @staticmethod
    def _deployed(resource: Resource, number: int) -> None:
        text = json.dumps({"pipeline": resource.physical_id, "number": number})
        resource.attributes["DeploymentId"] = base64.urlsafe_b64encode(text.encode()).decode()


@dataclass(frozen=True, kw_only=True)
class BuiltImage(ApiHandler):
    """An image, built of a recipe or by a pipeline; its AMIs outlive it.

    Source: CloudFormation template reference, AWS::ImageBuilder::Image; the type's schema; Image Builder API reference,
    DeleteImage.
    """

    def create(self, scope: Scope, resource: Resource) -> None:
        """Builds the image.

        Raises:
            ResourceError: The build failed.
        """
        if _EXECUTION in resource.properties:
            self._execute(scope, resource, resource.properties)
        else:
            super().create(scope, resource)

    def update(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Changes tags, and lets a pipeline that was updated build again where the template asks for that."""
        old, new = resource.properties.get(_EXECUTION) or {}, properties.get(_EXECUTION) or {}
        again = old.get("DeploymentId") != new.get("DeploymentId") and str(new.get("OnUpdate")).lower() == "true"
        if again:
            before = Resource(resource.logical_id, resource.type, resource.properties, resource.physical_id)
            self._execute(scope, resource, properties)
            self.delete(scope, before)
        else:
            plain = Resource(
                resource.logical_id,
                resource.type,
                split(resource.properties, _EXECUTION)[1],
                resource.physical_id,
                resource.attributes,
            )
            super().update(scope, plain, split(properties, _EXECUTION)[1])

    def read_attributes(self, scope: Scope, resource: Resource) -> None:
        """Reads the image's name and its AMI in the stack's region; those of other regions are no attributes."""
        super().read_attributes(scope, resource)
        image = call(scope.client("imagebuilder"), "GetImage", {"imageBuildVersionArn": resource.physical_id})["image"]
        state = image["state"]
        if state["status"] == "FAILED":
            raise ResourceError("GeneralServiceException", f"Image {image['arn']} failed: {state['reason']}")
        for ami in image["outputResources"]["amis"]:
            if ami["region"] == scope.region:
                resource.attributes["ImageId"] = ami["image"]

    def _execute(self, scope: Scope, resource: Resource, properties: Properties) -> None:
        """Starts the pipeline whose deployment the properties name."""
        settings, rest = split(properties, _EXECUTION, "Tags")
        if rest:
            raise ResourceError("ValidationError", f"{_EXECUTION} can't be combined with {min(rest)}")
        pipeline = _deployment(settings[_EXECUTION].get("DeploymentId"))["pipeline"]
        tags = split(self.creation(scope, resource), "Tags")[0]
        started = {"ImagePipelineArn": pipeline, **tags}
        answer = call_fitted(scope.client("imagebuilder"), "StartImagePipelineExecution", started)
        resource.physical_id = answer["imageBuildVersionArn"]
        self.read_attributes(scope, resource)

    def delete(self, scope: Scope, resource: Resource) -> None:
        """Removes the image, and not its AMIs."""
        if resource.physical_id is not None:
            named = {"imageBuildVersionArn": resource.physical_id}
            call_unless_gone(scope.client("imagebuilder"), "DeleteImage", named)


def _deployment(text: Any) -> dict[str, Any]:
    """Reads a pipeline's deployment id.

    Raises:
        ResourceError: It is none.
    """
    try:
        found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(str(text)))
    except ValueError as error:
        raise ResourceError("ValidationError", f"{text} is no pipeline's deployment id") from error
    return found


HANDLERS: dict[str, Handler] = {
    "AWS::ImageBuilder::Component": ApiHandler(
        service="imagebuilder",
        create_operation="CreateComponent",
        reference="componentBuildVersionArn",
        identity={"componentBuildVersionArn": "{Ref}"},
        delete_operation="DeleteComponent",
        renamed={"Version": "semanticVersion"},
        retag=retag_by_arn("{Ref}"),
        read_back=Read(operation="GetComponent", parameters={"componentBuildVersionArn": "{Ref}"}),
        attributes={
            "Arn": "component.arn",
            "Name": "component.name",
            "Type": "component.type",
            "Encrypted": "component.encrypted",
            **_LATEST,
        },
    ),
    "AWS::ImageBuilder::ImageRecipe": ApiHandler(
        service="imagebuilder",
        create_operation="CreateImageRecipe",
        reference="imageRecipeArn",
        identity={"imageRecipeArn": "{Ref}"},
        delete_operation="DeleteImageRecipe",
        renamed={"Version": "semanticVersion"},
        retag=retag_by_arn("{Ref}"),
        read_back=Read(operation="GetImageRecipe", parameters={"imageRecipeArn": "{Ref}"}),
        attributes={"Arn": "imageRecipe.arn", "Name": "imageRecipe.name", **_LATEST},
    ),
    "AWS::ImageBuilder::InfrastructureConfiguration": Whole(
        service="imagebuilder",
        create_operation="CreateInfrastructureConfiguration",
        reference="infrastructureConfigurationArn",
        identity={"infrastructureConfigurationArn": "{Ref}"},
        update_operations=("UpdateInfrastructureConfiguration",),
        delete_operation="DeleteInfrastructureConfiguration",
        retag=retag_by_arn("{Ref}"),
        read_back=Read(
            operation="GetInfrastructureConfiguration", parameters={"infrastructureConfigurationArn": "{Ref}"}
        ),
        attributes={"Arn": "infrastructureConfiguration.arn", "Name": "infrastructureConfiguration.name"},
    ),
    "AWS::ImageBuilder::DistributionConfiguration": Whole(
        service="imagebuilder",
        create_operation="CreateDistributionConfiguration",
        reference="distributionConfigurationArn",
        identity={"distributionConfigurationArn": "{Ref}"},
        update_operations=("UpdateDistributionConfiguration",),
        delete_operation="DeleteDistributionConfiguration",
        renamed={_SHARED: "launchPermission"},
        retag=retag_by_arn("{Ref}"),
        read_back=Read(operation="GetDistributionConfiguration", parameters={"distributionConfigurationArn": "{Ref}"}),
        attributes={"Arn": "distributionConfiguration.arn", "Name": "distributionConfiguration.name"},
    ),
    "AWS::ImageBuilder::ImagePipeline": Pipeline(
        service="imagebuilder",
        create_operation="CreateImagePipeline",
        reference="imagePipelineArn",
        identity={"imagePipelineArn": "{Ref}"},
        update_operations=("UpdateImagePipeline",),
        delete_operation="DeleteImagePipeline",
        retag=retag_by_arn("{Ref}"),
        read_back=Read(operation="GetImagePipeline", parameters={"imagePipelineArn": "{Ref}"}),
        attributes={"Arn": "imagePipeline.arn", "Name": "imagePipeline.name"},
    ),
    "AWS::ImageBuilder::Image": BuiltImage(
        service="imagebuilder",
        create_operation="CreateImage",
        reference="imageBuildVersionArn",
        identity={"imageBuildVersionArn": "{Ref}"},
        delete_operation="DeleteImage",
        retag=retag_by_arn("{Ref}"),
        read_back=Read(operation="GetImage", parameters={"imageBuildVersionArn": "{Ref}"}),
        attributes={"Arn": "image.arn", "Name": "image.name", **_LATEST},
    ),
}
