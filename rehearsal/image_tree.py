"""Renders what a survey finds of custom images."""

from rehearsal.survey.image_records import BuiltImage, Distribution, ImageRecipe, Images
from rehearsal.templates.branches import Branch, joined


def image_branches(found: Images) -> list[Branch]:
    """Gives the recipes with what they are made of, then what builds and copies images, then the images."""
    return [
        *(_recipe(recipe) for recipe in found.recipes),
        *(
            Branch(
                (
                    f"infrastructure {one.name}",
                    joined(", ".join(one.instance_types), f"tokens {one.http_tokens or 'optional'}", one.zone_id),
                )
            )
            for one in found.infrastructures
        ),
        *(
            Branch((f"distribution {one.name}", joined(*map(_distribution, one.distributions))))
            for one in found.distributions
        ),
        *(
            Branch((f"pipeline {one.name}", joined(one.status.lower(), f"builds {one.recipe}")))
            for one in found.pipelines
        ),
        *(_built(image) for image in found.built),
    ]


def _recipe(recipe: ImageRecipe) -> Branch:
    root = {True: "root volume encrypted", False: "root volume not encrypted", None: None}
    line = joined(f"from {recipe.parent_name or recipe.parent_image}", root[recipe.root_volume_encrypted])
    parts = tuple(Branch((f"{number}.", part)) for number, part in enumerate(recipe.components, start=1))
    return Branch((f"recipe {recipe.name} {recipe.version}", line), parts)


def _distribution(one: Distribution) -> str:
    return f"{one.region} (shared with {', '.join(one.accounts)})" if one.accounts else one.region


def _built(image: BuiltImage) -> Branch:
    amis = [f"{ami.region} {ami.image_id}" for ami in image.amis]
    return Branch((f"image {image.name} {image.version}", joined(image.status.lower(), image.reason, *amis)))
