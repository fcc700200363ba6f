"""The recipes of custom Neuron AMIs: what EC2 Image Builder does to a pinned EKS AMI release, and how it checks it.

A recipe is a folder beside this file: ``recipe.yaml`` with what it pins itself, and a shell script for each component
and phase. The scripts are the same for every environment; an environment's values reach them as environment variables.
"""

from ami.recipes.documents import Component, components, content_version
from ami.recipes.table import ComponentRow, EfaInstaller, Recipe, UnknownRecipeError, names, recipe, source_hash
from ami.recipes.values import InvalidValueError, RecipeValues

__all__ = [
    "Component",
    "ComponentRow",
    "EfaInstaller",
    "InvalidValueError",
    "Recipe",
    "RecipeValues",
    "UnknownRecipeError",
    "components",
    "content_version",
    "names",
    "recipe",
    "source_hash",
]
