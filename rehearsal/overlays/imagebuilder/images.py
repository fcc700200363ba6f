"""Images: what has been built of a recipe, and its building.

Source: EC2 Image Builder API reference, CreateImage, ListImages (a line for each version), ListImageBuildVersions and
DeleteImage (which deletes no AMI). That a build which can't end well has the state FAILED: its ``ImageState``.
"""

import datetime as dt

from moto.core.responses import ActionResult

from rehearsal import clock
from rehearsal.overlays.imagebuilder.base import Record, invalid, latest_references
from rehearsal.overlays.imagebuilder.builds import Build, BuildError
from rehearsal.overlays.imagebuilder.recipes import Recipes
from rehearsal.overlays.state import state_of

PARTS = ("imageRecipeArn", "infrastructureConfigurationArn", "distributionConfigurationArn")
SUMMARY = (
    "arn",
    "name",
    "type",
    "version",
    "platform",
    "state",
    "owner",
    "dateCreated",
    "outputResources",
    "tags",
    "buildType",
)
_KIND = "image"
_ARN = "imageBuildVersionArn"
_VERSION_ARN = "imageVersionArn"


class Images(Recipes):
    """Image Builder's operations on images."""

    def create_image(self) -> ActionResult:
        """Answers CreateImage, and builds the image."""
        request = self.request
        self.check_parts(request)
        image = self.build(request)
        return ActionResult({_ARN: image["arn"], "latestVersionReferences": latest_references(image)})

    def get_image(self) -> ActionResult:
        """Answers GetImage."""
        image = self.named(self.request[_ARN])
        return ActionResult({"image": image, "latestVersionReferences": latest_references(image)})

    def list_images(self) -> ActionResult:
        """Answers ListImages with a line for each version of which there is a build."""
        lines = {}
        for one in self.of_kind(_KIND):
            arn, version = one["arn"].rpartition("/")[0], one["version"].partition("/")[0]
            lines[arn] = {**one, "arn": arn, "version": version}
        names = [name for name in SUMMARY if name not in {"state", "outputResources", "tags"}]
        return self.page("imageVersionList", lines.values(), names)

    def list_image_build_versions(self) -> ActionResult:
        """Answers ListImageBuildVersions."""
        arn = self.request.get(_VERSION_ARN)
        builds = [one for one in self.of_kind(_KIND) if arn in {None, one["arn"].rpartition("/")[0]}]
        return self.page("imageSummaryList", builds, SUMMARY)

    def delete_image(self) -> ActionResult:
        """Answers DeleteImage; the AMIs that it led to stay."""
        arn = self.request[_ARN]
        self.remove(arn)
        return ActionResult({_ARN: arn})

    def check_parts(self, request: Record) -> None:
        """Refuses a request that names a recipe or a configuration which is not there."""
        if "containerRecipeArn" in request:
            raise NotImplementedError("container recipes")
        if "imageRecipeArn" not in request:
            raise invalid("imageRecipeArn", "A recipe is needed.")
        for name in PARTS:
            if name in request and self.find(request[name]) is None:
                raise invalid(name, f"The resource '{request[name]}' does not exist.")

    def build(self, request: Record, pipeline: Record | None = None) -> Record:
        """Builds an image and keeps it; a build that can't end well is kept as one that failed.

        Args:
            request: The recipe, the configurations and the tags, as CreateImage takes them.
            pipeline: The pipeline that was started; None for an image that was asked for by itself.
        """
        recipe, infrastructure = (self.named(request[name]) for name in PARTS[:2])
        distribution = self.named(request[PARTS[2]]) if PARTS[2] in request else None
        builds = state_of(self.current_account, self.region).image_builds
        version_arn = self.arn(_KIND, recipe["name"], recipe["version"])
        builds[version_arn] += 1
        number = str(builds[version_arn])
        image: Record = {
            "arn": f"{version_arn}/{number}",
            "type": "AMI",
            "name": recipe["name"],
            "version": f"{recipe['version']}/{number}",
            "platform": recipe["platform"],
            "owner": self.current_account,
            "buildType": "USER_INITIATED",
            "dateCreated": self.now(),
            "imageRecipe": recipe,
            "infrastructureConfiguration": infrastructure,
            "tags": dict(request.get("tags", {})),
        }
        if distribution:
            image["distributionConfiguration"] = distribution
        if pipeline:
            image |= {"sourcePipelineArn": pipeline["arn"], "sourcePipelineName": pipeline["name"]}
        image |= self._outcome(image, distribution)
        return self.keep(image, "Image")

    def _outcome(self, image: Record, distribution: Record | None) -> Record:
        """Makes the AMIs, and gives the state and the output resources of the image.

        No two builds have one date, though the rehearsal's clock may stand still: AMIs are called after it.
        """
        builds = state_of(self.current_account, self.region).image_builds
        build = Build(
            account=self.current_account,
            region=self.region,
            arn=image["arn"],
            moment=clock.now() + dt.timedelta(microseconds=builds.total()),
            recipe=image["imageRecipe"],
            distributions=distribution["distributions"] if distribution else [{"region": self.region}],
        )
        try:
            amis = build.run(self.parent_image(image["imageRecipe"]["parentImage"]))
        except BuildError as error:
            return {"state": {"status": "FAILED", "reason": str(error)}, "outputResources": {"amis": []}}
        return {"state": {"status": "AVAILABLE"}, "outputResources": {"amis": amis}}
