"""Image recipes: a parent image and components in their order, in one version."""

from typing import Any

from moto.core.responses import ActionResult
from moto.ssm.models import ssm_backends

from rehearsal.overlays.imagebuilder.base import (
    ImageBuilderBase,
    Record,
    check_name,
    check_version,
    invalid,
    latest_references,
)
from rehearsal.overlays.images import find_image
from rehearsal.overlays.ssm import public_parameters

_KIND = "image-recipe"
#: Source: AWS General Reference, "EC2 Image Builder endpoints and quotas".
_MOST_COMPONENTS = 20
_SUMMARY = ("arn", "name", "platform", "owner", "parentImage", "dateCreated", "tags")


class Recipes(ImageBuilderBase):
    """Image Builder's operations on image recipes."""

    def create_image_recipe(self) -> ActionResult:
        """Answers CreateImageRecipe."""
        request = self.request
        check_name(request["name"])
        check_version(request["semanticVersion"])
        self._check_parent(request["parentImage"])
        self._check_components(request.get("components", []))
        version = request.pop("semanticVersion")
        recipe = {
            "arn": self.arn(_KIND, request["name"], version),
            "type": "AMI",
            "version": version,
            "platform": "Linux",
            "owner": self.current_account,
            "components": [],
            "dateCreated": self.now(),
            "tags": {},
            **request,
        }
        self.keep(recipe, "ImageRecipe")
        return ActionResult({"imageRecipeArn": recipe["arn"], "latestVersionReferences": latest_references(recipe)})

    def get_image_recipe(self) -> ActionResult:
        """Answers GetImageRecipe."""
        recipe = self.named(self.request["imageRecipeArn"])
        return ActionResult({"imageRecipe": recipe, "latestVersionReferences": latest_references(recipe)})

    def list_image_recipes(self) -> ActionResult:
        """Answers ListImageRecipes."""
        return self.page("imageRecipeSummaryList", self.of_kind(_KIND), _SUMMARY)

    def delete_image_recipe(self) -> ActionResult:
        """Answers DeleteImageRecipe; a recipe that a pipeline names stays.

        Source: hashicorp/terraform-provider-aws issue 40128; Image Builder user guide, "Delete resources".
        """
        arn = self.request["imageRecipeArn"]
        self.remove(arn, [one for one in self.of_kind("image-pipeline") if one.get("imageRecipeArn") == arn])
        return ActionResult({"imageRecipeArn": arn})

    def parent_image(self, named: str) -> Any:
        """Gives moto's record of the AMI that a recipe starts from, or None where it is not there.

        Source: Image Builder API reference, CreateImageRecipe, ``parentImage``: an AMI's id, an image's ARN, or a
        parameter that holds an AMI's id; it has to be in the recipe's region.
        """
        if named.startswith("ssm:"):
            named = self._parameter(named.removeprefix("ssm:").rpartition(":parameter")[2])
        elif named.startswith("arn:"):
            image = self.find(named)
            named = self._output_here(image) if image else ""
        return find_image(self.network, named)

    def _check_parent(self, named: str) -> None:
        if f":imagebuilder:{self.region}:aws:image/" in named:
            raise NotImplementedError("parent images that Amazon manages")
        if self.parent_image(named) is None:
            raise invalid("parentImage", f"The image '{named}' does not exist in {self.region}.")

    def _parameter(self, name: str) -> str:
        public = public_parameters(self.region).get(name)
        if public:
            return str(public["Value"])
        parameter = ssm_backends[self.current_account][self.region].get_parameter(name)
        return str(parameter.value) if parameter else ""

    def _output_here(self, image: Record) -> str:
        amis = image["outputResources"]["amis"]
        return next((str(ami["image"]) for ami in amis if ami["region"] == self.region), "")

    def _check_components(self, components: list[Record]) -> None:
        if len(components) > _MOST_COMPONENTS:
            raise invalid("components", f"A recipe has {_MOST_COMPONENTS} components at most, not {len(components)}.")
        seen = set()
        for place, component in enumerate(components):
            arn, parameter = component["componentArn"], f"components[{place}].componentArn"
            if f":imagebuilder:{self.region}:aws:component/" not in arn and self.find(arn) is None:
                raise invalid(parameter, f"The component '{arn}' does not exist.")
            if arn in seen:
                raise invalid(parameter, f"The component '{arn}' is specified more than once.")
            seen.add(arn)
