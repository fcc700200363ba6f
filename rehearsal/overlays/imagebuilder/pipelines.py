"""Image pipelines, which build images of a recipe whenever somebody starts them.

Source: EC2 Image Builder API reference, UpdateImagePipeline ("replaces the entire pipeline configuration"),
StartImagePipelineExecution (of a pipeline that is disabled too) and DeleteImagePipeline (its images stay).
"""

from moto.core.responses import ActionResult

from rehearsal.overlays.imagebuilder.base import Record, check_name
from rehearsal.overlays.imagebuilder.images import PARTS, SUMMARY, Images

_KIND = "image-pipeline"
_ARN = "imagePipelineArn"
_KEPT = ("arn", "name", "platform", "dateCreated", "dateLastRun", "lastRunStatus", "tags")


class Pipelines(Images):
    """Image Builder's operations on image pipelines."""

    def create_image_pipeline(self) -> ActionResult:
        """Answers CreateImagePipeline."""
        request = self.request
        check_name(request["name"])
        self.check_parts(request)
        pipeline = {
            "arn": self.arn(_KIND, request["name"]),
            "platform": "Linux",
            "status": "ENABLED",
            "dateCreated": self.now(),
            "tags": {},
            **request,
        }
        self.keep(pipeline, "ImagePipeline")
        return ActionResult({_ARN: pipeline["arn"]})

    def get_image_pipeline(self) -> ActionResult:
        """Answers GetImagePipeline."""
        return ActionResult({"imagePipeline": self.named(self.request[_ARN])})

    def list_image_pipelines(self) -> ActionResult:
        """Answers ListImagePipelines."""
        pipelines = self.of_kind(_KIND)
        return self.page("imagePipelineList", pipelines, {name: None for one in pipelines for name in one})

    def update_image_pipeline(self) -> ActionResult:
        """Answers UpdateImagePipeline, which takes the whole pipeline anew."""
        request = self.request
        arn = request.pop(_ARN)
        old = self.named(arn)
        self.check_parts(request)
        kept: Record = {name: old[name] for name in _KEPT if name in old}
        self.records[arn] = {**kept, "status": "ENABLED", **request, "dateUpdated": self.now()}
        return ActionResult({_ARN: arn})

    def delete_image_pipeline(self) -> ActionResult:
        """Answers DeleteImagePipeline; the images that it has built stay."""
        arn = self.request[_ARN]
        self.remove(arn)
        return ActionResult({_ARN: arn})

    def start_image_pipeline_execution(self) -> ActionResult:
        """Answers StartImagePipelineExecution; a pipeline that is disabled can be started by hand as well."""
        request = self.request
        pipeline = self.named(request[_ARN])
        parts = {name: pipeline[name] for name in PARTS if name in pipeline}
        tags = {**pipeline.get("imageTags", {}), **request.get("tags", {})}
        image = self.build({**parts, "tags": tags}, pipeline)
        pipeline.update(dateLastRun=image["dateCreated"], lastRunStatus=image["state"]["status"])
        return ActionResult({"imageBuildVersionArn": image["arn"]})

    def list_image_pipeline_images(self) -> ActionResult:
        """Answers ListImagePipelineImages."""
        pipeline = self.named(self.request[_ARN])
        images = [one for one in self.of_kind("image") if one.get("sourcePipelineArn") == pipeline["arn"]]
        return self.page("imageSummaryList", images, SUMMARY)
